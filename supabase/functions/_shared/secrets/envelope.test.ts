import { Buffer } from "node:buffer";
import { createCipheriv } from "node:crypto";
import fc from "fast-check";
import { assert, assertEquals, assertRejects } from "@std/assert";
import {
  createDataKey,
  openValue,
  rewrapDataKey,
  SealBroken,
  sealValue,
  unwrapDataKey,
  type ValuePlace,
  type WrappedDataKey,
} from "./envelope.ts";
import { generateKeyRing, importAesKey, type KeyRing, readKeyRing } from "./key-ring.ts";

const workspaceId = "0b9f7c1e-6a53-4a53-8f0e-0c5a2f9a7b11";
const place: ValuePlace = { workspaceId, name: "CONNECTOR_LEDGER", dataKeyId: "7" };

Deno.test("openValue() gives back what sealValue() sealed, for any text", async () => {
  const { key } = await createDataKey(await ringOf(generateKeyRing("k1")), workspaceId);
  await fc.assert(
    fc.asyncProperty(fc.string({ unit: "binary", maxLength: 200 }), async (value) => {
      const sealed = await sealValue(value, { key, place });
      assertEquals(await openValue(sealed, { key, place }), value);
    }),
    { numRuns: 200 },
  );
  const largest = "k".repeat(16 * 1024);
  assertEquals(await openValue(await sealValue(largest, { key, place }), { key, place }), largest);
  await assertRejects(() => sealValue("\ud800", { key, place }), TypeError, "lone surrogate");
});

Deno.test("sealValue() never makes the same bytes twice", async () => {
  const { key } = await createDataKey(await ringOf(generateKeyRing("k1")), workspaceId);
  const seals = await Promise.all(Array.from({ length: 500 }, () => sealValue("same", { key, place })));
  assertEquals(new Set(seals.map((sealed) => sealed.slice(1, 13).join())).size, 500);
});

Deno.test("openValue() opens format 1 as another implementation writes it", async () => {
  const raw = Uint8Array.from({ length: 32 }, (_, i) => i);
  const nonce = Uint8Array.from({ length: 12 }, (_, i) => 0xa0 + i);
  const cipher = createCipheriv("aes-256-gcm", raw, nonce);
  const parts = ["framed/value", workspaceId, "CONNECTOR_LEDGER", "7"].map((part) => {
    const length = Buffer.alloc(4);
    length.writeUInt32BE(Buffer.byteLength(part));
    return Buffer.concat([length, Buffer.from(part)]);
  });
  cipher.setAAD(Buffer.concat(parts));
  const body = Buffer.concat([cipher.update("known-value-é"), cipher.final(), cipher.getAuthTag()]);
  const sealed = new Uint8Array(Buffer.concat([Buffer.from([1]), nonce, body]));
  assertEquals(
    Buffer.from(sealed).toString("hex"),
    "01a0a1a2a3a4a5a6a7a8a9aaab8d76135a2be674de0e10e2fec4d352b3097d87fd3691565987747a3d9718",
  );
  assertEquals(await openValue(sealed, { key: await importAesKey(raw), place }), "known-value-é");
});

Deno.test("openValue() refuses every other place, key, and changed byte with one message", async () => {
  const ring = await ringOf(generateKeyRing("k1"));
  const { key } = await createDataKey(ring, workspaceId);
  const { key: otherKey } = await createDataKey(ring, workspaceId);
  const sealed = await sealValue("canary-credential", { key, place });
  const attempts: [sealed: Uint8Array, key: CryptoKey, place: ValuePlace][] = [
    [sealed, otherKey, place],
    [sealed, key, { ...place, workspaceId: "another" }],
    [sealed, key, { ...place, name: "CONNECTOR_OTHER" }],
    [sealed, key, { ...place, dataKeyId: "8" }],
    // The same letters cut elsewhere: only the lengths in the binding tell them apart.
    [sealed, key, { ...place, name: "CONNECTOR_LEDGE", dataKeyId: "R7" }],
    [sealed.subarray(0, sealed.length - 1), key, place],
    [sealed.subarray(0, 20), key, place],
    [new Uint8Array(0), key, place],
  ];
  for (let i = 0; i < sealed.length; i++) {
    const changed = sealed.slice();
    changed[i]! ^= 1;
    attempts.push([changed, key, place]);
  }
  for (const [bytes, usedKey, usedPlace] of attempts) {
    const error = await assertRejects(() => openValue(bytes, { key: usedKey, place: usedPlace }), SealBroken);
    assertEquals(error.message, "A sealed value does not open");
  }
});

Deno.test("unwrapDataKey() opens for its own workspace and key id only", async () => {
  const one = generateKeyRing("k1");
  const ring = await ringOf(`${one},${generateKeyRing("k2")}`);
  const { key, wrapped } = await createDataKey(ring, workspaceId);
  const sealed = await sealValue("canary-credential", { key, place });
  const again = await unwrapDataKey(wrapped, { ring, workspaceId });
  assertEquals(again.extractable, false);
  assertEquals(await openValue(sealed, { key: again, place }), "canary-credential");

  const stranger = await ringOf(generateKeyRing("k1"));
  const renamed = await ringOf(one.replace("k1", "k3"));
  const attempts: [WrappedDataKey, KeyRing, string][] = [
    [wrapped, ring, "another"],
    [wrapped, stranger, workspaceId],
    [{ ...wrapped, kid: "k2" }, ring, workspaceId],
    [{ ...wrapped, kid: "k3" }, renamed, workspaceId],
    [{ ...wrapped, kid: "gone" }, ring, workspaceId],
    [{ ...wrapped, sealed }, ring, workspaceId],
  ];
  for (const [used, usedRing, usedWorkspace] of attempts) {
    await assertRejects(
      () => unwrapDataKey(used, { ring: usedRing, workspaceId: usedWorkspace }),
      SealBroken,
      "A sealed value does not open",
    );
  }
});

Deno.test("rewrapDataKey() moves a data key to a new master key and its values still open", async () => {
  const old = generateKeyRing("k1");
  const fresh = generateKeyRing("k2");
  const { key, wrapped } = await createDataKey(await ringOf(old), workspaceId);
  const sealed = await sealValue("canary-credential", { key, place });

  const both = await ringOf(`${fresh},${old}`);
  const rewrapped = await rewrapDataKey(wrapped, { ring: both, workspaceId });
  assertEquals(rewrapped.kid, "k2");
  assertEquals(await rewrapDataKey(rewrapped, { ring: both, workspaceId }), rewrapped);

  const after = await unwrapDataKey(rewrapped, { ring: await ringOf(fresh), workspaceId });
  assertEquals(await openValue(sealed, { key: after, place }), "canary-credential");
  await assertRejects(() => rewrapDataKey(wrapped, { ring: both, workspaceId: "another" }), SealBroken);
});

async function ringOf(text: string): Promise<KeyRing> {
  const ring = await readKeyRing(text);
  assert(ring.ok && ring.value);
  return ring.value;
}
