import { assertEquals } from "@std/assert";
import { databaseTest } from "../../../../scripts/testing/database.ts";
import { openFile } from "../../../../scripts/testing/files.ts";
import { openTestWorkspace } from "../../../../scripts/testing/workspace.ts";
import { forgetReads } from "./forget.ts";

const workspace = await openTestWorkspace();
globalThis.addEventListener("unload", () => workspace.close());
const { sql } = workspace.database;
const { id: connectorId } = (await workspace.define(openFile())).body;
const NOW = new Date("2026-11-30T12:00:00Z");

/** `count` rows read `age` before now, in each table. */
async function fill(count: number, age: string): Promise<void> {
  await sql`truncate framed.v2_results, framed.v2_kept_reads`;
  await sql`insert into framed.v2_results (id, workspace_id, connector_id, version, result, read_at)
    select gen_random_uuid(), ${workspace.id}, ${connectorId}, 1, '[]', ${NOW.toISOString()}::text::timestamptz - ${age}::text::interval
      from generate_series(1, ${count}::int)`;
  await sql`insert into framed.v2_kept_reads (workspace_id, connector_id, call_digest, args, version, result, read_at)
    select ${workspace.id}, ${connectorId}, sha256(n::text::bytea), '{}', 1, '[]', ${NOW.toISOString()}::text::timestamptz - ${age}::text::interval
      from generate_series(1, ${count}::int) n`;
}

async function left() {
  const [row] =
    await sql`select (select count(*) from framed.v2_results)::int as results, (select count(*) from framed.v2_kept_reads)::int as kept`;
  return [row!.results, row!.kept];
}

const share = { now: NOW, hasTime: () => true, report: () => {} };

databaseTest(
  "forgetReads() removes long answers after a day and kept reads after 90, and not a moment sooner",
  async () => {
    for (
      const [age, expected] of [
        ["23 hours", [3, 3]],
        ["25 hours", [0, 3]],
        ["89 days", [0, 3]],
        ["91 days", [0, 0]],
      ] as const
    ) {
      await fill(3, age);
      await forgetReads(sql, share);
      assertEquals([age, ...await left()], [age, ...expected]);
    }
  },
);

databaseTest(
  "forgetReads() works in batches, says that there is more when its time is over, and loses none",
  async () => {
    await fill(2_500, "91 days");
    let batches = 0;
    const first = await forgetReads(sql, { ...share, hasTime: () => batches++ < 2 });
    assertEquals([first.done, first.more], [2_000, true]);
    const [one, two] = await Promise.all([forgetReads(sql, share), forgetReads(sql, share)]);
    assertEquals([one.done + two.done, one.more || two.more], [3_000, false]);
    assertEquals(await left(), [0, 0]);
  },
);
