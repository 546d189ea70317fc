/** Puts a text on the clipboard, and says whether it did. */

import { useEffect, useState } from "react";
import { Button } from "./button.tsx";
import { Icon } from "./icon.tsx";

const SAID_FOR_MS = 4_000;

/** `what` names it for who listens: "Copy the key". */
export function CopyButton({ text, what }: { text: string; what: string }) {
  const [said, setSaid] = useState<"copied" | "refused" | null>(null);
  useEffect(() => {
    if (said === null) return;
    const timer = setTimeout(() => setSaid(null), SAID_FOR_MS);
    return () => clearTimeout(timer);
  }, [said]);

  async function copy() {
    try {
      await navigator.clipboard.writeText(text);
      setSaid("copied");
    } catch {
      setSaid("refused");
    }
  }

  return (
    <span className="row">
      <Button onClick={copy}>
        <Icon name={said === "copied" ? "check" : "copy"} /> {said === "copied" ? "Copied" : "Copy"}
        <span className="only-heard">{what}</span>
      </Button>
      <span className={said === "refused" ? "small muted" : "only-heard"} role="status">
        {said === "copied" && "Copied"}
        {said === "refused" && "This browser does not let it be copied: mark it and copy it yourself"}
      </span>
    </span>
  );
}
