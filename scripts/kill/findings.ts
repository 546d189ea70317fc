/** Reads what became of everything and says what does not hold. */

import { type ApprovalRow, judgeApproval, type Told } from "./judge.ts";
import type { World } from "./world.ts";

/** An approval as somebody proposed it, and what people were told of it since. */
export interface Proposed {
  readonly id: string;
  readonly digest: string;
  readonly calls: number;
  readonly told: Told[];
}

/** What does not hold, in words, once nobody is at work any more. */
export async function judgeWorld(world: World, proposed: ReadonlyMap<string, Proposed>): Promise<string[]> {
  const found: string[] = [...world.complaints()];
  const rows = await readRows(world);
  for (const row of rows) {
    const about = { received: world.other.received, told: proposed.get(row.id)?.told ?? [] };
    found.push(...judgeApproval(row, about));
    if (row.status === "running") found.push(`${row.id} is running, and nobody sends it`);
  }
  const ids = new Set(rows.map(({ id }) => id));
  for (const id of proposed.keys()) if (!ids.has(id)) found.push(`${id} was proposed and is gone`);
  for (const key of world.other.received.keys()) {
    if (!ids.has(key.split(".")[0]!)) found.push(`A request came under the key "${key}"`);
  }
  const shown = await listUnknown(world);
  const unknown = rows.filter(({ status }) => status === "unknown").map(({ id }) => id);
  for (const id of unknown) if (!shown.has(id)) found.push(`${id} is unknown and is not in the list`);
  if (shown.size !== unknown.length) found.push(`${shown.size} are listed as unknown of ${unknown.length}`);
  return found;
}

/** Approvals whose lease is over by `now` and that are running all the same, as `<id> <lease>`. */
export async function listLeasesOver(world: World, now: Date): Promise<Set<string>> {
  const rows = await world.sql((sql) =>
    sql<{ lease: string }[]>`select id || ' ' || lease_until as lease from framed.v2_approvals
      where status = 'running' and lease_until <= ${now.toISOString()}::text::timestamptz`
  );
  return new Set(rows.map(({ lease }) => lease));
}

/** How many there are of what, and how many calls were given up of which the truth came later. */
export async function countWorld(world: World): Promise<
  { approvals: Record<string, number>; calls: Record<string, number>; lateTruths: number }
> {
  const [counted] = await world.sql((sql) =>
    sql<{ approvals: Record<string, number>; calls: Record<string, number>; late: number }[]>`select
      (select coalesce(json_object_agg(status, n), '{}') from
        (select status, count(*) n from framed.v2_approvals group by 1) s) as approvals,
      (select coalesce(json_object_agg(status, n), '{}') from
        (select status, count(*) n from framed.v2_approval_calls group by 1) s) as calls,
      (select count(*)::int from kill_test.changes where n is not null and was = 'unknown') as late`
  );
  return { approvals: counted!.approvals, calls: counted!.calls, lateTruths: counted!.late };
}

/** As a member is shown them, page by page. */
async function listUnknown(world: World): Promise<Set<string>> {
  const shown = new Set<string>();
  const first = `/approvals?workspace_id=${world.workspace.id}&status=unknown&limit=200`;
  for (let path: string | null = first; path !== null;) {
    const { status, body } = await world.ask(world.servers()[0]!, path, { as: "member" });
    if (status !== 200) throw new Error(`The list of what is unknown was answered ${status}`);
    for (const { id } of body.approvals) shown.add(id);
    path = body.next_cursor === null ? null : `${first}&cursor=${encodeURIComponent(body.next_cursor)}`;
  }
  return shown;
}

async function readRows(world: World): Promise<ApprovalRow[]> {
  const rows = await world.sql((sql) =>
    sql<{ row: ApprovalRow }[]>`
    with decided as (
      select detail ->> 'approval_id' as id, count(*) as n from framed.log_events
       where event in ('approval.approved', 'approval.rejected') group by 1
    ), called as (
      select id, json_object_agg(call, n) as by_call from (
        select detail ->> 'approval_id' as id, detail ->> 'call' as call, count(*) as n from framed.log_events
         where event = 'tool.called' and detail ? 'approval_id' group by 1, 2) c group by 1
    )
    select json_build_object('id', a.id, 'status', a.status, 'outcome', a.outcome, 'decisions', coalesce(d.n, 0),
      'called', coalesce(k.by_call, '{}'),
      'calls', (select json_agg(json_build_object('n', c.n, 'status', c.status, 'detail', c.detail) order by c.n)
        from framed.v2_approval_calls c where c.approval_id = a.id),
      'changes', (select coalesce(json_agg(json_build_object('n', h.n, 'was', h.was, 'is', h."is") order by h.id), '[]')
        from kill_test.changes h where h.approval_id = a.id)) as row
    from framed.v2_approvals a left join decided d on d.id = a.id::text left join called k on k.id = a.id::text`
  );
  return rows.map(({ row }) => row);
}
