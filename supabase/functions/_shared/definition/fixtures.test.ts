import { assertEquals } from "@std/assert";
import { assertLinear } from "../../../../scripts/testing/linear.ts";
import type { ToolCall } from "./call.ts";
import { exampleAsCall, selectFixture } from "./fixtures.ts";
import type { Fixture, FramedTool } from "./format.ts";
import type { JsonObject } from "./json.ts";

function toolWith(fixtures: Fixture[], more: object = {}): FramedTool {
  return { kind: "fixture", fixtures, ...more } as unknown as FramedTool;
}

function answerTo(tool: FramedTool, call: Partial<ToolCall>): unknown {
  return selectFixture(tool, { args: {}, ...call })?.response;
}

Deno.test("selectFixture() takes the first whose example is part of the call, deep, lists by equality", () => {
  const tool = toolWith([
    { example: { who: { city: "Gouda" } }, response: "Gouda" },
    { example: { ids: [1, 2] }, response: "one and two" },
    { example: { ids: [1] }, response: "one" },
    { response: "else" },
  ]);
  assertEquals(answerTo(tool, { args: { who: { name: "Ada Vermeer", city: "Gouda" } } }), "Gouda");
  assertEquals(answerTo(tool, { args: { who: { city: "Gouda" }, ids: [1] } }), "Gouda");
  assertEquals(answerTo(tool, { args: { ids: [1] } }), "one");
  assertEquals(answerTo(tool, { args: { ids: [2, 1] } }), "else");
  assertEquals(answerTo(tool, { args: { who: "Gouda" } }), "else");
  assertEquals(answerTo(tool, {}), "else");
});

Deno.test("selectFixture() takes the first when no example fits and each has one", () => {
  const tool = toolWith([{ example: { a: 1 }, response: "first" }, {
    example: { a: 2 },
    response: "second",
  }]);
  assertEquals(answerTo(tool, { args: { a: 3 } }), "first");
  assertEquals(answerTo(tool, { args: { a: 2 } }), "second");
});

Deno.test("selectFixture() counts capability and operation as part of the call", () => {
  const capabilities = [{ id: "contact.read", operations: ["list", "get"] }];
  const tool = toolWith([
    { example: { capability: "contact.read", operation: "list" }, response: "list" },
    { example: { capability: "contact.read", operation: "get", id: "1" }, response: "one" },
  ], { capabilities });
  assertEquals(answerTo(tool, { capability: "contact.read", operation: "get", args: { id: "1" } }), "one");
  assertEquals(answerTo(tool, { capability: "contact.read", operation: "list", args: { page: 2 } }), "list");
});

Deno.test("selectFixture() lets no capability or operation answer for another", () => {
  const example = (capability: string, operation: string, id?: string) => ({
    capability,
    operation,
    ...(id === undefined ? {} : { id }),
  });
  const tool = toolWith([
    { example: example("contact.read", "list"), response: "contacts" },
    { example: example("contact.read", "get", "1"), response: "contact 1" },
    { example: example("inv.read", "get", "1"), response: "invoice 1" },
  ], { capabilities: [] });
  const cases: [capability: string, operation: string, id: string | undefined, response: unknown][] = [
    ["inv.read", "get", "1", "invoice 1"],
    ["inv.read", "get", "99", "invoice 1"],
    ["contact.read", "get", "99", "contact 1"],
    ["inv.read", "list", undefined, undefined],
    ["other.read", "get", "1", undefined],
  ];
  for (const [capability, operation, id, response] of cases) {
    const args: JsonObject = id === undefined ? {} : { id };
    assertEquals(
      answerTo(tool, { args, capability, operation }),
      response,
      `${capability} ${operation} ${id}`,
    );
  }
});

Deno.test("selectFixture() answers null for an mcp file without fixtures", () => {
  assertEquals(selectFixture({ kind: "mcp" } as unknown as FramedTool, { args: {} }), null);
});

Deno.test("exampleAsCall() takes capability and operation out of the example where the tool has capabilities", () => {
  const example = { capability: "contact.read", operation: "get", id: "1" };
  assertEquals(exampleAsCall(toolWith([], { capabilities: [] }), example), {
    args: { id: "1" },
    capability: "contact.read",
    operation: "get",
  });
  assertEquals(exampleAsCall(toolWith([]), example), { args: example });
});

Deno.test("selectFixture() takes linear time for many examples and a long argument", () => {
  assertLinear("examples", 6_000, (size) => {
    const tool = toolWith(Array.from({ length: size }, (_, at) => ({ example: { a: [at] }, response: at })));
    const args = { a: Array.from({ length: size }, (_, k) => ({ k })) };
    return () => assertEquals(answerTo(tool, { args }), 0);
  });
});
