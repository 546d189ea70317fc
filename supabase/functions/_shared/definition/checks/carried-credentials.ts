/** Anything shaped like a credential, in any text or key of a file. Pure. */

import { findCredential } from "../credentials.ts";
import { isJsonObject, type JsonValue } from "../json.ts";
import type { Path, Problem } from "../problem.ts";

/** One problem for each text and key that holds a credential. Visits each node once, without recursion. */
export function checkCarriedCredentials(file: JsonValue): Problem[] {
  const problems: Problem[] = [];
  const waiting: { path: Path; value: JsonValue }[] = [{ path: [], value: file }];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const { path, value } = next;
    if (typeof value === "string") {
      const found = findCredential(value);
      if (found !== null) {
        problems.push({
          path,
          says: `found what looks like ${found}; a file names a secret and never holds one`,
        });
      }
    } else if (Array.isArray(value)) {
      value.forEach((element, at) => waiting.push({ path: [...path, at], value: element }));
    } else if (isJsonObject(value)) {
      for (const [key, member] of Object.entries(value)) {
        const found = findCredential(key);
        if (found !== null) {
          problems.push({
            path: [...path, key],
            says: `a key here looks like ${found}; a file never holds one`,
          });
        }
        waiting.push({ path: [...path, key], value: member });
      }
    }
  }
  return problems;
}
