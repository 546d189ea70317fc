import { assertEquals } from "@std/assert";
import { type ApprovalRow, judgeApproval, type Told } from "./judge.ts";
import type { Received } from "./other-system.ts";

/** One that was sent and taken, and of which all holds. */
const APPLIED: ApprovalRow = {
  id: "a",
  status: "applied",
  outcome: "The call was sent and taken.",
  calls: [{ n: 0, status: "applied", detail: null }],
  decisions: 1,
  called: { 0: 1 },
  changes: [
    { n: 0, was: "waiting", is: "running" },
    { n: null, was: "awaiting_approval", is: "running" },
    { n: 0, was: "running", is: "applied" },
    { n: null, was: "running", is: "applied" },
  ],
};

function ended(status: string, detail: string | null = null): ApprovalRow {
  return { ...APPLIED, status, calls: [{ n: 0, status, detail }] };
}
function got(...answers: (number | null | undefined)[]): Map<string, Received> {
  return new Map(
    answers.flatMap((answered, n) =>
      answered === undefined ? [] : [[`a.${n}`, { count: 1, answered, atMs: 0 }] as const]
    ),
  );
}
const twice = new Map([["a.0", { count: 2, answered: 200, atMs: 0 }]]);
const chain = (first: string, second: string): ApprovalRow => ({
  ...APPLIED,
  status: first === "applied" && second === "applied"
    ? "applied"
    : first === "unknown"
    ? "unknown"
    : "failed",
  calls: [{ n: 0, status: first, detail: null }, { n: 1, status: second, detail: null }],
  called: { 0: 1, ...(second === "not_sent" ? {} : { 1: 1 }) },
});

const HOLDS: [name: string, row: ApprovalRow, received: Map<string, Received>, told?: Told[]][] = [
  ["taken", APPLIED, got(200)],
  ["refused", ended("failed", "It said 422."), got(422)],
  ["never sent", ended("failed", "Nothing was sent."), got()],
  ["unknown and received", ended("unknown"), got(200)],
  ["unknown and not received", ended("unknown"), got()],
  ["a chain that stopped", chain("failed", "not_sent"), got(400)],
  ["told of while it was on its way", APPLIED, got(200), [{ decision: "approve", status: "running" }]],
  [
    "given up, and the truth came later",
    { ...APPLIED, called: { 0: 2 }, changes: [{ n: 0, was: "unknown", is: "applied" }] },
    got(200),
    [{ decision: "approve", status: "unknown" }],
  ],
];
for (const [name, row, received, told = []] of HOLDS) {
  Deno.test(`judgeApproval() lets pass: ${name}`, () => {
    assertEquals(judgeApproval(row, { received, told }), []);
  });
}

const DOES_NOT: [
  name: string,
  row: ApprovalRow,
  received: Map<string, Received>,
  said: string,
  told?: Told[],
][] = [
  ["two requests for one call", APPLIED, twice, "call 0 was received 2 times"],
  ["applied and not received", APPLIED, got(), "call 0 is applied; received 0 times, answered null"],
  ["applied and not answered", APPLIED, got(null), "call 0 is applied; received 1 times, answered null"],
  ["applied and answered 500", APPLIED, got(500), "call 0 is applied; received 1 times, answered 500"],
  ["failed and taken", ended("failed"), got(200), "call 0 failed, received and answered 200"],
  [
    "nothing was sent, and it was",
    ended("failed", "Too late. Nothing was sent."),
    got(400),
    "call 0 was received: Too late. Nothing was sent.",
  ],
  [
    "on after a failure",
    chain("failed", "applied"),
    got(400, 200),
    "call 1 was sent after one that did not land",
  ],
  [
    "sent and not said so",
    chain("applied", "not_sent"),
    got(200, 200),
    "call 1 is not_sent and was received",
  ],
  ["no row of the decision", { ...APPLIED, decisions: 0 }, got(200), "0 log rows of a decision"],
  ["two rows of the decision", { ...APPLIED, decisions: 2 }, got(200), "2 log rows of a decision"],
  [
    "no row of the call",
    { ...APPLIED, called: {} },
    got(200),
    "call 0 is applied and has 0 log rows, wanted 1",
  ],
  [
    "a row too many",
    { ...APPLIED, called: { 0: 2 } },
    got(200),
    "call 0 is applied and has 2 log rows, wanted 1",
  ],
  [
    "back to unknown",
    { ...APPLIED, changes: [{ n: 0, was: "applied", is: "unknown" }] },
    got(200),
    "call 0 went from applied to unknown",
  ],
  [
    "decided twice",
    { ...APPLIED, changes: [{ n: null, was: "rejected", is: "running" }] },
    got(200),
    "it went from rejected to running",
  ],
  [
    "not what its calls are",
    { ...APPLIED, status: "failed" },
    got(200),
    "its calls are applied: wanted applied",
  ],
  ["without a word", { ...APPLIED, outcome: "" }, got(200), "it does not say how it ended"],
  [
    "somebody was told otherwise",
    APPLIED,
    got(200),
    "somebody was told it is failed",
    [{ decision: "approve", status: "failed" }],
  ],
];
for (const [name, row, received, said, told = []] of DOES_NOT) {
  Deno.test(`judgeApproval() finds: ${name}`, () => {
    assertEquals(judgeApproval(row, { received, told }), [`a (${row.status}): ${said}`]);
  });
}
