/**
 * How many bytes of long answers the process holds at once: an answer that grows long waits, unread, until there is room
 * for the rest of it, and keeps its room until its call has ended. Short ones are not counted.
 */

import type { Grow } from "./decode.ts";
import { Refused } from "./exchange.ts";
import { tooManyLong } from "./failure.ts";
import { createTurns, type GiveBack, type Turn } from "./turns.ts";

/** From here on an answer is long. */
export const LONG_ANSWER_BYTES = 256 * 1024;
const KIB = 1024;
/**
 * In KiB. What is parsed and written as JSON once more takes about four times its bytes, and a function of the platform
 * has 256 MiB for everything.
 */
const ROOM = { atOnce: { all: 24 * KIB, each: 16 * KIB }, waiting: { all: 128, each: 64 } };

/** The room one answer may come to need. */
export interface AnswerRoom {
  /** The whole length, where the head of the answer says it. Not said, it is taken to be the most it may be. */
  expect(bytes: number): void;
  /** Rejects with a `Refused` when too many wait already, and with the signal's reason. */
  readonly grow: Grow;
  giveBack(): void;
}

/** Makes the room of one answer of at most `maxBytes`. */
export type FindRoom = (turn: Omit<Turn, "size"> & { readonly maxBytes: number }) => AnswerRoom;

/** Room none of which is taken. */
export function createLongAnswers(): FindRoom {
  const turns = createTurns(ROOM);

  return ({ maxBytes, ...turn }) => {
    let expected = maxBytes;
    let asked = false;
    let isOver = false;
    let held: GiveBack | null = null;

    async function take(): Promise<void> {
      const size = Math.min(Math.ceil(expected / KIB), ROOM.atOnce.each);
      const giveBack = await turns.take("long answers", { ...turn, size });
      if (giveBack === null) throw new Refused(tooManyLong());
      if (isOver) giveBack();
      else held = giveBack;
    }

    return {
      expect: (bytes) => void (expected = Math.min(bytes, maxBytes)),
      grow(bytes) {
        if (asked || bytes <= LONG_ANSWER_BYTES) return null;
        asked = true;
        return take();
      },
      giveBack() {
        isOver = true;
        held?.();
      },
    };
  };
}
