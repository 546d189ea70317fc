import { assertEquals } from "@std/assert";
import type { FramedTool, Kind } from "../definition/format.ts";
import type { Rule } from "../definition/format-after.ts";
import type { JsonObject } from "../definition/json.ts";
import { matchRules } from "./rules.ts";

function toolWith(kind: Kind, rules: Rule[]): FramedTool {
  return { kind, rules } as unknown as FramedTool;
}

Deno.test("matchRules() tells the matching rules in their order, apart by what they do", () => {
  const tool = toolWith("request", [
    { path: "to", op: "equals", value: "all", then: "deny", say: "Not to all." },
    { path: "amount", op: "gte", value: 10, then: "admin", say: "Ten or more." },
    { path: "amount", op: "exists", then: "admin", say: "With an amount." },
  ]);
  assertEquals(matchRules(tool, { to: "all", amount: 10 }), {
    deny: ["Not to all."],
    admin: ["Ten or more.", "With an amount."],
  });
  assertEquals(matchRules(tool, { to: "me", amount: 1 }), { deny: [], admin: ["With an amount."] });
});

Deno.test("matchRules() looks at the inner arguments of an mcp call", () => {
  const tool = toolWith("mcp", [{
    path: "company",
    op: "not_equals",
    value: "north",
    then: "deny",
    say: "No.",
  }]);
  const call = (args: JsonObject) => matchRules(tool, args).deny.length;
  assertEquals(call({ action: "call", tool: "x", arguments: { company: "north" } }), 0);
  assertEquals(call({ action: "call", tool: "x", arguments: { company: "south" } }), 1);
  assertEquals(call({ action: "call", tool: "x", company: "north" }), 1);
});

Deno.test("matchRules() matches in doubt: what is missing or of another type passes no comparison", () => {
  const ops = [["gt", 5], ["gte", 5], ["lt", 5], ["lte", 5], ["in", [1]], ["contains", "a"]] as const;
  for (const [op, value] of ops) {
    const tool = toolWith("request", [{ path: "x", op, value: value as never, then: "deny", say: "No." }]);
    assertEquals(matchRules(tool, {}).deny.length, 1, `${op} of nothing`);
    assertEquals(matchRules(tool, { x: { an: "object" } }).deny.length, 1, `${op} of an object`);
  }
});
