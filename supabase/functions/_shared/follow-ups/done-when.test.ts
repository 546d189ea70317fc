import { assertEquals } from "@std/assert";
import type { Condition } from "../definition/format-after.ts";
import type { JsonValue } from "../definition/json.ts";
import { type DoneWhen, isDone } from "./done-when.ts";

const booked: Condition = { path: "data.items.number", op: "equals", value: "2026-7" };
const paid: Condition = { path: "data.items.state", op: "in", value: ["paid", "closed"] };
const items = (...items: JsonValue[]): JsonValue => ({ data: { items } });

const CASES: readonly [name: string, doneWhen: DoneWhen, answer: JsonValue, done: boolean][] = [
  ["all hold", { all: [booked, paid] }, items({ number: "2026-7", state: "paid" }), true],
  ["one of all does not", { all: [booked, paid] }, items({ number: "2026-7", state: "open" }), false],
  ["any holds", { any: [booked, paid] }, items({ number: "2026-8", state: "closed" }), true],
  ["none of any does", { any: [booked, paid] }, items({ number: "2026-8", state: "open" }), false],
  ["nothing came", { all: [booked] }, items(), false],
  ["another shape came", { all: [booked] }, "it is not JSON that is wanted", false],
  ["null came", { all: [booked] }, null, false],
  [
    "it is gone, which is what was waited for",
    {
      all: [{ path: "data.items.number", op: "not_exists" }],
    },
    items(),
    true,
  ],
  ["no condition", { all: [] }, items({ number: "2026-7" }), false],
  ["neither", {}, items({ number: "2026-7" }), false],
];

for (const [name, doneWhen, answer, done] of CASES) {
  Deno.test(`isDone(): ${name}`, () => assertEquals(isDone(doneWhen, answer), done));
}
