/** Limits for what is not about limits. */

import type { Limits } from "../../supabase/functions/_shared/limits/limits.ts";

const ANY_NUMBER = { callsPerMinute: 1_000_000_000, burst: 1_000_000_000 };

/** More calls than a test or a bench can make. */
export const NO_LIMITS: Limits = { principal: ANY_NUMBER, workspace: ANY_NUMBER };
