/** An instant, as people say it: how long ago or ahead, with the exact one at hand. */

import { useEffect, useState } from "react";
import { formatInstant, formatRelative } from "./instant.ts";

const AGAIN_MS = 30_000;

/** `at` is an ISO instant. `exact` shows the date and time itself. */
export function Time({ at, exact = false }: { at: string; exact?: boolean }) {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    if (exact) return;
    const timer = setInterval(() => setNow(Date.now()), AGAIN_MS);
    return () => clearInterval(timer);
  }, [exact]);
  const full = formatInstant(at);
  return <time dateTime={at} title={full}>{exact ? full : formatRelative(at, now)}</time>;
}
