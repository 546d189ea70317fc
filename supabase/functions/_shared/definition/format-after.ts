/** The format of what surrounds a call that waits: its follow-up, its preview, its rules. Pure. */

import * as z from "zod";
import {
  dottedPathFormat,
  jsonFormat,
  jsonObjectFormat,
  objectFormat,
  oneOfFormat,
  shortListFormat,
  slugFormat,
  textFormat,
} from "./format-parts.ts";
import { once } from "./once.ts";

export const OPS = [
  "equals",
  "not_equals",
  "exists",
  "not_exists",
  "contains",
  "in",
  "gt",
  "gte",
  "lt",
  "lte",
] as const;
export type Op = (typeof OPS)[number];

/** When nothing else is said: the alarm after a week, the end after a month. */
export const ALARM_AFTER_DAYS = 7;
export const STOP_AFTER_DAYS = 30;
const MAX_DAYS = 365;
const MAX_CONDITIONS = 20;
const MAX_RULES = 50;
const MAX_COMPARED_PATHS = 50;

const op = once(() =>
  oneOfFormat(OPS).describe(
    "How the value found is compared. exists and not_exists take no value, in takes a list, all others one value.",
  )
);

const conditionFormat = once(() =>
  objectFormat({
    path: dottedPathFormat().describe(
      "Where to look, dotted. A number is a place in a list; a name on a list means any of its elements.",
    ),
    op: op(),
    value: jsonFormat().optional().describe("What is compared with."),
  })
);

/** One comparison: a path, how, and with what. */
export type Condition = z.infer<ReturnType<typeof conditionFormat>>;

function conditionsFormat() {
  return shortListFormat(conditionFormat(), { max: MAX_CONDITIONS, items: "conditions" });
}

function daysFormat() {
  const wanted = `a whole number of days from 1 to ${MAX_DAYS}`;
  return z.number({ error: wanted }).int({ error: wanted }).min(1, { error: wanted }).max(MAX_DAYS, {
    error: wanted,
  });
}

const READ_TOOL = "A tool of the same workspace that only reads.";

export const followUpFormat = once(() =>
  objectFormat({
    what: textFormat(500).describe(
      "What is followed up, for people: Concept invoice {{args.invoice_number}}.",
    ),
    until: textFormat(500).describe("Until what, for people: Someone books it in the ledger."),
    check: objectFormat({
      tool: slugFormat().describe(READ_TOOL),
      args: jsonObjectFormat().describe(
        "Its arguments. {{args.…}} and {{result.…}} are filled from the call that wrote.",
      ),
    }).describe("The read that tells where it stands."),
    done_when: objectFormat({
      all: conditionsFormat().optional().describe("Done when all of these hold."),
      any: conditionsFormat().optional().describe("Done when one of these holds."),
    }).describe("How to tell from the check's answer that it is done: all or any, one of the two."),
    alarm_after_days: daysFormat().optional().describe(
      `After how many days it is said, once, that this still waits. ${ALARM_AFTER_DAYS} when left out.`,
    ),
    stop_after_days: daysFormat().optional().describe(
      `After how many days checking stops by itself. ${STOP_AFTER_DAYS} when left out.`,
    ),
  }).describe("What Framed checks after an approved call until it is done in the other system.")
);

export const previewFormat = once(() =>
  objectFormat({
    tool: slugFormat().describe(READ_TOOL),
    args: jsonObjectFormat().describe("Its arguments. {{args.…}} is filled from the call that waits."),
    compare: shortListFormat(dottedPathFormat(), { max: MAX_COMPARED_PATHS, items: "dotted paths" })
      .optional()
      .describe(
        "What must not have changed between the approval and the sending. All of the answer when left out.",
      ),
  }).describe("A read shown on the approval and read again right before sending.")
);

export const rulesFormat = once(() =>
  shortListFormat(
    objectFormat({
      path: dottedPathFormat().describe("The argument it looks at, dotted."),
      op: op(),
      value: jsonFormat().optional().describe("What is compared with."),
      then: oneOfFormat(["deny", "admin"]).describe(
        "What follows when it matches. deny refuses the call; admin makes it wait for an administrator.",
      ),
      say: textFormat(500).describe("What people and hosts are told when it matches."),
    }),
    { max: MAX_RULES, items: "rules" },
  ).describe("Conditions on the arguments that make the tool stricter. They never loosen it.")
);

export type FollowUp = z.infer<ReturnType<typeof followUpFormat>>;
export type Preview = z.infer<ReturnType<typeof previewFormat>>;
export type Rule = z.infer<ReturnType<typeof rulesFormat>>[number];
