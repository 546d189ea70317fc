/** Numbers that look random and come again with the same seed. Pure. */

/** Draws from one seed. */
export interface Random {
  /** From 0, below 1. */
  next(): number;
  /** A whole number from `least` to `most`, both among them. */
  whole(least: number, most: number): number;
  /** True as often as `chance` (0 to 1) says. */
  happens(chance: number): boolean;
  pick<T>(items: readonly T[]): T;
}

/** The same draws for the same text. */
export function createRandom(seed: string): Random {
  let state = hashOf(seed);
  const next = () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const whole = (least: number, most: number) => least + Math.floor(next() * (most - least + 1));
  return {
    next,
    whole,
    happens: (chance) => next() < chance,
    pick: (items) => items[whole(0, items.length - 1)]!,
  };
}

/** FNV-1a. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (const char of text) hash = Math.imul(hash ^ char.codePointAt(0)!, 0x01000193);
  return hash | 0;
}
