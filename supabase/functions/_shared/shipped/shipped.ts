/** The tools that ship with Framed, each a file like any other but for its secrets. Pure. */

import { checkFramedTool } from "../definition/check.ts";
import type { FramedTool } from "../definition/format.ts";
import type { JsonObject } from "../definition/json.ts";
import { MONEYBIRD } from "./moneybird.ts";

const FILES: ReadonlyMap<string, JsonObject> = new Map([["moneybird", MONEYBIRD]]);

/** The slugs of all of them, in order. */
export function shippedSlugs(): string[] {
  return [...FILES.keys()].sort();
}

/** The tool of one that ships. Throws for a slug that is none, and where its file does not pass the check, which a test rules out. */
export function readShippedTool(slug: string): FramedTool {
  const read = checkFramedTool(FILES.get(slug), { origin: "seeded" });
  if (!read.ok) {
    throw new TypeError(`No tool ${slug} ships that passes its check:\n${read.problems.join("\n")}`);
  }
  return read.tool;
}
