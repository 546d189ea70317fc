/** Places in a file: the order in which its problems are told, and which places have been told of. Pure. */

import { isJsonObject, type JsonValue } from "../json.ts";
import type { Path, Problem } from "../problem.ts";

/** The problems in the order in which their places stand in `file`; what is missing comes after its siblings. */
export function sortProblems(problems: readonly Problem[], file: JsonValue | undefined): Problem[] {
  const places = new Map<object, Map<string, number>>();
  const ranked = problems.map((problem) => ({ problem, rank: rankOf(problem, file, places) }));
  ranked.sort((a, b) => compareRanks(a.rank, b.rank));
  return ranked.map(({ problem }) => problem);
}

/** Where each step of the path stands among its siblings. */
function rankOf(
  { path }: Problem,
  file: JsonValue | undefined,
  places: Map<object, Map<string, number>>,
): number[] {
  let at: JsonValue | undefined = file;
  return path.map((step) => {
    if (typeof step === "number") {
      at = Array.isArray(at) ? at[step] : undefined;
      return step;
    }
    if (!isJsonObject(at)) return Infinity;
    let keys = places.get(at);
    if (keys === undefined) places.set(at, keys = new Map(Object.keys(at).map((key, place) => [key, place])));
    const place = keys.get(step);
    at = place === undefined ? undefined : at[step];
    return place ?? Infinity;
  });
}

function compareRanks(a: readonly number[], b: readonly number[]): number {
  for (let at = 0; at < Math.min(a.length, b.length); at++) {
    if (a[at] !== b[at]) return a[at]! < b[at]! ? -1 : 1;
  }
  return a.length - b.length;
}

/** A set of places. A key is only ever looked up, however long it is and however many places lie below it. */
export class Places {
  readonly #root: PlaceNode = { here: false, below: new Map() };

  constructor(paths: Iterable<Path>) {
    for (const path of paths) {
      let node = this.#root;
      for (const step of path) {
        let next = node.below.get(step);
        if (next === undefined) node.below.set(step, next = { here: false, below: new Map() });
        node = next;
      }
      node.here = true;
    }
  }

  has(path: Path): boolean {
    let node: PlaceNode | undefined = this.#root;
    for (const step of path) node = node?.below.get(step);
    return node?.here ?? false;
  }
}

interface PlaceNode {
  here: boolean;
  readonly below: Map<string | number, PlaceNode>;
}
