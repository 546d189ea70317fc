/**
 * What a host will see of each fixture's call, before anyone connects: the runner prints it and `define` answers it.
 * Pure. Nothing is called: a live tool's view shows the fixture's answer in the place of the system's.
 */

import { decideEffect, type Effect, type EffectQuestion } from "../gate/effect.ts";
import { judgeCall } from "../gate/judge-call.ts";
import { problemBody } from "../outcome/problem-body.ts";
import type { Refusal } from "../outcome/result.ts";
import { answerOfRead, answerOfWaiting } from "../results/answer.ts";
import { isKept, leavingOf } from "../results/leaving.ts";
import type { ToolCall } from "./call.ts";
import { requestOf } from "./call-request.ts";
import { fileNotes } from "./file-notes.ts";
import { exampleAsCall } from "./fixtures.ts";
import type { Fixture, FramedTool } from "./format.ts";
import type { JsonObject, JsonValue } from "./json.ts";
import { secretsOf } from "./tool-secrets.ts";

/** In place of what only a workspace can give: an id, an instant, a handle. */
const PLACEHOLDER = "…";
const REVIEW_URL = "https://www.framed.dev/tasks";
/** Things a call of a partial example lacks that its note names. */
const MAX_LACKING = 3;

export interface HostView {
  /** Which fixture it is of, from 0. */
  readonly fixture: number;
  readonly label: string | null;
  readonly example: JsonObject | null;
  readonly does: "runs" | "waits" | "refused";
  /** Who decides about a call that waits. */
  readonly needs: "member" | "admin" | null;
  /** Whether the call would reach an outside system. */
  readonly live: boolean;
  /** Of the answer that leaves; `null` when it is a single one, or when the call does not run. */
  readonly rows: number | null;
  readonly firstRow: JsonValue | null;
  /** What Framed keeps: the rows of a live read, a single answer only when the host asks, else nothing. */
  readonly keeps: "rows" | "when asked" | "nothing";
  /** Of the answer over HTTP. */
  readonly status: number;
  /** The very body the host gets, with `…` for what only a workspace can give. */
  readonly sees: JsonObject;
  /** What the body does not say, in words for who writes the file. */
  readonly notes: readonly string[];
}

/**
 * One view for each fixture of `tool`, in the file's order: what the server answers to a call of its example, decided by
 * the server's own `judgeCall`. An example that is a part of a call stands for the calls that give the rest, and its
 * notes say so. Takes a tool that passed the check.
 */
export function hostViews(tool: FramedTool): HostView[] {
  return (tool.fixtures ?? []).map((fixture, at) => viewOf(tool, fixture, at));
}

/** What the check lets pass and who writes the file should know, then what only the workspace can say: one line each. */
export function workspaceNotes(tool: FramedTool): string[] {
  const notes = fileNotes(tool);
  if (tool.kind === "mcp") {
    notes.push("Which of the server's tools run on a call is for the server to say; the workspace asks it.");
  }
  if (secretsOf(tool).length > 0) {
    notes.push("Whether the secret's name belongs to another host is for the workspace to say.");
  }
  if (tool.follow_up !== undefined) {
    notes.push(
      `Whether ${tool.follow_up.check.tool} is a tool that reads, for follow_up, is for the workspace to say.`,
    );
  }
  if (tool.access === "sensitive" && JSON.stringify(tool.follow_up ?? null).includes("{{result")) {
    notes.push(
      "The answer of a sensitive call is never kept, so a follow_up with {{result.…}} never starts.",
    );
  }
  if (tool.preview !== undefined) {
    notes.push(
      `Whether ${tool.preview.tool} is a tool that reads, for preview, is for the workspace to say.`,
    );
  }
  return notes;
}

type Seen = Pick<HostView, "does" | "needs" | "rows" | "firstRow" | "keeps" | "status" | "sees" | "notes">;

