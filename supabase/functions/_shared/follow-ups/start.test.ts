import { assert, assertEquals } from "@std/assert";
import fc from "fast-check";
import { bookingFile, mcpFile } from "../../../../scripts/testing/files.ts";
import type { FramedTool } from "../definition/format.ts";
import type { JsonObject, JsonValue } from "../definition/json.ts";
import { fillFollowUp, startOf, type WhyNot, type WrittenCall } from "./start.ts";

const CONNECTOR = "6a0f6f0e-0b8a-4f6e-9a53-0d2f3c1f7a11";

const FOLLOW_UP = {
  what: "Concept invoice {{args.number}}",
  until: "Someone books it in the ledger",
  check: { tool: "ledger_booked", args: { number: "{{args.number}}" } },
  done_when: { all: [{ path: "rows.number", op: "equals", value: "{{args.number}}" }] },
};

function fileWith(followUp: JsonObject | null, more: JsonObject = {}): FramedTool {
  return bookingFile({
    ...(followUp === null ? {} : { follow_up: followUp }),
    ...more,
  }) as unknown as FramedTool;
}

function written(more: Partial<WrittenCall> = {}): WrittenCall {
  return {
    file: fileWith(FOLLOW_UP),
    n: 0,
    connectorId: CONNECTOR,
    args: { number: "2026-7" },
    result: { data: { id: 41 } },
    landed: "applied",
    ...more,
  };
}

/** A follow-up whose check has these arguments. */
const checking = (args: JsonObject, more: JsonObject = {}) =>
  fileWith({ ...FOLLOW_UP, check: { tool: "ledger_booked", args }, ...more });

Deno.test("startOf() fills in what is told, what is asked and what is waited for", () => {
  assertEquals(startOf(written({ n: 2 })), {
    call: 2,
    connector_id: CONNECTOR,
    tool: "ledger_book_invoice",
    what: "Concept invoice 2026-7",
    until: "Someone books it in the ledger",
    check_tool: "ledger_booked",
    check_args: { number: "2026-7" },
    done_when: { all: [{ path: "rows.number", op: "equals", value: "2026-7" }] },
    alarm_after_days: 7,
    stop_after_days: 30,
  });
  const days = startOf(
    written({ file: fileWith({ ...FOLLOW_UP, alarm_after_days: 2, stop_after_days: 5 }) }),
  );
  assertEquals([days!.alarm_after_days, days!.stop_after_days], [2, 5]);
});

const FILLED: readonly [name: string, args: JsonValue, becomes: JsonValue][] = [
  ["a text that is a placeholder keeps a number", "{{result.data.id}}", 41],
  ["a text that is a placeholder keeps a truth", "{{args.paid}}", false],
  ["a text that is a placeholder keeps a list", "{{args.lines}}", [{ sku: "a" }, { sku: "b" }]],
  ["a longer text takes numbers and truths", "#{{result.data.id}} {{args.paid}}", "#41 false"],
  ["a number is a place in a list", "{{args.lines.1.sku}}", "b"],
  ["what was filled in is not filled again", "{{args.sly}}", "{{result.data.id}}"],
  ["what holds no placeholder stays", { of: ["x", 1, null, true] }, { of: ["x", 1, null, true] }],
];

for (const [name, value, becomes] of FILLED) {
  Deno.test(`startOf(): ${name}`, () => {
    const args = {
      number: "2026-7",
      paid: false,
      lines: [{ sku: "a" }, { sku: "b" }],
      sly: "{{result.data.id}}",
    };
    const started = startOf(written({ file: checking({ value }), args }));
    assertEquals((started?.check_args as JsonObject)?.value, becomes);
  });
}

const BYTES = btoa("x".repeat(1_200));
const NOTHING: WhyNot = "found_nothing";
const REFUSED: readonly [name: string, value: string, args: JsonObject, why: WhyNot][] = [
  ["nothing is there", "{{args.other}}", {}, NOTHING],
  ["null is there", "{{args.other}}", { other: null }, NOTHING],
  ["the answer has no such thing", "{{result.data.number}}", {}, NOTHING],
  ["what every object has", "{{args.constructor}}", {}, NOTHING],
  [
    "what several elements of a list have",
    "{{args.lines.sku}}",
    { lines: [{ sku: "a" }, { sku: "a" }] },
    "found_several",
  ],
  ["a place behind the list's end", "{{args.lines.1}}", { lines: ["a"] }, NOTHING],
  [
    "a list inside a longer text",
    "of {{args.lines}}",
    { lines: ["a"] },
    "no_scalar",
  ],
  [
    "an object inside a longer text",
    "of {{args.line}}",
    { line: {} },
    "no_scalar",
  ],
  ["a file as base64", "{{args.file}}", { file: BYTES }, "leaky"],
  [
    "a file as base64 in lines",
    "{{args.file}}",
    { file: BYTES.replace(/.{76}/g, "$&\r\n") },
    "leaky",
  ],
  ["a file inside a longer text", "see {{args.file}}", { file: BYTES }, "leaky"],
  ["a file deep inside", "{{args.file}}", { file: { of: [BYTES] } }, "leaky"],
  [
    "a data: address",
    "{{args.file}}",
    { file: "data:text/plain;base64,aGk=" },
    "leaky",
  ],
  [
    "a credential",
    "{{args.key}}",
    { key: "sk_live_4eC39HqLyjWD" },
    "leaky",
  ],
  [
    "a credential as a key",
    "{{args.key}}",
    { key: { sk_live_4eC39HqLyjWD: 1 } },
    "leaky",
  ],
  [
    "a credential in two parts",
    "{{args.a}}{{args.b}}",
    { a: "sk_live_", b: "4eC39HqLyjWD" },
    "leaky",
  ],
  ["a NUL", "{{args.text}}", { text: "a\0b" }, "not_storable"],
  ["half a character", "{{args.text}}", { text: "\ud83d" }, "not_storable"],
  [
    "more than arguments may hold",
    "{{args.text}}",
    { text: "a b ".repeat(20_000) },
    "too_long",
  ],
];

