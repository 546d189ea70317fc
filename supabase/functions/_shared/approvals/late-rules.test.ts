import { assertEquals } from "@std/assert";
import type { FramedTool } from "../definition/format.ts";
import type { Condition } from "../definition/format-after.ts";
import type { JsonObject } from "../definition/json.ts";
import { findLateValues } from "./chain.ts";
import { lateRules } from "./late-rules.ts";

const BOOK = {
  kind: "request",
  access: "write",
  request: { method: "POST", url: "https://ledger.example/" },
};
const SERVER = { kind: "mcp", mcp: { url: "https://ledger.example/mcp" } };
const OPS: readonly Omit<Condition, "path">[] = [
  { op: "exists" },
  { op: "not_exists" },
  { op: "equals", value: "7" },
  { op: "not_equals", value: "7" },
  { op: "contains", value: "7" },
  { op: "in", value: ["7"] },
  { op: "gt", value: 7 },
  { op: "lte", value: 7 },
];

/** What `lateRules` makes of one rule of each kind about `path`, for `args` as the second call of a chain. */
function judge(
  path: string,
  { op, value }: Omit<Condition, "path">,
  args: JsonObject,
  of: JsonObject = BOOK,
) {
  const rule = { path, op, ...(value === undefined ? {} : { value }) };
  const rules = [{ ...rule, then: "admin", say: "Ask." }, { ...rule, then: "deny", say: "Never." }];
  const tool = (more: JsonObject) => ({ slug: "book", ...of, ...more }) as unknown as FramedTool;
  const file = tool({ rules: rules as unknown as JsonObject[] });
  const found = findLateValues([{ file: tool(BOOK), call: { args: {} } }, { file, call: { args } }]);
  if (!found.ok) throw new Error(JSON.stringify(found));
  const { settled, admin } = lateRules(file, args, found.value[1]!);
  return { admin: admin.length, held: settled.rules?.length };
}

const LATE = "{{calls.0.result.id}}";
/** A path, and arguments in which a late value stands there, below it, or above it. */
const ON_LATE: readonly [path: string, args: JsonObject][] = [
  ["number", { number: LATE }],
  ["number", { number: `INV-${LATE}` }],
  ["lines", { lines: [{ amount: 1 }, { amount: LATE }] }],
  ["lines.amount", { lines: [{ amount: 1 }, { amount: LATE }] }],
  ["lines.1.amount", { lines: [{ amount: 1 }, { amount: LATE }] }],
  ["lines.01.amount", { lines: [{ amount: 1 }, { amount: LATE }] }],
  ["lines.1", { lines: [{ amount: 1 }, { amount: LATE }] }],
  ["lines.amount", { lines: [[{ amount: LATE }]] }],
  ["lines.amount", { lines: [{ amount: 1 }, LATE] }],
  ["number.of", { number: LATE }],
  ["about", { about: { deep: { number: LATE } } }],
  ["about.deep.number", { about: { deep: { number: LATE } } }],
  ["about.7.number", { about: { "7": { number: LATE } } }],
];

Deno.test("lateRules() asks an administrator by any rule about a late value, and denies by none", () => {
  for (const [path, args] of ON_LATE) {
    for (const op of OPS) {
      assertEquals(judge(path, op, args), { admin: 1, held: 0 }, `${path} ${op.op} ${JSON.stringify(args)}`);
      const inner = { action: "call", tool: "book", arguments: args };
      assertEquals(judge(path, op, inner, SERVER), { admin: 1, held: 0 }, `${path} ${op.op}, of a server`);
    }
  }
});

/** A path that no late value bears on, arguments, and the ops of `OPS` that match them. */
const ELSEWHERE: readonly [path: string, args: JsonObject, ops: string][] = [
  ["other", { number: LATE, other: "7" }, "exists equals contains in gt lte"],
  ["other", { number: LATE, other: 8 }, "exists not_equals contains in gt"],
  ["other", { number: LATE }, "not_exists not_equals contains in gt lte"],
  ["about.name", { about: { number: LATE, name: "7" } }, "exists equals contains in gt lte"],
  ["lines.0.amount", { lines: [{ amount: 8 }, { amount: LATE }] }, "exists not_equals contains in gt"],
  ["lines.name", { lines: [{ amount: LATE, name: "7" }] }, "exists equals contains in gt lte"],
  ["numbers", { number: LATE, numbers: "7" }, "exists equals contains in gt lte"],
];

Deno.test("lateRules() holds a rule about anything else against what will be sent", () => {
  for (const [path, args, ops] of ELSEWHERE) {
    for (const  of of[BOOK, SERVER]) {
      const whole = of === BOOK ? args : { action: "call", tool: "book", arguments: args };
      const found = OPS.filter((op) => judge(path, op, whole, of).admin === 1).map(({ op }) => op);
      assertEquals(found.join(" "), ops, `${path} ${JSON.stringify(whole)}`);
      assertEquals(judge(path, OPS[0]!, whole, of).held, 2);
    }
  }
});
