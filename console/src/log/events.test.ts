import { assertEquals } from "@std/assert";
import { beginningOf, outcomeOf } from "./events.ts";

const KEY = { kind: "raw_key", id: "k", name: "Noor", key_name: "Night import" } as const;
const PERSON = { kind: "session", id: "p", name: "Sam" } as const;

const ROWS: readonly [Parameters<typeof beginningOf>[0], begins: string, words: string, tone: string][] = [
  [{ event: "tool.called", outcome: "ok", principal: PERSON }, "Sam called", "ok", "good"],
  [
    { event: "tool.called", outcome: "upstream_failed", principal: KEY },
    "Noor (by the key Night import) called (failed)",
    "upstream_failed",
    "bad",
  ],
  [
    { event: "tool.called", outcome: "ok", principal: KEY, detail: { approval_id: "a", call: 0 } },
    "For Noor (by the key Night import), as was approved, Framed called",
    "ok",
    "good",
  ],
  [
    {
      event: "approval.ended",
      outcome: "ok",
      principal: KEY,
      detail: { approval_id: "a", status: "applied" },
    },
    "What Noor (by the key Night import) asked for was sent and taken:",
    "ok",
    "good",
  ],
  [
    {
      event: "approval.ended",
      outcome: "ok",
      principal: PERSON,
      detail: { approval_id: "a", status: "failed" },
    },
    "What Sam asked for failed:",
    "failed",
    "bad",
  ],
  [
    {
      event: "approval.ended",
      outcome: "ok",
      principal: PERSON,
      detail: { approval_id: "a", status: "unknown" },
    },
    "What Sam asked for went out, and nobody can tell its end:",
    "unknown",
    "warn",
  ],
  [
    {
      event: "approval.expired",
      outcome: "approval_expired",
      principal: PERSON,
      detail: { approval_id: "a" },
    },
    "What Sam asked for expired, undecided:",
    "approval_expired",
    "bad",
  ],
  [
    { event: "approval.rejected", outcome: "ok", principal: PERSON, detail: { approval_id: "a" } },
    "Sam rejected a call of",
    "ok",
    "good",
  ],
];

for (const [row, begins, words, tone] of ROWS) {
  Deno.test(`a row of the log begins: ${begins}`, () => {
    assertEquals(beginningOf(row), begins);
    assertEquals(outcomeOf(row), { words, tone });
  });
}
