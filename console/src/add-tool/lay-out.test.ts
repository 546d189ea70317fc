import { assertEquals } from "@std/assert";
import { laidOut } from "./lay-out.ts";

Deno.test("laidOut() writes one thing a line, and changes nothing that is said", () => {
  const cases: [string, string | null][] = [
    ['{"a":[1,{"b":null}]}', '{\n  "a": [\n    1,\n    {\n      "b": null\n    }\n  ]\n}\n'],
    ['{"a": 1.50}', '{\n  "a": 1.5\n}\n'],
    ['{"a": 1, "a": 2}', null],
    ['{"a": {"b": 1, "\\u0062": 2}}', null],
    ['{"a": 12345678901234567890}', null],
    ['{"a": 1e400}', null],
    ['{"__proto__": 1}', null],
    ['{"a": ', null],
    ["", null],
  ];
  for (const [text, wanted] of cases) assertEquals(laidOut(text), wanted, text);
});
