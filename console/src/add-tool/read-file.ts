/** A file from the person's machine, as text, or why it is none. */

/** Four times what a file may have: what is larger is not even shown. */
const MAX_SHOWN_BYTES = 1024 * 1024;

export type ReadFile =
  | { readonly ok: true; readonly name: string; readonly text: string }
  | { readonly ok: false; readonly name: string; readonly says: string };

export async function readFile(file: File): Promise<ReadFile> {
  const { name, size } = file;
  if (size > MAX_SHOWN_BYTES) {
    return {
      ok: false,
      name,
      says: `It has ${size.toLocaleString("en")} bytes; a file has at most 262,144.`,
    };
  }
  let bytes: ArrayBuffer;
  try {
    bytes = await file.arrayBuffer();
  } catch {
    return { ok: false, name, says: "It cannot be read. A folder is none; choose the file in it." };
  }
  try {
    // A byte order mark in front is left out, as the check lets it pass.
    return { ok: true, name, text: new TextDecoder("utf-8", { fatal: true }).decode(bytes) };
  } catch {
    return { ok: false, name, says: "It is not UTF-8 text. Save it as UTF-8, then drop it again." };
  }
}
