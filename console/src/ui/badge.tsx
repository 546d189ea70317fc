/** One word or two about the state of something. The colour says nothing that the words do not. */

import type { ReactNode } from "react";
import type { Tone } from "./notice.tsx";
import "./notice.css";

export function Badge({ tone, children }: { tone: Tone; children: ReactNode }) {
  return <span className={`badge notice-${tone}`}>{children}</span>;
}
