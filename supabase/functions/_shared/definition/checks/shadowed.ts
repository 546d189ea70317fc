/** Which examples can never answer, because an earlier one is a part of them. Pure. */

import { canonicalJson } from "../canonical-json.ts";
import { isJsonObject, type JsonObject } from "../json.ts";

/** Comparisons of single leaves in all; ordinary files of the largest size need a hundredth. */
const MAX_STEPS = 500_000;

export interface Shadowed {
  /** From the place of an example to that of the first earlier one which answers it. */
  readonly shadowed: ReadonlyMap<number, number>;
  /** Whether all were compared within the steps allowed. */
  readonly complete: boolean;
  /** Comparisons of single leaves that were made. */
  readonly steps: number;
}

/**
 * The examples that an earlier one is a subset of; `null` stands for a fixture without an example.
 *
 * An example is a subset of another when all its leaves are among the other's, so each is filed under its rarest
 * leaf and compared only with those that have it. The work is counted and stops at a limit, not at a time.
 */
export function findShadowed(examples: readonly (JsonObject | null)[]): Shadowed {
  const leaves = leavesOfAll(examples);
  const frequency = countLeaves(leaves);
  const shadowed = new Map<number, number>();
  /** Places by the rarest leaf there; under `""` those of examples that ask for nothing. */
  const filed = new Map<string, number[]>();
  let steps = 0;
  for (const [at, own] of leaves.entries()) {
    if (own === null) continue;
    let first = Infinity;
    for (const leaf of ["", ...own]) {
      for (const candidate of filed.get(leaf) ?? []) {
        if (candidate >= first) break;
        const part = leaves[candidate]!;
        steps++;
        let all = part.size <= own.size;
        for (const one of part) {
          if (!all) break;
          steps++;
          all = own.has(one);
        }
        if (steps > MAX_STEPS) return { shadowed, complete: false, steps };
        if (all) first = candidate;
      }
    }
    if (first !== Infinity) shadowed.set(at, first);
    const rarest = rarestOf(own, frequency);
    const others = filed.get(rarest);
    if (others === undefined) filed.set(rarest, [at]);
    else others.push(at);
  }
  return { shadowed, complete: true, steps };
}

function countLeaves(leaves: readonly (ReadonlySet<string> | null)[]): ReadonlyMap<string, number> {
  const frequency = new Map<string, number>();
  for (const own of leaves) {
    for (const leaf of own ?? []) frequency.set(leaf, (frequency.get(leaf) ?? 0) + 1);
  }
  return frequency;
}

function rarestOf(own: ReadonlySet<string>, frequency: ReadonlyMap<string, number>): string {
  let rarest = "";
  for (const leaf of own) {
    if (rarest === "" || frequency.get(leaf)! < frequency.get(rarest)!) rarest = leaf;
  }
  return rarest;
}

/**
 * Of each example every path with its value as one text. A nested object is a leaf too: `{a: {}}` is no part of
 * `{a: 1}`. Where a leaf stands is told by a number, so that a long key is not written out for each leaf below it.
 */
function leavesOfAll(examples: readonly (JsonObject | null)[]): (ReadonlySet<string> | null)[] {
  const places = new Map<string, number>();
  const collect = (value: JsonObject, place: number, leaves: Set<string>): Set<string> => {
    for (const [key, member] of Object.entries(value)) {
      const name = `${place}${JSON.stringify(key)}`;
      leaves.add(isJsonObject(member) ? `${name}{` : `${name}:${canonicalJson(member)}`);
      if (!isJsonObject(member)) continue;
      if (!places.has(name)) places.set(name, places.size + 1);
      collect(member, places.get(name)!, leaves);
    }
    return leaves;
  };
  return examples.map((example) => example === null ? null : collect(example, 0, new Set()));
}
