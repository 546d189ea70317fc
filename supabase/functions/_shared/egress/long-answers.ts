/**
 * How much of long answers the process holds at once, in bytes and in values: an answer that grows long waits, unread,
 * until there is room for the rest of it, one of many values waits before it is taken apart, and both keep their room
 * until their call has ended. What is short and has few values is not counted.
 */

import type { Grow } from "./decode.ts";
import { Refused } from "./exchange.ts";
import { tooManyLong } from "./failure.ts";
import { createTurns, type GiveBack, type Room, type Turn } from "./turns.ts";

/** From here on an answer is long. */
export const LONG_ANSWER_BYTES = 256 * 1024;
const KIB = 1024;
/**
 * In KiB. What is parsed and written as JSON once more takes about four times its bytes beside what its values take, and
 * a function of the platform has 256 MiB for everything.
 */
const BYTES_ROOM: Room = { atOnce: { all: 24 * KIB, each: 16 * KIB }, waiting: { all: 128, each: 64 } };

/** Beyond so many values an answer counts, however short. */
const MANY_VALUES = 10_000;
/** What has more is refused as soon as it is looked at (`MAX_ANSWER_VALUES`), or is one text. */
export const MOST_VALUES = 200_000;
const THOUSAND = 1_000;
/** In thousands. A value takes 20 to 110 bytes beside those of its texts: an object with a key of its own the most. */
const VALUES_ROOM: Room = { atOnce: { all: 600, each: 400 }, waiting: { all: 128, each: 64 } };

/** The room one answer may come to need. */
export interface AnswerRoom {
  /** The whole length, where the head of the answer says it. Not said, it is taken to be the most it may be. */
  expect(bytes: number): void;
  /** Rejects with a `Refused` when too many wait already, and with the signal's reason. */
  readonly grow: Grow;
  /** What to wait for before the whole answer is taken apart; null where nothing is. Rejects as `grow` does. */
  open(body: Uint8Array): Promise<void> | null;
  giveBack(): void;
}

/** Makes the room of one answer of at most `maxBytes`. */
export type FindRoom = (turn: Omit<Turn, "size"> & { readonly maxBytes: number }) => AnswerRoom;

/** Room none of which is taken. Who holds some of the second never waits for the first, so nobody waits in a circle. */
export function createLongAnswers(): FindRoom {
  const ofBytes = createTurns(BYTES_ROOM);
  const ofValues = createTurns(VALUES_ROOM);

  return ({ maxBytes, ...turn }) => {
    let expected = maxBytes;
    let asked = false;
    let isOver = false;
    const held: GiveBack[] = [];

    async function take(turns: typeof ofBytes, size: number): Promise<void> {
      const giveBack = await turns.take("long answers", { ...turn, size });
      if (giveBack === null) throw new Refused(tooManyLong());
      if (isOver) giveBack();
      else held.push(giveBack);
    }

    return {
      expect: (bytes) => void (expected = Math.min(bytes, maxBytes)),
      grow(bytes) {
        if (asked || bytes <= LONG_ANSWER_BYTES) return null;
        asked = true;
        return take(ofBytes, Math.min(Math.ceil(expected / KIB), BYTES_ROOM.atOnce.each));
      },
      open(body) {
        const values = mostValues(body);
        return values <= MANY_VALUES ? null : take(ofValues, Math.ceil(values / THOUSAND));
      },
      giveBack() {
        isOver = true;
        for (const giveBack of held) giveBack();
      },
    };
  };
}

/** What may stand before a value in JSON, CSV or lines of either; line ends and tabs are the layout of JSON too. */
const SEPARATOR = 1;
const LAYOUT = 2;
const KINDS = new Uint8Array(256);
for (const char of ",;[{") KINDS[char.charCodeAt(0)] = SEPARATOR;
for (const char of "\t\n") KINDS[char.charCodeAt(0)] = LAYOUT;
const BLANK = 0x20;

/**
 * As many values as `body` may stand for, up to 200,000: one after each separator, wherever that stands. Layout counts
 * where a value ended, as it does in CSV, and not after a separator or a blank.
 */
function mostValues(body: Uint8Array): number {
  if (body.length <= MANY_VALUES) return 1;
  let values = 1;
  let before = BLANK;
  for (let at = 0; at < body.length && values < MOST_VALUES; at++) {
    const byte = body[at]!;
    const kind = KINDS[byte];
    if (kind === SEPARATOR || (kind === LAYOUT && before > BLANK && KINDS[before] !== SEPARATOR)) values++;
    before = byte;
  }
  return values;
}
