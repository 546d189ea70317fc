import { assert, assertEquals, assertThrows } from "@std/assert";
import fc from "fast-check";
import {
  APPROVAL_STATUSES,
  type ApprovalStatus,
  CALL_STATUSES,
  type CallStatus,
  canMove,
  canMoveCall,
  isOver,
  isUntouched,
  nextCall,
  outcomeOf,
} from "./state.ts";

Deno.test("canMove() knows every move of an approval, and no other", () => {
  const moves = APPROVAL_STATUSES.flatMap((from) =>
    APPROVAL_STATUSES.filter((to) => canMove(from, to)).map((to) => `${from} ${to}`)
  );
  assertEquals(moves, [
    "awaiting_approval running",
    "awaiting_approval rejected",
    "awaiting_approval expired",
    "awaiting_approval superseded",
    "running applied",
    "running failed",
    "running unknown",
    "running superseded",
    "unknown applied",
    "unknown failed",
  ]);
});

Deno.test("canMoveCall() knows every move of a call, and none back to one that could be sent", () => {
  const moves = CALL_STATUSES.flatMap((from) =>
    CALL_STATUSES.filter((to) => canMoveCall(from, to)).map((to) => `${from} ${to}`)
  );
  assertEquals(moves, [
    "waiting running",
    "waiting failed",
    "waiting not_sent",
    "running applied",
    "running failed",
    "running unknown",
    "unknown applied",
    "unknown failed",
  ]);
});

Deno.test("isOver() is what no move leads out of", () => {
  const over: ApprovalStatus[] = ["applied", "failed", "rejected", "expired", "superseded"];
  assertEquals(APPROVAL_STATUSES.filter(isOver), over);
});

Deno.test("outcomeOf() and nextCall() of a chain, at every step it can come through", () => {
  const cases: [CallStatus[], string, number | null][] = [
    [["waiting"], "running", 0],
    [["running"], "running", null],
    [["applied"], "applied", null],
    [["failed"], "failed", null],
    [["unknown"], "unknown", null],
    [["waiting", "waiting"], "running", 0],
    [["running", "waiting"], "running", null],
    [["applied", "waiting"], "running", 1],
    [["applied", "running"], "running", null],
    [["applied", "applied"], "applied", null],
    [["failed", "not_sent"], "failed", null],
    [["failed", "waiting"], "failed", null],
    [["unknown", "not_sent"], "unknown", null],
    [["unknown", "waiting"], "unknown", null],
    [["failed", "unknown"], "unknown", null],
    [["applied", "failed", "not_sent"], "failed", null],
    [["applied", "unknown", "not_sent"], "unknown", null],
    [["applied", "not_sent"], "failed", null],
    [["applied", "applied", "waiting"], "running", 2],
  ];
  for (const [calls, outcome, next] of cases) {
    assertEquals([outcomeOf(calls), nextCall(calls)], [outcome, next], calls.join(" "));
  }
});

Deno.test("outcomeOf() throws for an approval without calls, which never says it is applied", () => {
  assertThrows(() => outcomeOf([]), RangeError);
  assertEquals(nextCall([]), null);
});

Deno.test("isUntouched() is true while every call waits", () => {
  assert(isUntouched(["waiting", "waiting"]));
  for (const status of CALL_STATUSES.slice(1)) assert(!isUntouched(["waiting", status]), status);
});

Deno.test("nextCall() never leads past a call that is not applied, and nothing is sent twice on any way through", () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 20 }),
      fc.array(fc.constantFrom<CallStatus>("applied", "failed", "unknown"), { minLength: 20, maxLength: 20 }),
      (length, ends) => {
        const calls = Array<CallStatus>(length).fill("waiting");
        const sent: number[] = [];
        for (let at = nextCall(calls); at !== null; at = nextCall(calls)) {
          assert(calls.slice(0, at).every((status) => status === "applied"));
          assert(canMoveCall(calls[at]!, "running"));
          calls[at] = "running";
          sent.push(at);
          assertEquals([nextCall(calls), outcomeOf(calls)], [null, "running"]);
          calls[at] = ends[at]!;
        }
        assertEquals(sent, [...sent.keys()]);
        assert(canMove("running", outcomeOf(calls) as ApprovalStatus));
        assertEquals(
          outcomeOf(calls) === "applied",
          sent.length === length && ends[length - 1] === "applied",
        );
      },
    ),
  );
});
