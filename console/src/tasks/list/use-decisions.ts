/** Decisions made on the list: each under the digest that its card showed, and what to say of those that were refused. */

import { useCallback, useState } from "react";
import { useApi } from "../../api/api-context.tsx";
import {
  type Approval,
  type Decided,
  readApproval,
  useDecide,
  useDecideSeveral,
} from "../../api/approvals.ts";
import { Problem } from "../../api/problem.ts";
import type { TaskList } from "./use-task-list.ts";

/** What is to be said of a card beside what its approval says. */
export interface CardState {
  /** Under way. */
  readonly sending?: "approve" | "reject";
  /** It was decided here, by this person. */
  readonly isMine?: boolean;
  /** Why the decision was refused. */
  readonly problem?: Problem;
  /** It stands in the place of one that changed, or changed itself, since it was looked at: why. */
  readonly changedBecause?: string;
}

export const NOTHING: CardState = {};

/** What was refused because the approval is not what it was on the screen. */
const STALE = new Set(["approval_changed", "already_decided", "approval_expired", "not_found"]);

export interface Decisions {
  readonly stateOf: (id: string) => CardState;
  /** True where it was taken; else the card says why not. */
  readonly decide: (
    approval: Approval,
    decision: "approve" | "reject",
    options?: { reason?: string },
  ) => Promise<Problem | null>;
  readonly decideSeveral: (
    approvals: readonly Approval[],
    decision: "approve" | "reject",
    options?: { reason?: string },
  ) => Promise<Decided[]>;
}

export function useDecisions(list: Pick<TaskList, "take" | "replace" | "remove">): Decisions {
  const api = useApi();
  const { mutateAsync: decideOne } = useDecide();
  const { mutateAsync: decideThese } = useDecideSeveral();
  const [states, setStates] = useState<ReadonlyMap<string, CardState>>(new Map());
  const { take, replace, remove } = list;

  const set = useCallback((id: string, state: CardState) => {
    setStates((before) => new Map(before).set(id, state));
  }, []);

  /** Shows how what was refused stands now; a fresh one in its place, to be looked at and decided anew. */
  const lookAgain = useCallback(async (id: string, problem: Problem) => {
    set(id, { problem });
    if (!STALE.has(problem.reason)) return;
    try {
      const now = await readApproval(api, id);
      const fresh = now.superseded_by === null ? null : await readApproval(api, now.superseded_by);
      if (fresh === null) {
        // Still waiting, it is another one than was seen: it says so. Anything else tells itself what became of it.
        if (now.status === "awaiting_approval" && problem.reason === "approval_changed") {
          set(id, { changedBecause: problem.detail ?? problem.title });
        }
        return take(now);
      }
      set(fresh.id, { changedBecause: now.superseded_because ?? problem.title });
      replace(id, fresh);
    } catch (error) {
      if (error instanceof Problem && error.reason === "not_found") remove(new Set([id]));
      // What was refused is on the card; how it stands now comes with the next look.
    }
  }, [api, set, take, replace, remove]);

  const decide = useCallback<Decisions["decide"]>(async (approval, decision, { reason } = {}) => {
    const { id, digest } = approval;
    set(id, { sending: decision });
    try {
      take(await decideOne({ id, decision, digest, ...(reason ? { reason } : {}) }));
      set(id, { isMine: true });
      return null;
    } catch (error) {
      if (!(error instanceof Problem)) {
        set(id, NOTHING);
        throw error;
      }
      await lookAgain(id, error);
      return error;
    }
  }, [decideOne, lookAgain, set, take]);

  const decideSeveral = useCallback<Decisions["decideSeveral"]>(
    async (approvals, decision, { reason } = {}) => {
      const decided = await decideThese(
        approvals.map(({ id, digest }) => ({ id, decision, digest, ...(reason ? { reason } : {}) })),
      );
      const refused: Promise<void>[] = [];
      for (const { id, approval, problem } of decided) {
        if (problem !== null) refused.push(lookAgain(id, problem));
        else {
          take(approval);
          set(id, { isMine: true });
        }
      }
      await Promise.all(refused);
      return decided;
    },
    [decideThese, lookAgain, set, take],
  );

  return { stateOf: (id) => states.get(id) ?? NOTHING, decide, decideSeveral };
}
