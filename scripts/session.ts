/** `deno task session`: signs a person in and prints their access token, for what only a person may ask of the API. */

import { runCommand, SIGN_IN_VARIABLES, signIn, UsageProblem } from "./person/sign-in.ts";

const USAGE = `export FRAMED_SESSION=$(deno task --quiet session)

Signs in and prints the access token, and nothing else, on standard output. It is good for an hour.

From the environment:
${SIGN_IN_VARIABLES}`;

async function run(args: string[]): Promise<void> {
  if (args.length > 0) throw new UsageProblem(`Nothing is taken here; found ${args.join(" ")}.`);
  console.log(await signIn());
}

if (import.meta.main) Deno.exit(await runCommand(USAGE, run));
