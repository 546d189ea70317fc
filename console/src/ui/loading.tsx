/** Says that something is under way: nothing for a blink, then that it works, then what it waits for. */

import { useEffect, useState } from "react";
import "./loading.css";

const SHOWN_AFTER_MS = 250;

export function Loading({ what }: { what: string }) {
  const [isShown, setShown] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setShown(true), SHOWN_AFTER_MS);
    return () => clearTimeout(timer);
  }, []);
  return (
    <div className="loading" role="status" aria-busy="true">
      {isShown && (
        <p className="muted">
          <span className="loading-dot" aria-hidden="true" />
          {what}…
        </p>
      )}
    </div>
  );
}
