/** Where in the text the lines that the check tells belong: `request.url: …` stands at that value, or where it is missing. Pure. */

import { memberOf, type OutlineNode, outlineOf } from "./outline.ts";

/** A problem, with the part of the text that it is about. */
export interface PlacedProblem {
  /** As it is told: place, colon, words. */
  readonly line: string;
  /** The place by itself, `file` for the text as a whole. */
  readonly path: string;
  readonly says: string;
  readonly from: number;
  readonly to: number;
}

/** What the parser says of a place it names itself. */
const NAMED_PLACE = /(?:\bat|\(again at) line (\d+), column (\d+)/;

/** The problems at their places in `text`, in the order they are told. */
export function placeProblems(text: string, lines: readonly string[]): PlacedProblem[] {
  if (lines.length === 0) return [];
  const root = outlineOf(text);
  let starts: number[] | null = null;
  return lines.map((line) => {
    const found = walk(root, line);
    const named = found.path === "file" || found.says.startsWith("the key is given more than once")
      ? NAMED_PLACE.exec(found.says)
      : null;
    if (named === null) return { line, ...found };
    starts ??= lineStarts(text);
    const from = Math.min((starts[Number(named[1]) - 1] ?? 0) + Number(named[2]) - 1, text.length);
    return { line, ...found, from, to: Math.min(from + 1, text.length) };
  });
}

/** Follows the path at the head of `line` as far as the text has it. */
function walk(root: OutlineNode | null, line: string): Omit<PlacedProblem, "line"> {
  const bare = /^file: ([^]*)$/.exec(line);
  if (bare !== null && memberOf(root, "file") === undefined) {
    return { path: "file", says: bare[1]!, from: root?.from ?? 0, to: headOf(root) };
  }
  let [node, at] = [root, 0];
  for (;;) {
    const step = node === null ? null : stepFrom(node, { line, at });
    if (step === null) break;
    [node, at] = [step.node, step.at];
  }
  // What is told of a key that the text lacks stands at the object that lacks it.
  const rest = line.slice(at);
  const end = at + (rest.startsWith(": ") ? 0 : Math.max(rest.indexOf(": "), 0));
  const isWhole = rest.startsWith(": ");
  const [from, to] = node === null
    ? [0, 0]
    : isWhole
    ? [spanFrom(node), spanTo(node)]
    : [spanFrom(node), headOf(node)];
  return { path: line.slice(0, end), says: line.slice(end + 2), from, to };
}

/** The child whose step stands at `at` in the line, and where the line goes on behind it. */
function stepFrom(
  node: OutlineNode,
  { line, at }: { line: string; at: number },
): { node: OutlineNode; at: number } | null {
  const ends = (to: number) => line.startsWith(": ", to) || /^[.[…]/.test(line.slice(to, to + 1));
  if (node.type === "list") {
    const index = /^\[(\d+)\]/.exec(line.slice(at, at + 12));
    const child = index === null ? undefined : node.children[Number(index[1])];
    return child !== undefined && ends(at + index![0].length)
      ? { node: child, at: at + index![0].length }
      : null;
  }
  let found: { node: OutlineNode; at: number } | null = null;
  for (const child of node.children) {
    if (child.key === null) continue;
    const step = stepOf(child.key.name, at === 0);
    const to = at + step.length;
    if (line.startsWith(step, at) && ends(to) && to >= (found?.at ?? 0)) found = { node: child, at: to };
  }
  return found;
}

/** A key as the check writes it in a path. */
function stepOf(key: string, isFirst: boolean): string {
  if (key.length > 200) return "[a long key]";
  const points = [...key];
  if (/^[A-Za-z_$][A-Za-z0-9_$]*$/.test(key) && points.length <= 64) return isFirst ? key : `.${key}`;
  return `[${JSON.stringify(points.length > 64 ? `${points.slice(0, 64).join("")}…` : key)}]`;
}

function spanFrom({ key, from }: OutlineNode): number {
  return key?.from ?? from;
}

/** The whole of a short value, the head of one that holds others: a mark over half the file marks nothing. */
function spanTo(node: OutlineNode): number {
  return node.type === "object" || node.type === "list" ? headOf(node) : Math.max(node.to, node.key?.to ?? 0);
}

function headOf(node: OutlineNode | null): number {
  if (node === null) return 0;
  return node.key?.to ?? Math.min(node.from + 1, node.to);
}

function lineStarts(text: string): number[] {
  return [0, ...[...text.matchAll(/\n/g)].map(({ index }) => index + 1)];
}
