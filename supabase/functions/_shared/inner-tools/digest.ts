/** One fingerprint for everything a server tells of a tool. Pure. */

import { definitionDigest } from "../definition/digest.ts";
import type { ToldTool } from "./inner-tool.ts";

/**
 * SHA-256 of name, title, description, schemas and annotations in their canonical form, lower-case hex: everything that
 * a person or a model reads of the tool, and that says what a call of it does.
 */
export function digestOf(
  { name, title, description, inputSchema, outputSchema, annotations }: ToldTool,
): string {
  return definitionDigest({ name, title, description, inputSchema, outputSchema, annotations });
}
