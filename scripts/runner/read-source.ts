/** Reads what the runner was named, a file or standard input, and no more of it than a file may be long. */

import { Buffer } from "node:buffer";
import { createReadStream } from "node:fs";
import { resolve } from "node:path";
import process from "node:process";
import { MAX_FILE_BYTES } from "../../supabase/functions/_shared/framed-tool.ts";
import { grouped } from "../../supabase/functions/_shared/definition/words.ts";
import { systemWords } from "./system-error.ts";

/** The bytes, or the one problem that keeps them from being checked. */
export type Source = { readonly bytes: Uint8Array } | { readonly problem: string };

/**
 * The bytes of `file`, `-` for standard input. Reading stops right behind the 256 KiB a file may have, so that a file of
 * gigabytes, or one without an end, costs no more than one that is a little too long.
 */
export async function readSource(file: string): Promise<Source> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  try {
    for await (const chunk of file === "-" ? process.stdin : createReadStream(file)) {
      chunks.push(chunk);
      length += chunk.byteLength;
      if (length > MAX_FILE_BYTES) {
        const most = grouped(MAX_FILE_BYTES);
        return { problem: `file: the text is more than ${most} bytes; at most ${most} bytes are taken` };
      }
    }
  } catch (error) {
    return { problem: `file: cannot be read: ${systemWords(error)}${file === "-" ? "" : whereLooked(file)}` };
  }
  return { bytes: Buffer.concat(chunks) };
}

function whereLooked(file: string): string {
  try {
    return `; looked at ${resolve(file)}`;
  } catch {
    return "; the folder this was called from is gone";
  }
}
