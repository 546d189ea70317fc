import { assertEquals, assertNotEquals } from "@std/assert";
import { definitionDigest } from "./digest.ts";

Deno.test("definitionDigest() is the SHA-256 of the canonical JSON, whatever the order of keys", () => {
  assertEquals(definitionDigest({}), "44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a");
  assertEquals(definitionDigest({ a: 1, b: { c: 2, d: 3 } }), definitionDigest({ b: { d: 3, c: 2 }, a: 1 }));
  assertNotEquals(definitionDigest({ a: [1, 2] }), definitionDigest({ a: [2, 1] }));
});
