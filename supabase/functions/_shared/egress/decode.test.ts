import type { Transform } from "node:stream";
import {
  createGunzip,
  createInflate,
  createInflateRaw,
  deflateRawSync,
  deflateSync,
  gzipSync,
} from "node:zlib";
import { assert, assertEquals } from "@std/assert";
import { type ContentEncoding, decodeBody, readContentEncoding, unpack } from "./decode.ts";

type Packer = (bytes: Uint8Array) => Uint8Array;

const PACKERS: [name: string, encoding: ContentEncoding, pack: Packer][] = [
  ["gzip", "gzip", gzipSync],
  ["zlib", "deflate", deflateSync],
  ["bare deflate", "deflate", deflateRawSync],
  ["nothing", "identity", (bytes) => bytes],
];

const TEXT = new TextEncoder().encode(
  JSON.stringify({ rows: Array.from({ length: 3000 }, (_, id) => ({ id, at: id * id })) }),
);

Deno.test("decodeBody() undoes every encoding that is asked for, up to the very byte of its limit", async () => {
  for (const [name, encoding, pack] of PACKERS) {
    const packed = pack(TEXT);
    const exactly = { encoding, maxBytes: TEXT.length };
    assertEquals(new Uint8Array(await decoded(packed, exactly)), TEXT, name);
    assertEquals(await decodeBody(packed, { encoding, maxBytes: TEXT.length - 1 }), "too_large", name);
    // A view into a larger buffer, as a connection hands them out.
    const larger = new Uint8Array(packed.length + 20).fill(0x55);
    larger.set(packed, 10);
    assertEquals(new Uint8Array(await decoded(larger.subarray(10, 10 + packed.length), exactly)), TEXT, name);
    assertEquals(await decodeBody(new Uint8Array(0), exactly), new Uint8Array(0), name);
  }
});

Deno.test("unpack() stops a decoder as soon as more came out than its limit", async () => {
  const zeros = new Uint8Array(64 * 1024 * 1024);
  const decoders: [name: string, pack: Packer, create: () => Transform][] = [
    ["gzip", gzipSync, createGunzip],
    ["zlib", deflateSync, createInflate],
    ["bare deflate", deflateRawSync, createInflateRaw],
  ];
  for (const [name, pack, create] of decoders) {
    const decoder = create();
    let unpacked = 0;
    decoder.on("data", (chunk: Uint8Array) => unpacked += chunk.length);
    const closed = new Promise((resolve) => decoder.on("close", resolve));
    const maxBytes = 64 * 1024;
    assertEquals(
      await unpack(pack(zeros), { decoder, maxBytes, grow: () => null }),
      "too_large",
      name,
    );
    await closed;
    assert(unpacked < 1024 * 1024, `${name} unpacked ${unpacked} bytes`);
  }
});

Deno.test("decodeBody() tells what is not the encoding it says it is, or ends too early", async () => {
  const noise = new TextEncoder().encode('{"rows":[{"id":1}]}');
  for (const [name, encoding, pack] of PACKERS) {
    if (encoding === "identity") continue;
    assertEquals(await decodeBody(noise, { encoding, maxBytes: 1e6 }), "unreadable", name);
    const packed = pack(TEXT);
    for (const length of [1, packed.length >> 1, packed.length - 1]) {
      assertEquals(
        await decodeBody(packed.subarray(0, length), { encoding, maxBytes: 1e6 }),
        "unreadable",
        name,
      );
    }
  }
});

Deno.test("readContentEncoding() takes exactly one encoding that was asked for", () => {
  const table: [header: string | null, encoding: ContentEncoding | null][] = [
    [null, "identity"],
    ["", "identity"],
    ["identity", "identity"],
    ["GZIP", "gzip"],
    [" x-gzip ", "gzip"],
    ["deflate", "deflate"],
    ["br", null],
    ["gzip, gzip", null],
    ["gzip,deflate", null],
    ["zstd", null],
    ["compress", null],
    ["gzip;q=1", null],
  ];
  for (const [header, encoding] of table) assertEquals(readContentEncoding(header), encoding, String(header));
});

async function decoded(body: Uint8Array, options: { encoding: ContentEncoding; maxBytes: number }) {
  const bytes = await decodeBody(body, options);
  assert(typeof bytes !== "string", String(bytes));
  return bytes;
}
