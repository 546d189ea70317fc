/** The text in an answer's bytes, and what its Content-Type says it is. Pure. */

/** What a Content-Type says. */
export interface ContentType {
  /** Lower case, without parameters; empty where the header is missing or says nothing that can be read. */
  readonly type: string;
  readonly parameters: ReadonlyMap<string, string>;
}

/** Reads a Content-Type header, which another system wrote: what is longer than a type ever is counts as not said. */
export function readContentType(header: string | null): ContentType {
  const [type = "", ...rest] = (header ?? "").slice(0, 400).toLowerCase().split(";").map((part) =>
    part.trim()
  );
  const parameters = rest.flatMap((part): [string, string][] => {
    const at = part.indexOf("=");
    return at < 0 ? [] : [[part.slice(0, at).trim(), part.slice(at + 1).trim().replaceAll('"', "")]];
  });
  return {
    type: /^[\w.+-]{1,80}\/[\w.+-]{1,80}$/.test(type) ? type : "",
    parameters: new Map(parameters),
  };
}

/** The text, or what about its bytes cannot be read. */
export type Decoded = { readonly ok: true; readonly text: string } | {
  readonly ok: false;
  readonly says: string;
};

/**
 * The text of `body`: in the encoding its byte order mark says, else in the one its `charset` says, else in UTF-8.
 * Nothing is guessed and nothing is replaced: bytes that do not belong to the encoding make the whole unreadable.
 */
export function decodeText(body: Uint8Array, { parameters }: ContentType): Decoded {
  const declared = parameters.get("charset") ?? "";
  const charset = charsetOfMark(body) ?? (declared === "" ? "utf-8" : declared);
  let decoder: TextDecoder;
  try {
    decoder = new TextDecoder(charset, { fatal: true });
  } catch {
    const named = /^[\w.:-]{1,40}$/.test(charset) ? ` ${charset}` : "";
    return { ok: false, says: `It says its answer is in the charset${named}, which cannot be read here.` };
  }
  try {
    return { ok: true, text: decoder.decode(body) };
  } catch {
    return { ok: false, says: `Its answer holds bytes that are not ${decoder.encoding} text.` };
  }
}

function charsetOfMark([first, second]: Uint8Array): string | null {
  if (first === 0xff && second === 0xfe) return "utf-16le";
  if (first === 0xfe && second === 0xff) return "utf-16be";
  return first === 0xef && second === 0xbb ? "utf-8" : null;
}
