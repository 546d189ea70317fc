import { assert, assertEquals, assertThrows } from "@std/assert";
import { generateKeyRing, readKeyRing } from "./key-ring.ts";

const A = "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=";
const B = "//79/Pv6+fj39vX08/Lx8O/u7ezr6uno5+bl5OPi4eA=";

Deno.test("readKeyRing() takes the first key to encrypt and keeps all to decrypt", async () => {
  const ring = await readKeyRing(` new:${B} , old:${A}`);
  assert(ring.ok && ring.value);
  assertEquals(ring.value.encryptsWith, "new");
  assert(ring.value.find("old"));
  assertEquals(ring.value.find("new")?.extractable, false);
  assertEquals(ring.value.find("other"), undefined);
});

Deno.test("readKeyRing() answers null for a stack without a ring", async () => {
  for (const text of [undefined, "", "  \n"]) {
    assertEquals(await readKeyRing(text), { ok: true, value: null });
  }
});

Deno.test("readKeyRing() refuses what is no ring, by place and without repeating it", async () => {
  const table: [text: string, says: string][] = [
    [A, "entry 1: it has no key id"],
    [`a:${A},`, "entry 2: it has no key id"],
    [`${B}:${A}`, "entry 1: its key id is not"],
    [`:${A}`, "entry 1: its key id is not"],
    [`a b:${A}`, "entry 1: its key id is not"],
    ["a:", "entry 1: its key has 0 bytes; 32 are wanted"],
    [`a:${A.slice(0, 20)}`, "entry 1: its key has 15 bytes; 32 are wanted"],
    [`a:${A.slice(0, -1)}`, "entry 1: its key is not base64"],
    [`a:${A.slice(0, -2)}9=`, "entry 1: its key is not base64"],
    [`a:${B.replaceAll("/", "_")}`, "entry 1: its key is not base64"],
    [`a:${A},a:${B}`, "entry 2: its key id is used by an earlier entry"],
    [`a:${A},b:${A}`, "entry 2: it is the same key as an earlier entry"],
  ];
  for (const [text, says] of table) {
    const ring = await readKeyRing(text);
    assert(!ring.ok, text);
    const line = ring.refusal[0] ?? "";
    assert(line.startsWith(`FRAMED_SECRET_KEYS, ${says}`), `${text}: ${line}`);
    for (const key of [A, B]) assert(!line.includes(key.slice(0, 8)), line);
  }
});

Deno.test("readKeyRing() tells every entry that is wrong in one pass", async () => {
  const ring = await readKeyRing(`nothing,a:${A},b:short`);
  assert(!ring.ok);
  assertEquals(ring.refusal.map((line) => line.split(":")[0]), [
    "FRAMED_SECRET_KEYS, entry 1",
    "FRAMED_SECRET_KEYS, entry 3",
  ]);
});

Deno.test("generateKeyRing() makes a ring that is read back, another each time", async () => {
  const [one, two] = [generateKeyRing("k1"), generateKeyRing("k1")];
  assert(one !== two);
  const ring = await readKeyRing(`${one},${two.replace("k1", "k2")}`);
  assert(ring.ok && ring.value);
  assertEquals(ring.value.encryptsWith, "k1");
  assertThrows(() => generateKeyRing("a:b"), TypeError, "key id");
});