for (const [name, value, args, why] of REFUSED) {
  Deno.test(`fillFollowUp() starts nothing where a placeholder finds ${name}`, () => {
    const sent = { number: "2026-7", ...args };
    const done_when = { any: [{ path: "rows", op: "equals", value }] };
    for (const file of [checking({ value }), fileWith({ ...FOLLOW_UP, done_when })]) {
      assertEquals(fillFollowUp(written({ file, args: sent })), { ok: false, refusal: why });
    }
    for (const told of [{ what: value }, { until: value }]) {
      assertEquals(startOf(written({ file: fileWith({ ...FOLLOW_UP, ...told }), args: sent })), null);
    }
  });
}

Deno.test("fillFollowUp() starts nothing for what people are told where that would be a list", () => {
  const file = fileWith({ ...FOLLOW_UP, what: "{{args.lines}}" });
  assertEquals(fillFollowUp(written({ file, args: { number: "1", lines: [1] } })), {
    ok: false,
    refusal: "no_scalar",
  });
});

Deno.test("startOf() shows people 500 characters and asks with all of them", () => {
  const number = "é ".repeat(1_000);
  const started = startOf(written({ args: { number } }))!;
  assertEquals([...started.what as string].length, 500);
  assert((started.what as string).endsWith("…"));
  assertEquals(started.check_args, { number });
});

Deno.test("startOf() has no answer to fill from of a sensitive call, or of one of which nobody knows", () => {
  const file = checking({ id: "{{result.data.id}}" });
  assertEquals((startOf(written({ file }))?.check_args as JsonObject).id, 41);
  assertEquals(startOf(written({ file, landed: "unknown" })), null);
  assertEquals(startOf(written({ file: { ...file, access: "sensitive" } })), null);
  assertEquals(startOf(written({ file, result: null })), null);
  // What asks for no answer is followed up all the same.
  assert(startOf(written({ landed: "unknown", result: null })) !== null);
  assert(startOf(written({ file: { ...fileWith(FOLLOW_UP), access: "sensitive" } })) !== null);
});

Deno.test("startOf() fills from the inner arguments of an mcp call", () => {
  const file = mcpFile({ follow_up: FOLLOW_UP }) as unknown as FramedTool;
  const args = { action: "call", tool: "create_invoice", arguments: { number: "2026-7" } };
  assertEquals(startOf(written({ file, args }))!.check_args, { number: "2026-7" });
  assertEquals(
    startOf(written({ file, args: { action: "call", tool: "create_invoice", number: "2026-7" } })),
    null,
  );
});

Deno.test("startOf() leaves no placeholder unfilled, whatever goes out and comes back", () => {
  const file = fileWith({
    what: "{{args.number}} {{result.id}}",
    until: "{{args.a.b}}",
    check: { tool: "ledger_booked", args: { a: "{{args.a}}", b: ["x{{result.id}}"] } },
    done_when: { any: [{ path: "rows", op: "equals", value: "{{result.rows}}" }] },
  });
  fc.assert(fc.property(fc.jsonValue(), fc.jsonValue(), fc.jsonValue(), (number, a, result) => {
    const args = { number, a } as JsonObject;
    const started = startOf(written({ file, args, result: result as JsonValue }));
    if (started === null) return;
    const inner = JSON.stringify([args, result]).includes("{{");
    assert(inner || !JSON.stringify(started).includes("{{"));
  }));
  const plain = fc.record({ number: fc.string(), a: fc.record({ b: fc.integer() }) });
  fc.assert(fc.property(plain, fc.integer(), (args, id) => {
    const started = startOf(written({ file, args, result: { id, rows: [] } }));
    if (started !== null) assertEquals(started.until, String(args.a.b));
  }));
});
