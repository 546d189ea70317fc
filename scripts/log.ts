/** `deno task log verify`: whether the log is what was sealed, in a database or in an export. */

import { readCommand, USAGE } from "./log/command-line.ts";
import { verifyFile, verifyWorkspaces } from "./log/verify.ts";
import { CommandRefused, runOnDatabase } from "./operator/command.ts";

async function main(args: readonly string[]): Promise<number> {
  const command = readCommand(args);
  if ("problem" in command) {
    console.error(`${command.problem} See deno task log --help.`);
    return 2;
  }
  const print = (line: string) => console.log(line);
  switch (command.does) {
    case "help":
      console.log(USAGE.trimEnd());
      return 0;
    case "verify":
      return await runOnDatabase((db) => verifyWorkspaces(db, { ...command, print }));
    case "verify_file":
      try {
        await verifyFile(command.path, { whole: command.whole, print });
        return 0;
      } catch (error) {
        if (!(error instanceof CommandRefused)) throw error;
        console.error(error.message);
        return 1;
      }
  }
}

if (import.meta.main) Deno.exit(await main(Deno.args));
