/** An answer as a page documents it, held against the one that came. */

import { assertEquals } from "@std/assert";

/** Stands for what differs from call to call: an id, an instant, what is null until a minute has gone by; as the last element of a list for all that follow. */
const ANYTHING = "…";

/** Fails unless `found` has every field of `documented` and no other, each equal but for what `…` stands for. */
export function assertAsDocumented(found: unknown, documented: unknown, where: string): void {
  assertEquals(found, fill(documented, found), where);
}

/** `documented` with each `…` replaced by what stands in its place in `found`. */
function fill(documented: unknown, found: unknown): unknown {
  if (documented === ANYTHING) return found === undefined ? ANYTHING : found;
  if (typeof documented === "string" && typeof found === "string") {
    return fits(found, documented.split(ANYTHING)) ? found : documented;
  }
  if (Array.isArray(documented) && Array.isArray(found)) {
    const open = documented.length > 0 && documented.at(-1) === ANYTHING;
    const written = open ? documented.slice(0, -1) : documented;
    const filled = written.map((element, at) => fill(element, found[at]));
    return open ? [...filled, ...found.slice(written.length)] : filled;
  }
  if (!isObject(documented) || !isObject(found)) return documented;
  return Object.fromEntries(Object.entries(documented).map(([key, value]) => [key, fill(value, found[key])]));
}

/** Whether `text` is the `parts` in order with anything between them. */
function fits(text: string, parts: readonly string[]): boolean {
  const [first = "", ...others] = parts;
  const last = others.pop();
  if (last === undefined || !text.startsWith(first)) return false;
  let at = first.length;
  for (const part of others) {
    const found = text.indexOf(part, at);
    if (found < 0) return false;
    at = found + part.length;
  }
  return text.length - last.length >= at && text.endsWith(last);
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
