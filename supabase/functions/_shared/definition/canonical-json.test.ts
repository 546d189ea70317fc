import { assertEquals } from "@std/assert";
import fc from "fast-check";
import { canonicalJson } from "./canonical-json.ts";
import type { JsonValue } from "./json.ts";

Deno.test("canonicalJson() sorts keys by UTF-16 units and writes numbers as RFC 8785 does", () => {
  const value = {
    numbers: [333333333.33333329, 1e30, 4.5, 2e-3, 0.000000000000000000000000001, -0],
    string: '\u20ac$\u000f\nA\'B"\\\\"/',
    literals: [null, true, false],
    "\u20ac": 1,
    "\r": 2,
    "\ufb33": 3,
    "1": 4,
    "\ud83d\ude00": 5,
  };
  assertEquals(
    canonicalJson(value),
    '{"\\r":2,"1":4,"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27,0],' +
      '"string":"€$\\u000f\\nA\'B\\"\\\\\\\\\\"/","€":1,"😀":5,"\ufb33":3}',
  );
});

Deno.test("canonicalJson() is the same for the same value in any key order, and says the value", () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      const text = canonicalJson(value as JsonValue);
      assertEquals(canonicalJson(reversed(value as JsonValue)), text);
      assertEquals(JSON.parse(text), JSON.parse(JSON.stringify(value)));
    }),
  );
});

function reversed(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map(reversed);
  if (value === null || typeof value !== "object") return value;
  return Object.fromEntries(Object.entries(value).reverse().map(([key, inner]) => [key, reversed(inner)]));
}
