import { assert, assertEquals, assertMatch, assertNotEquals } from "@std/assert";
import fc from "fast-check";
import { createKey, hashKey, isWellFormedKey, KEY_PREFIX } from "./keys.ts";

const DIGITS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

const keys = fc.uint8Array({ minLength: 32, maxLength: 32 }).map((bytes) => createKey(bytes));

Deno.test("createKey() has a prefix, 43 digits of 256 random bits and 6 of checksum", () => {
  assertMatch(createKey(), /^frk_live_[0-9A-Za-z]{49}$/);
  assertNotEquals(createKey(), createKey());
  // The checksums as zlib's crc32 has them.
  assertEquals(createKey(new Uint8Array(32)), "frk_live_00000000000000000000000000000000000000000000qFFJ7");
  assertEquals(
    createKey(new Uint8Array(32).fill(255)),
    "frk_live_yhjskwdA6OZ1AL1YmHWZWm8LLG7HjnuCA2j5rOw8Xp12RdKmj",
  );
});

Deno.test("createKey() gives each value a key of its own", () => {
  fc.assert(fc.property(
    fc.uint8Array({ minLength: 32, maxLength: 32 }),
    fc.nat(255),
    (bytes, bit) => {
      const other = Uint8Array.from(bytes);
      other[bit >> 3]! ^= 1 << (bit & 7);
      return createKey(bytes) !== createKey(other);
    },
  ));
});

Deno.test("isWellFormedKey() takes every key that was made", () => {
  fc.assert(fc.property(keys, isWellFormedKey), { numRuns: 500 });
});

Deno.test("isWellFormedKey() finds every mistyped character", () => {
  fc.assert(
    fc.property(keys, fc.nat(60), fc.constantFrom(...DIGITS, "_", "-", " "), (key, place, typed) => {
      const at = place % key.length;
      fc.pre(key[at] !== typed);
      return !isWellFormedKey(key.slice(0, at) + typed + key.slice(at + 1));
    }),
    { numRuns: 2_000 },
  );
});

Deno.test("isWellFormedKey() finds every two characters that changed places", () => {
  const key = createKey(new Uint8Array(32).map((_, index) => index * 37));
  for (let one = 0; one < key.length; one++) {
    for (let two = one + 1; two < key.length; two++) {
      if (key[one] === key[two]) continue;
      const swapped = [...key];
      [swapped[one], swapped[two]] = [swapped[two]!, swapped[one]!];
      assert(!isWellFormedKey(swapped.join("")), `${one} and ${two}`);
    }
  }
  fc.assert(
    fc.property(keys, fc.nat(100), (any, place) => {
      const at = place % (any.length - 1);
      fc.pre(any[at] !== any[at + 1]);
      return !isWellFormedKey(any.slice(0, at) + any[at + 1] + any[at] + any.slice(at + 2));
    }),
    { numRuns: 1_000 },
  );
});

Deno.test("isWellFormedKey() refuses what has another form", () => {
  const key = createKey();
  const others = [
    "",
    KEY_PREFIX,
    key.slice(0, -1),
    `${key}0`,
    `${key}\n`,
    ` ${key}`,
    key.toUpperCase(),
    key.replace("frk_live_", "frk_test_"),
    key.replace("frk_live_", "fct_live_"),
    `${KEY_PREFIX}${"0".repeat(49)}`,
    `${KEY_PREFIX}${"é".repeat(49)}`,
    `${KEY_PREFIX}${"0".repeat(42)}\0${"0".repeat(6)}`,
  ];
  for (const other of others) assert(!isWellFormedKey(other), JSON.stringify(other));
});

Deno.test("isWellFormedKey() takes no text by chance", () => {
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom(...DIGITS), minLength: 49, maxLength: 49 }), (rest) => {
      return !isWellFormedKey(KEY_PREFIX + rest);
    }),
    { numRuns: 1_000 },
  );
});

Deno.test("hashKey() is SHA-256 in lower-case hex", () => {
  // FIPS 180-2, B.1
  assertEquals(hashKey("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
});
