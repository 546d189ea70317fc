import { assertEquals } from "@std/assert";
import type { ToolCall } from "../definition/call.ts";
import type { Capability, FixtureTool, FramedTool } from "../definition/format.ts";
import { decideCapability } from "./capability.ts";

const plain: FixtureTool = {
  format: "framed-tool/1",
  slug: "crm",
  name: "CRM",
  description: "Contacts.",
  kind: "fixture",
  access: "read",
  arguments: { type: "object", properties: { id: { type: "string" } } },
  fixtures: [{ response: [] }],
};
const capabilities: Capability[] = [
  { id: "contact.read", operations: ["list", "get"] },
  { id: "deal.read", operations: ["list"] },
];
const tool: FramedTool = { ...plain, capabilities };

function reasonOf(file: FramedTool, call: Partial<ToolCall>): string {
  const decided = decideCapability(file, { args: {}, ...call });
  return decided.ok ? "passes" : decided.refusal.reason;
}

Deno.test("decideCapability() refuses for the first reason that applies", () => {
  const cases: [Partial<ToolCall>, string][] = [
    [{ capability: "contact.read", operation: "list" }, "passes"],
    [{ capability: "contact.read", operation: "get", args: { id: "1" } }, "passes"],
    [{ capability: "contact.read", operation: "get", args: { id: 0 } }, "passes"],
    [{}, "capability_missing"],
    [{ operation: "list" }, "capability_missing"],
    [{ operation: "delete" }, "capability_missing"],
    [{ capability: "invoice.read", operation: "list" }, "capability_not_declared"],
    [{ capability: "invoice.read", operation: "delete" }, "capability_not_declared"],
    [{ capability: "invoice.read" }, "capability_not_declared"],
    [{ capability: "toString", operation: "list" }, "capability_not_declared"],
    [{ capability: "contact.read" }, "operation_missing"],
    [{ capability: "contact.read", operation: "create" }, "operation_denied"],
    [{ capability: "contact.read", operation: "update" }, "operation_denied"],
    [{ capability: "contact.read", operation: "delete" }, "operation_denied"],
    [{ capability: "contact.read", operation: "write" }, "operation_denied"],
    [{ capability: "contact.read", operation: "patch" }, "operation_denied"],
    [{ capability: "deal.read", operation: "get", args: { id: "1" } }, "operation_not_declared"],
    [{ capability: "deal.read", operation: "LIST" }, "operation_not_declared"],
    [{ capability: "contact.read", operation: "get" }, "bad_arguments"],
    [{ capability: "contact.read", operation: "get", args: { id: null } }, "bad_arguments"],
    [{ capability: "contact.read", operation: "get", args: { id: "" } }, "bad_arguments"],
  ];
  for (const [call, reason] of cases) assertEquals(reasonOf(tool, call), reason, JSON.stringify(call));
});

Deno.test("decideCapability() lets a tool without capabilities be called without one, and only so", () => {
  assertEquals(reasonOf(plain, {}), "passes");
  assertEquals(reasonOf(plain, { capability: "contact.read", operation: "list" }), "capability_not_declared");
  assertEquals(reasonOf(plain, { operation: "list" }), "capability_not_declared");
});

Deno.test("decideCapability() denies a write even to a file that would list it", () => {
  const broken = {
    ...plain,
    capabilities: [{ id: "contact.read", operations: ["create"] }],
  } as unknown as FramedTool;
  assertEquals(reasonOf(broken, { capability: "contact.read", operation: "create" }), "operation_denied");
});
