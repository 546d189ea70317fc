/** Texts that are not to be carried into something that is kept or shown: a file's bytes, a credential. Pure. */

import { looksLikeCredential } from "./credentials.ts";

/** Of base64 in one run, in characters; a longer one is a file. */
const MAX_BASE64 = 1024;
/** A line of base64 as mail and PEM break it. */
const MIN_BROKEN_LINE = 60;
const DATA_URL = /(?<![a-z0-9])data:[^\s,]{0,256},/i;
const BASE64 = /[A-Za-z0-9+/_-]+={0,2}/g;

/** Whether `text` holds a file's bytes or something shaped like a credential. Linear in it. */
export function isLeaky(text: string): boolean {
  return holdsFile(text) || looksLikeCredential(text);
}

/**
 * Whether `text` holds a file's bytes: a `data:` URL, or more than 1 KiB of base64 in one run, also in its URL-safe
 * letters and broken into lines of 60 characters and more. Linear in it.
 */
export function holdsFile(text: string): boolean {
  return DATA_URL.test(text) || holdsBase64(text);
}

function holdsBase64(text: string): boolean {
  if (text.length <= MAX_BASE64) return false;
  let run = 0;
  let end = -1;
  for (const { 0: piece, index } of text.matchAll(BASE64)) {
    const between = end === -1 ? null : text.slice(end, Math.min(index, end + 3));
    const goesOn = (between === "\n" || between === "\r\n") && run >= MIN_BROKEN_LINE;
    run = goesOn ? run + piece.length : piece.length;
    if (run > MAX_BASE64) return true;
    // A line that is too short to be broken base64 ends the run.
    if (piece.length < MIN_BROKEN_LINE) run = 0;
    end = index + piece.length;
  }
  return false;
}
