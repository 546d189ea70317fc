/** Text in which credentials are still missing, and how each is encoded when it is put there. Pure. */

import type { CredentialKey } from "../credentials.ts";

/** Where a credential stands decides how it is encoded and what it may hold. */
export type Place = "path" | "query" | "header" | "json" | "form";

export interface Hole {
  readonly key: CredentialKey;
  readonly base64: boolean;
  readonly place: Place;
}

/** Ready text and holes, in order. */
export type HoledText = readonly (string | Hole)[];

/** The text with each hole filled by `place`, once: what comes out of `place` is not looked at again. */
export function fillHoles(text: HoledText, place: (hole: Hole) => string): string {
  return text.map((part) => typeof part === "string" ? part : place(part)).join("");
}

/** The text with a stand-in that is harmless in every place, for checks before a credential is known. */
export function withStandIns(text: HoledText): string {
  return fillHoles(text, () => "x");
}

/** `text` in percent-encoding, only the unreserved characters of RFC 3986 left as they are. */
export function percentEncode(text: string): string {
  return encodeURIComponent(text).replace(
    /[!'()*]/g,
    (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

/** `text` as a form field is written, by the WHATWG serializer. */
export function formEncode(text: string): string {
  return new URLSearchParams([["", text]]).toString().slice(1);
}

/** `text` as it stands between the quotes of a JSON string. */
export function jsonEncode(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}

/** Characters a header value may hold: printable ASCII. Source: RFC 9110 §5.5, without its obsolete part. */
export function isHeaderText(text: string): boolean {
  return /^[\x20-\x7e]*$/.test(text);
}

/** Pieces of a path that a server could take for a step to another folder, or that leave a gap. */
export function isDotPiece(text: string): boolean {
  return text === "" || /^(?:\.|%2e){1,2}$/i.test(text);
}

/**
 * The credential `value` as it stands in `hole`, or what is wrong with it in words that do not repeat it: in a
 * header it has to be printable ASCII without blanks around it, in a path no step to another folder, nowhere a lone
 * surrogate.
 */
export function encodeCredential(
  value: string,
  { base64, place }: Hole,
): { ok: true; text: string } | { ok: false; says: string } {
  if (!value.isWellFormed()) return { ok: false, says: "holds half of a surrogate pair" };
  const text = base64 ? toBase64(value) : value;
  switch (place) {
    case "path":
      if (isDotPiece(text)) return { ok: false, says: "is empty, . or .., which has no place in a path" };
      return { ok: true, text: percentEncode(text) };
    case "query":
      return { ok: true, text: percentEncode(text) };
    case "header":
      if (!isHeaderText(text)) {
        return { ok: false, says: "holds a line break or another character a header cannot carry" };
      }
      if (text !== text.trim()) return { ok: false, says: "starts or ends with a blank" };
      return { ok: true, text };
    case "json":
      return { ok: true, text: jsonEncode(text) };
    case "form":
      return { ok: true, text: formEncode(text) };
    default:
      return place satisfies never;
  }
}

function toBase64(text: string): string {
  return btoa(Array.from(new TextEncoder().encode(text), (byte) => String.fromCharCode(byte)).join(""));
}