function viewOf(tool: FramedTool, fixture: Fixture, at: number): HostView {
  const call = exampleAsCall(tool, fixture.example ?? {});
  const question = { tool, call, caller: "host" } as const;
  const judged = judgeCall(question);
  const seen = judged.ok
    ? seenOf(tool, { call, effect: judged.value.effect, answer: fixture.response })
    : judged.refusal.reason === "bad_arguments"
    ? seenOfPart(question, { refusal: judged.refusal, answer: fixture.response })
    : refused(judged.refusal);
  return {
    fixture: at,
    label: fixture.label ?? null,
    example: fixture.example ?? null,
    live: tool.kind !== "fixture",
    ...seen,
  };
}

interface Shown {
  readonly call: ToolCall;
  readonly effect: Effect;
  readonly answer: JsonValue;
}

function seenOf(tool: FramedTool, { call, effect, answer }: Shown): Seen {
  switch (effect.does) {
    case "runs":
      return runs(tool, { call, answer });
    case "waits":
      return {
        ...NOTHING_YET,
        does: "waits",
        needs: effect.needs,
        status: 202,
        sees: answerOfWaiting(tool, { id: PLACEHOLDER, reviewUrl: REVIEW_URL }),
        notes: whyItWaits(tool, call),
      };
    case "refused":
      return refused({ reason: effect.reason, detail: effect.detail });
    default:
      return effect satisfies never;
  }
}

/** The check saw that what the example gives is right, so a call of it lacks something: its view is of one that has it. */
function seenOfPart(
  question: EffectQuestion,
  { refusal, answer }: { refusal: Refusal; answer: JsonValue },
): Seen {
  const { tool, call } = question;
  const seen = seenOf(tool, { call, effect: decideEffect({ ...question, partial: true }), answer });
  const lacks = refusal.problems?.slice(0, MAX_LACKING).join("; ") ?? "";
  return {
    ...seen,
    notes: [...seen.notes, `Not a whole call: ${lacks}. What is shown is for a call that gives the rest.`],
  };
}

function refused(refusal: Refusal): Seen {
  const body = problemBody(refusal, PLACEHOLDER);
  return {
    ...NOTHING_YET,
    does: "refused",
    needs: null,
    status: body.status,
    sees: { ...body } as unknown as JsonObject,
    notes: refusal.reason === "rule_denied" ? ["A rule of the file refuses this example."] : [],
  };
}

const NOTHING_YET = { rows: null, firstRow: null, keeps: "nothing" } as const;

function runs(tool: FramedTool, { call, answer }: Pick<Shown, "call" | "answer">): Seen {
  const live = tool.kind !== "fixture";
  const answersWith = live ? "live system" : "configured example";
  const leaving = leavingOf(tool, { call, answer });
  const { rows } = leaving;
  const keepsRows = rows !== null && isKept(tool, { answersWith, rows });
  const sees = answerOfRead(tool, {
    call,
    leaving,
    answersWith,
    kept: keepsRows ? { kept: true, rows: rows.length, read_at: PLACEHOLDER } : { kept: false },
    resultHandle: PLACEHOLDER,
  });
  const keepsOne = isKept(tool, { answersWith, rows, persist: true });
  return {
    does: "runs",
    needs: null,
    rows: rows?.length ?? null,
    firstRow: rows?.[0] ?? null,
    keeps: keepsRows ? "rows" : keepsOne ? "when asked" : "nothing",
    status: 200,
    sees,
    notes: live ? ["What is shown is the fixture's answer; a call answers with the live system's."] : [],
  };
}

function whyItWaits(tool: FramedTool, call: ToolCall): string[] {
  if (tool.access === "sensitive") return ["An administrator decides, and the answer is never kept."];
  if (tool.kind === "mcp" && tool.access !== "write" && tool.confirm !== true) {
    return ["Runs on the call when the server marks the tool as one that only reads."];
  }
  if (
    tool.kind === "request" && tool.access === "read" && tool.confirm !== true &&
    requestOf(tool, call).method === "POST"
  ) {
    return [
      "A read by POST waits like a write, until an administrator marks it as one that only reads.",
    ];
  }
  return [];
}
