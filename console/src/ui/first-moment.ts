/** The moment in which what has just taken the place of something else takes no press: the second half of a double click was meant for that. */

import { useEffect, useState } from "react";

/** Longer than two presses of a double click are apart, and shorter than anybody reads what is new. */
const MOMENT_MS = 1_000;

/** True while `what` stands there only just; from the beginning where it came by itself, else whenever it becomes another. */
export function useFirstMoment(what: string, cameByItself = true): boolean {
  const [known, setKnown] = useState(cameByItself ? null : what);
  useEffect(() => {
    if (known === what) return;
    const timer = setTimeout(() => setKnown(what), MOMENT_MS);
    return () => clearTimeout(timer);
  }, [what, known]);
  return known !== what;
}
