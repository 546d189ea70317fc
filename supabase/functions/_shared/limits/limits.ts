/** How many calls a minute a principal and a workspace may make, as the stack is set, and what one too many is told. Pure. */

import { grouped } from "../definition/words.ts";
import { type Refusal, refuse } from "../outcome/result.ts";

/** Calls that drain steadily, and how many may come at once on top of nothing. */
export interface Rate {
  readonly callsPerMinute: number;
  readonly burst: number;
}

/** The limits of a stack. */
export interface Limits {
  readonly principal: Rate;
  readonly workspace: Rate;
}

/** What holds where the stack says nothing else. */
export const DEFAULT_LIMITS: Limits = {
  principal: { callsPerMinute: 600, burst: 60 },
  workspace: { callsPerMinute: 3_000, burst: 300 },
};

/** Who a limit that was reached belongs to. */
export type LimitedBy = keyof Limits;

/** More than this cannot be told apart from no limit. */
const MAX_SETTING = 1_000_000_000;

/**
 * The limits that the stack's settings say, each a whole number from 1 to 1,000,000,000. Throws in words otherwise: a
 * limit that was meant and is not there would be found out too late.
 */
export function readLimits(read: (name: string) => string | undefined): Limits {
  const setting = (name: string, otherwise: number): number => {
    const text = read(name) ?? "";
    if (text === "") return otherwise;
    const value = Number(text);
    if (!/^[0-9]{1,10}$/.test(text) || value < 1 || value > MAX_SETTING) {
      throw new Error(`${name} is no whole number from 1 to ${MAX_SETTING}; see docs/operate.md.`);
    }
    return value;
  };
  const { principal, workspace } = DEFAULT_LIMITS;
  return {
    principal: {
      callsPerMinute: setting("FRAMED_CALLS_PER_MINUTE", principal.callsPerMinute),
      burst: setting("FRAMED_CALLS_BURST", principal.burst),
    },
    workspace: {
      callsPerMinute: setting("FRAMED_WORKSPACE_CALLS_PER_MINUTE", workspace.callsPerMinute),
      burst: setting("FRAMED_WORKSPACE_CALLS_BURST", workspace.burst),
    },
  };
}

/** The limits as the database takes them: in seconds, what one call takes to drain and what a bucket holds. */
export function limitsJson({ principal, workspace }: Limits): string {
  return JSON.stringify({
    principal_step: 60 / principal.callsPerMinute,
    principal_room: principal.burst * 60 / principal.callsPerMinute,
    workspace_step: 60 / workspace.callsPerMinute,
    workspace_room: workspace.burst * 60 / workspace.callsPerMinute,
  });
}

/** `rate_limited`, with whose limit it is and when the next call can be made: whole seconds, at least 1. */
export function limitRefusal(
  limits: Limits,
  { limitedBy, waitSeconds }: { limitedBy: LimitedBy; waitSeconds: number },
): { readonly ok: false; readonly refusal: Refusal } {
  const retryAfterSeconds = Math.max(1, Math.ceil(waitSeconds));
  const { callsPerMinute, burst } = limits[limitedBy];
  const whose = limitedBy === "principal" ? "This caller" : "This workspace";
  return refuse("rate_limited", {
    detail: `${whose} may make ${grouped(callsPerMinute)} calls a minute, ${
      grouped(burst)
    } of them at once. This one was not made.`,
    hint: `Try again in ${retryAfterSeconds} s.`,
    retryAfterSeconds,
  });
}
