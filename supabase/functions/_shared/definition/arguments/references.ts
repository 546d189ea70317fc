/**
 * `$ref` inside one schema: resolved, shown to lead nowhere twice, and bounded in what it unfolds to. Pure.
 */

import type { Path, Problem } from "../problem.ts";
import { ANNOTATIONS } from "./keywords.ts";
import { MAX_UNFOLDED } from "./limits.ts";
import { childrenOf, type SchemaNode } from "./node.ts";
import { placeKey, type SchemaReading } from "./reader.ts";
import { count, quote } from "../words.ts";

/**
 * Sets the target of every `$ref` of the schema that was read and returns what is wrong: one that does not name a
 * subschema by a JSON pointer (RFC 6901, as a fragment), one that leads back to itself, references that unfold to
 * more than {@link MAX_UNFOLDED} subschemas. A schema without problems is a finite tree once unfolded.
 */
export function resolveReferences({ dialect, root, places }: SchemaReading): Problem[] {
  const problems: Problem[] = [];
  for (const node of places.values()) {
    const reference = node.schema.$ref;
    if (typeof reference !== "string") continue;
    const path = [...node.path, "$ref"];
    const found = findTarget(reference, places);
    if ("refused" in found) problems.push({ path, says: found.refused });
    else node.target = found.target;
    if (dialect === "draft-07") problems.push(...besideReference(node));
  }
  const circles = findCircles(places.values());
  for (const { path, reference } of circles) {
    const says = `leads back to itself: ${
      quote(reference)
    } holds this very reference; a schema cannot be recursive`;
    problems.push({ path, says });
  }
  if (circles.length === 0 && unfoldedSize(root) > MAX_UNFOLDED) {
    const says =
      `unfolds to more than ${count(MAX_UNFOLDED, "subschema")} when each \`$ref\` is replaced by what ` +
      "it names; refer to the same subschema less often";
    problems.push({ path: root.path, says });
  }
  return problems;
}

function findTarget(
  reference: string,
  places: ReadonlyMap<string, SchemaNode>,
): { target: SchemaNode } | { refused: string } {
  const wanted = "a place inside this schema such as `#/$defs/address` is wanted";
  if (reference !== "#" && !reference.startsWith("#/")) {
    return { refused: `found ${quote(reference)}; ${wanted}; nothing else is fetched or looked up` };
  }
  const tokens = pointerTokens(reference);
  if (tokens === null) return { refused: `found ${quote(reference)}, which is no JSON pointer; ${wanted}` };
  const target = places.get(placeKey(tokens));
  return target === undefined
    ? { refused: `found ${quote(reference)}, where no subschema stands; ${wanted}` }
    : { target };
}

function pointerTokens(reference: string): string[] | null {
  let pointer: string;
  try {
    pointer = decodeURIComponent(reference.slice(1));
  } catch {
    return null;
  }
  if (/~(?![01])/.test(pointer)) return null;
  return pointer.split("/").slice(1).map((token) => token.replaceAll("~1", "/").replaceAll("~0", "~"));
}

/** Draft-07 ignores what stands beside `$ref`; rather than guess, whatever would be ignored is a problem. */
function besideReference(node: SchemaNode): Problem[] {
  return Object.keys(node.schema)
    .filter((keyword) => keyword !== "$ref" && !ANNOTATIONS.has(keyword))
    .map((keyword) => ({
      path: [...node.path, keyword],
      says: "stands beside `$ref`, where draft-07 ignores it; name 2020-12 in `$schema`, or use `allOf`",
    }));
}

/** Every reference that closes a circle, found depth first; the tree without references has none. */
function findCircles(nodes: Iterable<SchemaNode>): { path: Path; reference: string }[] {
  const circles: { path: Path; reference: string }[] = [];
  const state = new Map<SchemaNode, "open" | "done">();
  // Recursion is bounded by the number of subschemas, which is bounded.
  function visit(node: SchemaNode): void {
    state.set(node, "open");
    for (const child of childrenOf(node)) {
      const seen = state.get(child);
      if (seen === undefined) visit(child);
      else if (seen === "open") {
        circles.push({ path: [...node.path, "$ref"], reference: node.schema.$ref as string });
      }
    }
    state.set(node, "done");
  }
  for (const node of nodes) if (!state.has(node)) visit(node);
  return circles;
}

/** How many subschemas the evaluation of `root` may meet on one way down, each as often as it is referred to. */
function unfoldedSize(root: SchemaNode): number {
  const sizes = new Map<SchemaNode, number>();
  function sizeOf(node: SchemaNode): number {
    let size = sizes.get(node);
    if (size === undefined) {
      size = childrenOf(node).reduce((sum, child) => sum + sizeOf(child), 1);
      sizes.set(node, size);
    }
    return size;
  }
  return sizeOf(root);
}
