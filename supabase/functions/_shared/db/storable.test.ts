import { assertEquals } from "@std/assert";
import { isStorable, storableJson, storableText } from "./storable.ts";

Deno.test("storableText() replaces what the database takes none of, and nothing else", () => {
  const table: [string, string][] = [
    ["", ""],
    ["plain \u{1F600} \u202e", "plain \u{1F600} \u202e"],
    ["a\0b\0", "a\uFFFDb\uFFFD"],
    ["\ud800x", "\uFFFDx"],
    ["x\udc00", "x\uFFFD"],
    ["\udc00\ud800\0", "\uFFFD\uFFFD\uFFFD"],
  ];
  for (const [text, storable] of table) {
    assertEquals(storableText(text), storable);
    assertEquals(isStorable(text), text === storable);
  }
});

Deno.test("storableJson() does so at every depth, and leaves everything else as JSON has it", () => {
  assertEquals(
    storableJson({ a: ["x\0", { b: "\ud800" }], n: 1, t: true, z: null, u: undefined }),
    '{"a":["x\uFFFD",{"b":"\uFFFD"}],"n":1,"t":true,"z":null}',
  );
});
