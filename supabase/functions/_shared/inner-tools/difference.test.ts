import { assert, assertEquals, assertNotEquals } from "@std/assert";
import { describeDifference } from "./difference.ts";
import { digestOf } from "./digest.ts";
import { isQuarantined, type KnownTool, mayDestroy, toGate, type ToldTool } from "./inner-tool.ts";

const TOLD: ToldTool = {
  name: "search",
  title: "Search",
  description: "Finds issues.",
  inputSchema: { type: "object", properties: { q: { type: "string" } }, required: ["q"] },
  outputSchema: null,
  annotations: { readOnlyHint: true },
};

function known(told: ToldTool, accepted: ToldTool | null = TOLD): KnownTool {
  const digest = digestOf(told);
  return {
    told,
    digest,
    accepted: accepted === null ? null : { told: accepted, digest: digestOf(accepted) },
  };
}

const CHANGES: readonly (readonly [what: string, told: Partial<ToldTool>, lines: string[]])[] = [
  ["its title", { title: "Find" }, ['title: was "Search", is now "Find"']],
  ["a title that is gone", { title: null }, ['title: gone, was "Search"']],
  ["its description", { description: "Deletes." }, ['description: was "Finds issues.", is now "Deletes."']],
  ["a hint", { annotations: { readOnlyHint: false } }, ["annotation readOnlyHint: was true, is now false"]],
  ["a hint that is gone", { annotations: {} }, ["annotation readOnlyHint: gone, was true"]],
  [
    "its arguments",
    {
      inputSchema: {
        type: "object",
        properties: { q: { type: "number" }, path: { type: "string" } },
        required: ["q", "path"],
        additionalProperties: false,
      },
    },
    [
      'argument "q": was {"type":"string"}, is now {"type":"number"}',
      'argument "path": new, {"type":"string"}',
      'arguments that have to be there: was ["q"], is now ["q","path"]',
      '"additionalProperties" of all arguments: new, false',
    ],
  ],
  ["what it answers", { outputSchema: { type: "object" } }, ['what it answers: new, {"type":"object"}']],
  ["letters that hide", { description: "Finds\u202e issues." }, [
    'description: was "Finds issues.", is now "Finds\\u{202e} issues."',
  ]],
  // A model reads what such selectors carry; nobody sees it.
  ["letters that show nothing", { description: "Finds issues.\u{e0158}\u3164" }, [
    'description: was "Finds issues.", is now "Finds issues.\\u{e0158}\\u{3164}"',
  ]],
];

Deno.test("describeDifference() tells each thing that is another one now, and digestOf() knows of each", () => {
  for (const [what, more, lines] of CHANGES) {
    const told = { ...TOLD, ...more };
    assertEquals(describeDifference(known(told)), lines, what);
    assertNotEquals(digestOf(told), digestOf(TOLD), what);
    assert(isQuarantined(known(told)), what);
  }
});

Deno.test("describeDifference() tells nothing of what is as it was, whatever the order of its keys", () => {
  const same = {
    ...TOLD,
    inputSchema: { required: ["q"], properties: { q: { type: "string" } }, type: "object" },
  };
  assertEquals(describeDifference(known(same)), []);
  assertEquals(digestOf(same), digestOf(TOLD));
  assert(!isQuarantined(known(same)));
});

Deno.test("describeDifference() tells everything of a tool that nobody has accepted", () => {
  assertEquals(describeDifference(known(TOLD, null)), [
    "It appeared after the first list.",
    'title: new, "Search"',
    'description: new, "Finds issues."',
    "annotation readOnlyHint: new, true",
    'argument "q": new, {"type":"string"}',
    'arguments that have to be there: new, ["q"]',
  ]);
  assert(isQuarantined(known(TOLD, null)));
});

Deno.test("describeDifference() shows what differs far inside of a long text, and no more lines than are read", () => {
  const long = "x".repeat(5_000);
  const [line] = describeDifference(
    known({ ...TOLD, description: `${long} now` }, { ...TOLD, description: `${long} then` }),
  );
  assert(line!.includes(" now") && line!.includes(" then") && line!.length < 600, line);
  const many = Object.fromEntries(Array.from({ length: 500 }, (_, n) => [`a${n}`, { type: "string" }]));
  const lines = describeDifference(known({ ...TOLD, inputSchema: { type: "object", properties: many } }));
  assertEquals(lines.length, 61);
  assertEquals(lines.at(-1), "and 442 more lines");
});

Deno.test("toGate() hands on the hints as they are, and mayDestroy() is true unless the server says outright not", () => {
  assertEquals(toGate(known(TOLD)), {
    readOnlyHint: true,
    destructiveHint: undefined,
    quarantined: false,
  });
  for (
    const [destructiveHint, may] of [[true, true], [false, false], [undefined, true], [
      "false",
      true,
    ]] as const
  ) {
    const annotations: ToldTool["annotations"] = destructiveHint === undefined ? {} : { destructiveHint };
    assertEquals(mayDestroy(known({ ...TOLD, annotations })), may, String(destructiveHint));
  }
});
