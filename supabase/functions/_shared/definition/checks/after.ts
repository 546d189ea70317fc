/** What surrounds a call that waits: the follow-up, the preview and the rules of a file. Pure. */

import { nameOf } from "../words.ts";
import { ALARM_AFTER_DAYS, STOP_AFTER_DAYS } from "../format-after.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "../json.ts";
import type { Path, Problem } from "../problem.ts";
import { checkCondition } from "./conditions.ts";
import { type Draft, listOf, objectOf } from "./draft.ts";
import { checkPlaceholders } from "./placeholders.ts";

/** What is wrong with the file's `follow_up`, as far as the file alone can tell. */
export function checkFollowUp(draft: Draft): Problem[] {
  const followUp = draft.file.follow_up;
  if (!isJsonObject(followUp)) return [];
  const rules = { draft, result: true };
  const check = objectOf(followUp.check);
  return [
    ...checkPlace(draft, "follow_up"),
    ...checkPlaceholders(followUp.what, ["follow_up", "what"], rules),
    ...checkPlaceholders(followUp.until, ["follow_up", "until"], rules),
    ...checkOtherTool(draft, check.tool, ["follow_up", "check", "tool"]),
    ...checkPlaceholders(check.args, ["follow_up", "check", "args"], rules),
    ...checkDoneWhen(draft, followUp.done_when),
    ...checkDays(followUp),
  ];
}

/** What is wrong with the file's `preview`, as far as the file alone can tell. */
export function checkPreview(draft: Draft): Problem[] {
  const { preview } = draft.file;
  if (!isJsonObject(preview)) return [];
  return [
    ...checkPlace(draft, "preview"),
    ...checkOtherTool(draft, preview.tool, ["preview", "tool"]),
    ...checkPlaceholders(preview.args, ["preview", "args"], { draft, result: false }),
  ];
}

/** What is wrong with the file's `rules`: a rule that could never match would be a door left open. */
export function checkRules(draft: Draft): Problem[] {
  const { names, open } = draft.arguments;
  return listOf(draft.file.rules).flatMap((rule, at): Problem[] => {
    const path: Path = ["rules", at];
    const { path: looksAt, value } = objectOf(rule);
    const problems = checkCondition(rule, { path, filled: false });
    const first = typeof looksAt === "string" ? looksAt.split(".", 1)[0]! : "";
    if (first !== "" && !open && !names.has(first)) {
      const says = `looks at the argument ${
        nameOf(first)
      }, which is not declared; declare it under arguments.properties`;
      problems.push({ path: [...path, "path"], says });
    }
    if (value !== undefined && JSON.stringify(value).includes("{{")) {
      problems.push({
        path: [...path, "value"],
        says: "a rule's value is compared as it stands and never filled; leave {{ out",
      });
    }
    return problems;
  });
}

function checkPlace({ kind, access }: Draft, key: "follow_up" | "preview"): Problem[] {
  if (kind === "mcp" || access !== "read") return [];
  return [{
    path: [key],
    says: 'found access "read"; only a tool that writes has one, with access "write" or "sensitive"',
  }];
}

/** A tool that writes is no read of itself. An mcp tool may be: its server has tools that read. */
function checkOtherTool({ file, kind }: Draft, tool: JsonValue | undefined, path: Path): Problem[] {
  if (kind === "mcp" || typeof tool !== "string" || tool !== file.slug) return [];
  return [{
    path,
    says: "names this very tool, which writes; a tool of the workspace that only reads is wanted",
  }];
}

function checkDoneWhen(draft: Draft, doneWhen: JsonValue | undefined): Problem[] {
  if (!isJsonObject(doneWhen)) return [];
  const path: Path = ["follow_up", "done_when"];
  const problems: Problem[] = [];
  const has = ["all", "any"].filter((key) => doneWhen[key] !== undefined);
  if (has.length === 0) problems.push({ path, says: "found neither all nor any; one of the two is wanted" });
  if (has.length === 2) problems.push({ path, says: "found both all and any; one of the two is wanted" });
  const conditions = has.flatMap((key) =>
    listOf(doneWhen[key]).flatMap((condition, at) => {
      const place = [...path, key, at];
      return [
        ...checkCondition(condition, { path: place, filled: true }),
        ...checkPlaceholders(objectOf(condition).value, [...place, "value"], { draft, result: true }),
      ];
    })
  );
  return [...problems, ...conditions];
}

function checkDays(
  { alarm_after_days = ALARM_AFTER_DAYS, stop_after_days = STOP_AFTER_DAYS }: JsonObject,
): Problem[] {
  if (typeof alarm_after_days !== "number" || typeof stop_after_days !== "number") return [];
  if (alarm_after_days < stop_after_days) return [];
  return [{
    path: ["follow_up", "alarm_after_days"],
    says:
      `the alarm after ${alarm_after_days} days comes no earlier than the end after ${stop_after_days}; fewer days are wanted`,
  }];
}
