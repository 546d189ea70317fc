/** `deno task keys …`: accounts' first workspaces and people, and the keys of both, for who operates the database. */

import { readCommand, USAGE } from "./keys/command-line.ts";
import { type Done, runCommand } from "./keys/commands.ts";
import { makeRing } from "./keys/rewrap.ts";
import { runOnDatabase } from "./operator/command.ts";

async function main(args: readonly string[]): Promise<number> {
  const read = readCommand(args, { now: new Date() });
  if ("problem" in read) {
    console.error(`${read.problem} See deno task keys --help.`);
    return 2;
  }
  const { command, json } = read;
  if (command.does === "help") {
    console.log(USAGE.trimEnd());
    return 0;
  }
  if (command.does === "ring") {
    tell(makeRing(command), json);
    return 0;
  }
  return await runOnDatabase(async (db) => tell(await runCommand(db, command), json));
}

function tell({ output, data, says }: Done, json: boolean): void {
  console.error(says);
  if (json) console.log(JSON.stringify(data));
  else if (output !== "") console.log(output);
}

if (import.meta.main) Deno.exit(await main(Deno.args));
