/** What the person who starts a stack says about the way out: read here from the environment, and by no function. */

import type { EgressOptions } from "../../supabase/functions/_shared/egress/guarded-fetch.ts";
import { parseLocalUpstreams } from "../../supabase/functions/_shared/egress/local-upstreams.ts";
import { StackProblem, systemWords } from "./stack-problem.ts";

/**
 * `FRAMED_LOCAL_UPSTREAMS` (`ledger.example=http://127.0.0.1:4801,…`) and the authorities in the file that
 * `NODE_EXTRA_CA_CERTS` names. Throws a StackProblem when either cannot be read.
 */
export async function readEgressOptions(read: (name: string) => string | undefined): Promise<EgressOptions> {
  const upstreams = parseLocalUpstreams(read("FRAMED_LOCAL_UPSTREAMS"));
  if (!upstreams.ok) throw new StackProblem(upstreams.refusal.join("\n"));
  const file = read("NODE_EXTRA_CA_CERTS");
  if (!file) return { upstreams: upstreams.value };
  try {
    return { upstreams: upstreams.value, extraCa: await Deno.readTextFile(file) };
  } catch (error) {
    throw new StackProblem(`${file}, which NODE_EXTRA_CA_CERTS names, cannot be read: ${systemWords(error)}`);
  }
}
