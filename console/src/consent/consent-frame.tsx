/** What stands around consent: nothing of the console, for the person comes from another program and goes back to it. */

import { type ReactNode, useEffect } from "react";
import { Mark } from "../ui/icon.tsx";
import "./consent.css";

export function ConsentFrame({ children }: { children: ReactNode }) {
  useEffect(() => {
    document.title = "Let a program in · Framed";
  }, []);
  return (
    <main className="consent">
      <div className="consent-card stack">
        <p className="consent-mark">
          <Mark /> Framed
        </p>
        <h1>Let a program in</h1>
        {children}
      </div>
    </main>
  );
}
