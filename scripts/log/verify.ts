/** What the checks of the log print, and whether all of them hold. */

import { createReadStream } from "node:fs";
import { createInterface } from "node:readline";
import type { Database } from "../../supabase/functions/_shared/db/client.ts";
import { listWorkspaces } from "../../supabase/functions/_shared/log/chain/check-store.ts";
import { type Verdict, verifyLog } from "../../supabase/functions/_shared/log/chain/verify.ts";
import { CommandRefused } from "../operator/command.ts";
import { checkExport } from "./check-export.ts";

/** Checks one workspace's log or, with null, every one's, and prints a line for each. Throws CommandRefused where one does not hold. */
export async function verifyWorkspaces(
  db: Database,
  { workspaceId, expected, print }: {
    workspaceId: string | null;
    expected: string | null;
    print: (line: string) => void;
  },
): Promise<void> {
  const workspaces = await listWorkspaces(db, { id: workspaceId });
  if (workspaceId !== null && workspaces.length === 0) {
    throw new CommandRefused(`There is no workspace ${workspaceId}.`);
  }
  let broken = 0;
  for (const { id } of workspaces) {
    const verdict = await db.begin(
      "isolation level repeatable read read only",
      (tx) => verifyLog(tx, { workspaceId: id, expected }),
    ) as Verdict;
    if (!verdict.holds || verdict.holdsExpected === false) broken++;
    print(`${id}  ${describe(verdict)}`);
  }
  if (broken > 0) throw new CommandRefused(`${broken} of ${workspaces.length} logs checked: broken.`);
}

function describe(verdict: Verdict): string {
  if (!verdict.holds) {
    const { eventId, seal, says } = verdict.broken;
    return eventId === null
      ? `BROKEN at seal ${seal}: ${says}`
      : `BROKEN at event ${eventId}, by seal ${seal}: ${says}`;
  }
  const { events, seals, unsealed, head, startsAfter, holdsExpected } = verdict;
  const parts = [
    `${holdsExpected === false ? "BROKEN: the expected hash is not one of its chain; " : ""}holds: ${
      count(events, "event")
    } in ${count(seals, "seal")}`,
    ...(startsAfter === null ? [] : [`starts after event ${startsAfter}, what came before is past its days`]),
    ...(unsealed === 0 ? [] : [`${unsealed} not sealed yet`]),
    ...(head === null ? [] : [`head ${head.hash}`]),
  ];
  return parts.join("; ");
}

function count(many: number, thing: string): string {
  return `${many} ${thing}${many === 1 ? "" : "s"}`;
}

/** Checks a file of `GET /log/export` and prints what it came to. Throws CommandRefused where it does not hold. */
export async function verifyFile(
  path: string,
  { whole, print }: { whole: boolean; print: (line: string) => void },
): Promise<void> {
  const readable = await Deno.stat(path).then(({ isFile }) => isFile, () => false);
  if (!readable) throw new CommandRefused(`${path} is no file that can be read.`);
  const verdict = await checkExport(createInterface({ input: createReadStream(path), crlfDelay: Infinity }));
  if (!verdict.holds) throw new CommandRefused(`${path}: BROKEN at line ${verdict.line}: ${verdict.says}`);
  const { events, unsealed, gaps, firstGap } = verdict;
  const left = firstGap === null ? [] : [
    `events are left out at ${count(gaps, "place")}, first between ${firstGap.older} and ${firstGap.newer}`,
  ];
  print(
    [
      `${path}: holds: ${count(events, "event")}`,
      ...(unsealed === 0 ? [] : [`${unsealed} of them in no chain`]),
      ...left,
    ].join("; "),
  );
  if (whole && gaps > 0) throw new CommandRefused(`${path}: BROKEN: it is not whole.`);
}
