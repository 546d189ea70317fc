/** What a file's capabilities may be: reads by name, each once, each operation one that reads. Pure. */

import { tell } from "../words.ts";
import { WRITE_OPERATIONS } from "../capability.ts";
import type { JsonValue } from "../json.ts";
import type { Path, Problem } from "../problem.ts";
import { type Draft, listOf, objectOf } from "./draft.ts";

/** What is wrong with the capabilities beyond their shape. Their requests are `checks/requests.ts`'s business. */
export function checkCapabilities(draft: Draft): Problem[] {
  const { capabilities, access, arguments: { names } } = draft;
  if (capabilities === null) return [];
  const problems: Problem[] = [];
  if (access === "write" || access === "sensitive") {
    problems.push({
      path: ["capabilities"],
      says: `found access "${access}"; only a tool with access "read" has capabilities`,
    });
  }
  for (const key of ["capability", "operation"]) {
    if (!names.has(key)) continue;
    const says = "stands beside the arguments of a tool with capabilities; another name is wanted";
    problems.push({ path: ["arguments", "properties", key], says });
  }
  const seen = new Set<JsonValue>();
  capabilities.forEach((capability, at) => {
    const path: Path = ["capabilities", at];
    const { id, operations, requests } = objectOf(capability);
    if (typeof id === "string" && seen.has(id)) {
      problems.push({ path: [...path, "id"], says: "declared twice; each id stands once" });
    }
    if (id !== undefined) seen.add(id);
    for (const problem of checkOperations(listOf(operations), [...path, "operations"])) {
      problems.push(problem);
    }
    if (listOf(operations).includes("get") && !names.has("id")) {
      problems.push({
        path: [...path, "operations"],
        says: "get reads one thing by its id; declare id under arguments.properties",
      });
    }
    // Where nothing is listed at all, that has been told.
    for (const operation of listOf(operations).length === 0 ? [] : Object.keys(objectOf(requests))) {
      if (operation !== "list" && operation !== "get") continue;
      if (listOf(operations).includes(operation)) continue;
      problems.push({
        path: [...path, "requests", operation],
        says: `operations do not list ${operation}; list it, or leave its request out`,
      });
    }
  });
  return problems;
}

function checkOperations(operations: readonly JsonValue[], path: Path): Problem[] {
  const seen = new Set<JsonValue>();
  return operations.flatMap((operation, at): Problem[] => {
    if (WRITE_OPERATIONS.has(operation)) {
      const says = `found ${tell(operation)}; a capability never writes, "list" or "get" is wanted`;
      return [{ path: [...path, at], says }];
    }
    if (operation !== "list" && operation !== "get") return [];
    if (!seen.has(operation)) {
      seen.add(operation);
      return [];
    }
    return [{ path: [...path, at], says: `${tell(operation)} stands twice; each operation stands once` }];
  });
}
