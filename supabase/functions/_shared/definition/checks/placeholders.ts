/** The `{{args.…}}` and `{{result.…}}` in the texts that are filled after a call. Pure. */

import { isPlainName } from "../words.ts";
import { isJsonObject, type JsonValue } from "../json.ts";
import type { Path, Problem } from "../problem.ts";
import type { Draft } from "./draft.ts";

export interface PlaceholderRules {
  readonly draft: Draft;
  /** Whether there is an answer to fill from, not only arguments. */
  readonly result: boolean;
}

/** What is wrong with the placeholders in every text of `value`, and with keys that look as if they were filled. */
export function checkPlaceholders(
  value: JsonValue | undefined,
  path: Path,
  rules: PlaceholderRules,
): Problem[] {
  if (typeof value === "string") return checkText(value, path, rules);
  if (Array.isArray(value)) {
    return value.flatMap((element, at) => checkPlaceholders(element, [...path, at], rules));
  }
  if (!isJsonObject(value)) return [];
  return Object.entries(value).flatMap(([key, member]) => [
    ...(key.includes("{{")
      ? [{ path: [...path, key], says: "a key is never filled; placeholders stand in values" }]
      : []),
    ...checkPlaceholders(member, [...path, key], rules),
  ]);
}

/** Problems of one text that are told. */
const MAX_TOLD = 50;

function checkText(text: string, path: Path, rules: PlaceholderRules): Problem[] {
  const problems: Problem[] = [];
  for (let open = text.indexOf("{{"); open !== -1 && problems.length < MAX_TOLD;) {
    const close = text.indexOf("}}", open + 2);
    if (close === -1) {
      problems.push({ path, says: "a {{ is never closed; {{args.name}} is wanted" });
      break;
    }
    const says = judge(text.slice(open + 2, close), rules);
    if (says !== null) {
      problems.push({
        path,
        says: `the placeholder at character ${[...text.slice(0, open)].length + 1} ${says}`,
      });
    }
    open = text.indexOf("{{", close + 2);
  }
  return problems;
}

function judge(placeholder: string, { draft, result }: PlaceholderRules): string | null {
  const wanted = result ? "{{args.…}} or {{result.…}}" : "{{args.…}}";
  const [source, first] = placeholder.split(".", 2);
  if (!/^(args|result)(\.[^.{}\s]+)+$/.test(placeholder) || (source === "result" && !result)) {
    return `is one that nothing fills here; ${wanted} is wanted`;
  }
  const { names, open } = draft.arguments;
  if (source === "result" || open || names.has(first!)) return null;
  const named = isPlainName(first!) ? `the argument ${first}` : "an argument";
  return `names ${named}, which is not declared; declare it under arguments.properties`;
}
