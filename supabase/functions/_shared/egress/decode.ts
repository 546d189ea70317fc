/**
 * Undoes the Content-Encoding of an answer, counting what comes out while it comes out: a small body that unpacks to
 * a huge one is cut at the limit. Works on bytes it is given; no connection.
 */

import type { Transform } from "node:stream";
import { createGunzip, createInflate, createInflateRaw } from "node:zlib";

/**
 * The encodings an answer may come in. Sent as Accept-Encoding. Brotli is not among them: the decoder of Deno 2.1.4
 * does not notice a body that ends too early and never frees the memory of one that is invalid.
 */
export const ACCEPTED_ENCODINGS = "gzip, deflate";
/** One of them; `identity` is no encoding at all. */
export type ContentEncoding = "identity" | "gzip" | "deflate";

/** What to wait for before an answer of more than `bytes` is read on; null where nothing is to be waited for. */
export type Grow = (bytes: number) => Promise<void> | null;

/** What a Content-Encoding header says, or null when it is not exactly one of the encodings that were asked for. */
export function readContentEncoding(header: string | null): ContentEncoding | null {
  switch (header?.trim().toLowerCase() ?? "") {
    case "":
    case "identity":
      return "identity";
    case "gzip":
    case "x-gzip":
      return "gzip";
    case "deflate":
      return "deflate";
    default:
      return null;
  }
}

/**
 * The body with its encoding undone, at most `maxBytes`; `too_large` when there would be more, `unreadable` when it is
 * not what the encoding says it is, or ends too early. `grow` sees the length so far: nothing more comes out until what it
 * returns has come about, and a rejection is passed on.
 */
export function decodeBody(
  body: Uint8Array,
  { encoding, maxBytes, grow = () => null }: { encoding: ContentEncoding; maxBytes: number; grow?: Grow },
): Promise<Uint8Array | "too_large" | "unreadable"> {
  if (encoding === "identity" || body.length === 0) {
    return Promise.resolve(body.length > maxBytes ? "too_large" : body);
  }
  return unpack(body, { decoder: createDecoder(encoding, body), maxBytes, grow });
}

function createDecoder(encoding: Exclude<ContentEncoding, "identity">, body: Uint8Array): Transform {
  switch (encoding) {
    case "gzip":
      return createGunzip();
    case "deflate":
      // Meant is the zlib format (RFC 9110 §8.4.1.2); some servers send the bare stream without its header.
      return hasZlibHeader(body) ? createInflate() : createInflateRaw();
  }
}

function hasZlibHeader(body: Uint8Array): boolean {
  const [first = 0, second = 0] = body;
  return (first & 0x0f) === 8 && (first * 256 + second) % 31 === 0;
}

/** What `decoder` makes of all of `body`, as `decodeBody` tells it; the decoder is ended with that, whatever is left in it. */
export function unpack(
  body: Uint8Array,
  { decoder, maxBytes, grow }: { decoder: Transform; maxBytes: number; grow: Grow },
): Promise<Uint8Array | "too_large" | "unreadable"> {
  return new Promise((resolve, reject) => {
    const chunks: Uint8Array[] = [];
    let length = 0;
    const settle = (outcome: Uint8Array | "too_large" | "unreadable") => {
      decoder.destroy();
      resolve(outcome);
    };
    decoder.on("data", (chunk: Uint8Array) => {
      length += chunk.length;
      if (length > maxBytes) return settle("too_large");
      chunks.push(chunk);
      const room = grow(length);
      if (room === null) return;
      decoder.pause();
      room.then(() => decoder.resume(), (reason) => {
        decoder.destroy();
        reject(reason);
      });
    });
    decoder.on("error", () => settle("unreadable"));
    decoder.on("end", () => settle(concatBytes(chunks, length)));
    decoder.end(body);
  });
}

/** One array of all chunks, which are `length` bytes together. */
export function concatBytes(chunks: readonly Uint8Array[], length: number): Uint8Array {
  const bytes = new Uint8Array(length);
  let at = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, at);
    at += chunk.length;
  }
  return bytes;
}
