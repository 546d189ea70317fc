/** A file as it is read best: one thing a line, and the same file. Pure. */

import { type OutlineNode, outlineOf } from "./outline.ts";

export function layOut(file: unknown): string {
  return `${JSON.stringify(file, null, 2)}\n`;
}

/** `text` laid out; null of what is no JSON, and of what would not say the same afterwards: a key given twice, a number too large. */
export function laidOut(text: string): string | null {
  let file: unknown;
  try {
    file = JSON.parse(text);
  } catch {
    return null;
  }
  return saysOneThing(outlineOf(text)) ? layOut(file) : null;
}

function saysOneThing(root: OutlineNode | null): boolean {
  const waiting = root === null ? [] : [root];
  for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
    const names = node.children.flatMap(({ key }) => key === null ? [] : [key.name]);
    if (new Set(names).size < names.length || names.includes("__proto__")) return false;
    if (node.number !== null && (!Number.isFinite(node.number) || isBeyond(node.number))) return false;
    waiting.push(...node.children);
  }
  return true;
}

function isBeyond(number: number): boolean {
  return Number.isInteger(number) && !Number.isSafeInteger(number);
}
