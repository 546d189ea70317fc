/** What the person who starts a stack sets as an operator would: read as the functions read it. */

import { type StackSettings, stackSettingsFromEnv } from "../../supabase/functions/_shared/http/services.ts";
import { StackProblem } from "./stack-problem.ts";

/** The settings of the environment. Throws a StackProblem where one of them cannot be read. */
export function readSettings(read: (name: string) => string | undefined): StackSettings {
  try {
    return stackSettingsFromEnv(read);
  } catch (error) {
    throw new StackProblem((error as Error).message);
  }
}
