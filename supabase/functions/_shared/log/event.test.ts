import { assert, assertEquals } from "@std/assert";
import fc from "fast-check";
import type { JsonValue } from "../definition/json.ts";
import { clipArgs } from "./event.ts";

/** Every text in a value, keys too. */
function textsIn(value: JsonValue): string[] {
  if (typeof value === "string") return [value];
  if (typeof value !== "object" || value === null) return [];
  if (Array.isArray(value)) return value.flatMap(textsIn);
  return Object.entries(value).flatMap(([key, inner]) => [key, ...textsIn(inner)]);
}

function countValues(value: JsonValue): number {
  if (typeof value !== "object" || value === null) return 1;
  return 1 + Object.values(value).reduce<number>((sum, inner) => sum + countValues(inner), 0);
}

Deno.test("clipArgs() leaves what is short and harmless as it is", () => {
  const args = { supplier: "Acme", of: [1, 2.5, true, null, { deep: ["é"] }], none: {} };
  assertEquals(clipArgs(args), args);
});

Deno.test("clipArgs() cuts a text at 200 code points, and no character in two", () => {
  assertEquals(clipArgs("x".repeat(200)), "x".repeat(200));
  assertEquals(clipArgs("x".repeat(201)), `${"x".repeat(200)}…`);
  assertEquals(clipArgs("😀".repeat(200)), "😀".repeat(200));
  assertEquals(clipArgs("😀".repeat(201)), `${"😀".repeat(200)}…`);
  assertEquals(clipArgs({ ["k".repeat(300)]: 1 }), { [`${"k".repeat(200)}…`]: 1 });
});

Deno.test("clipArgs() shows 200 values over all levels, and that there were more", () => {
  const list = clipArgs(Array.from({ length: 1_000 }, (_, index) => index)) as JsonValue[];
  assertEquals([list.length, list[198], list.at(-1)], [200, 198, "…"]);
  const object = clipArgs(
    Object.fromEntries(Array.from({ length: 300 }, (_, index) => [`k${index}`, index])),
  );
  assertEquals((object as Record<string, JsonValue>)["…"], 101);
});

Deno.test("clipArgs() takes out what is shaped like a credential, wherever it stands", () => {
  const credentials = [
    `ghp_${"a1B2".repeat(9)}`,
    `frk_live_${"a1B2c3D".repeat(7)}`,
    "-----BEGIN PRIVATE KEY-----\nMIIB\n-----END PRIVATE KEY-----",
    "https://user:hunter2hunter2@ledger.example/",
  ];
  for (const credential of credentials) {
    for (
      const args of [
        credential,
        [credential],
        { a: { b: [credential] } },
        { [credential]: 1 },
        `see ${credential}`,
      ]
    ) {
      const shown = textsIn(clipArgs(args));
      assert(shown.every((text) => !text.includes(credential)), credential.slice(0, 4));
      assert(shown.some((text) => text.includes("shaped like a credential")));
    }
  }
});

Deno.test("clipArgs() finds a credential also where the text is cut before its end", () => {
  const credential = `ghp_${"a1B2".repeat(9)}`;
  const [shown] = textsIn(clipArgs(`${"x ".repeat(95)}${credential}`));
  assertEquals(shown, "[shaped like a credential]");
});

Deno.test("clipArgs() is bounded whatever it is given", () => {
  fc.assert(fc.property(fc.jsonValue({ maxDepth: 6 }), (args) => {
    const clipped = clipArgs(args as JsonValue);
    return countValues(clipped) <= 402 && textsIn(clipped).every((text) => [...text].length <= 201);
  }));
  let deep: JsonValue = "end";
  for (let level = 0; level < 30_000; level++) deep = [deep];
  assert(countValues(clipArgs(deep)) <= 402);
});

Deno.test("clipArgs() treats names that mean something to JavaScript as names", () => {
  const args = JSON.parse('{"__proto__":{"polluted":true},"constructor":1}');
  const clipped = clipArgs(args) as Record<string, JsonValue>;
  assertEquals(JSON.stringify(clipped), '{"__proto__":{"polluted":true},"constructor":1}');
  assertEquals(({} as Record<string, unknown>).polluted, undefined);
});
