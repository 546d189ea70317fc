/** The head of a printed sheet: what it is of, and when and by whom it was printed. */

import { useEffect, useState } from "react";
import { flushSync } from "react-dom";
import { useSessionState } from "../../session/session-context.tsx";
import { useWorkspace } from "../../shell/workspace-context.tsx";
import { Said } from "../../ui/said.tsx";
import { Time } from "../../ui/time.tsx";
import "./when.css";

export function PrintHead() {
  const { name } = useWorkspace();
  const { person } = useSessionState();
  const [at, setAt] = useState(() => new Date().toISOString());
  useEffect(() => {
    // The browser takes the page as it stands when this returns.
    const look = () => flushSync(() => setAt(new Date().toISOString()));
    addEventListener("beforeprint", look);
    return () => removeEventListener("beforeprint", look);
  }, []);
  return (
    <p className="print-only small">
      Framed, workspace <Said>{name}</Said>. Printed <Time at={at} exact />, as it stood then, by{" "}
      <bdi>{person?.email}</bdi>.
    </p>
  );
}
