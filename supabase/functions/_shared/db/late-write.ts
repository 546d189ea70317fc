/**
 * Lets postgres.js hand its bytes to the socket at once. It puts that off to an immediate of its own (`nextWrite`), and where
 * the connection ends in between, that immediate is cleared and stays noted: on the next connection nothing small is ever
 * sent, so that it times out, again and again. And a cleared immediate of the batch that is running fires all the same (Deno
 * 2.1.4 always, 2.9.6 seldom): it then writes to a socket that is gone, and what is thrown out of a timer ends the process,
 * with every call that is under way. It happens where a database dies under load.
 */

import { Socket } from "node:net";
import { setImmediate } from "node:timers";

/** How long a write that found no socket waits for the next one, in milliseconds. */
const TRIED_AGAIN_AFTER_MS = 100;

/**
 * From now on an immediate by the name of `nextWrite` runs at once, in every package of this process; all others as before.
 * And every socket passes over `null`, TLS ones too: what an immediate from before may yet write.
 */
export function ignoreLateWrites(): void {
  // deno-lint-ignore no-explicit-any
  const { write } = Socket.prototype as any;
  // deno-lint-ignore no-explicit-any
  (Socket.prototype as any).write = function writeUnlessLate(
    this: Socket,
    chunk: unknown,
    ...rest: unknown[]
  ) {
    return chunk === null ? true : write.call(this, chunk, ...rest);
  };
  Object.assign(globalThis, { setImmediate: setImmediateUnlessWrite });
}

// deno-lint-ignore no-explicit-any
function setImmediateUnlessWrite(callback: (...args: any[]) => void, ...args: unknown[]): unknown {
  return callback.name === "nextWrite" ? writeNow(callback) : setImmediate(callback, ...args);
}

/** Null where it was written: nothing is left to be cleared. Else what stands for an immediate that is over. */
function writeNow(nextWrite: () => void): unknown {
  try {
    nextWrite();
    return null;
  } catch (error) {
    // Without a socket. What is held goes to the next one, which the server closes for it, and the one after is clean.
    if (!(error instanceof TypeError)) throw error;
    const timer = setTimeout(() => writeNow(nextWrite), TRIED_AGAIN_AFTER_MS);
    Deno.unrefTimer(timer);
    return { _destroyed: true };
  }
}
