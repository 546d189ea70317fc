/** Lets to consent who comes with a request. Whoever has none is told before they sign in for nothing. */

import type { ReactNode } from "react";
import { useSearch } from "wouter";
import { SessionGate } from "../session/session-gate.tsx";
import { Notice } from "../ui/notice.tsx";
import { ConsentFrame } from "./consent-frame.tsx";
import { requestIdIn } from "./request-id.ts";

export function ConsentDoor({ children }: { children: ReactNode }) {
  if (requestIdIn(useSearch()) === null) {
    return (
      <ConsentFrame>
        <Notice tone="bad">This address lacks the request of a program. Begin again in the program.</Notice>
      </ConsentFrame>
    );
  }
  return <SessionGate why="You then see which program asks, and decide.">{children}</SessionGate>;
}
