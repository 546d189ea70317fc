/** Where the runner prints to, whatever becomes of the reader or of the disk behind it. */

import process from "node:process";
import { codeOf, systemWords } from "./system-error.ts";

/** Standard output for the length of a run. */
export interface Output {
  /** Prints `text`, or nothing more once printing has failed. Never throws; what is asked for is done all the same. */
  write(text: string): Promise<void>;
  /** Why not everything could be printed; `null` when it could, or when the reader had seen enough and left. */
  failure(): string | null;
}

/** Opens standard output. A reader that leaves early, such as `head`, is no failure and stops nothing. */
export function openOutput(): Output {
  let ended = false;
  let failure: string | null = null;
  // The same failures reach `write` below; unheard here they would end the program in the middle of its work.
  process.stdout.on("error", () => {});
  return {
    async write(text) {
      if (ended) return;
      try {
        await new Promise<void>((resolve, reject) => {
          process.stdout.write(text, (error) => error ? reject(error) : resolve());
        });
      } catch (error) {
        ended = true;
        if (codeOf(error) !== "EPIPE") failure = systemWords(error);
      }
    },
    failure: () => failure,
  };
}

/** Says `text` on standard error, where it can be said. */
export function sayAside(text: string): void {
  process.stderr.on("error", () => {});
  try {
    process.stderr.write(text);
  } catch {
    // There is nobody left to tell; the exit code says the rest.
  }
}
