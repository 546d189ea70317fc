/** What people and programs do in the kill test: propose, decide, look. */

import { LEASE_SECONDS } from "../../supabase/functions/_shared/approvals/store.ts";
import type { JsonObject } from "../../supabase/functions/_shared/definition/json.ts";
import type { Proposed } from "./findings.ts";
import type { Random } from "./random.ts";
import type { ServerProcess } from "./server-process.ts";
import type { World } from "./world.ts";

/** Between two tries of a person who was not answered. */
const TRIED_AGAIN_AFTER_MS = 200;

/** A chain of so many calls with words of its own, that nobody has proposed before. */
export function drawCalls(random: Random, count: number): JsonObject[] {
  const text = `no ${Math.floor(random.next() * 1e15)}`;
  return Array.from({ length: count }, (_, n) => ({
    tool: random.pick(["book", "pay"]),
    // An answer without a body has no such value: then the chain ends before the call that wants it.
    args: { text, ...(n > 0 && random.happens(0.3) ? { id: "{{calls.0.result.id}}" } : {}) },
  }));
}

/** Proposes a chain and looks at it; null where no answer came, as when what was asked has just died. */
export async function propose(
  world: World,
  { server, calls, as }: { server: ServerProcess; calls: readonly JsonObject[]; as: "member" | "key" },
): Promise<Proposed | null> {
  const { id } = world.workspace;
  const { status, body } = await world.ask(server, "/tools/calls", { as, body: { workspace_id: id, calls } });
  if (status === null || status === 503) return null;
  if (status !== 202) throw new Error(`A proposal was answered ${status}: ${body?.detail}`);
  const { body: shown } = await world.ask(server, `/approvals/${body.approval_id}`, { as: "admin" });
  if (typeof shown?.digest !== "string") return null;
  return { id: body.approval_id, digest: shown.digest, calls: calls.length, told: [] };
}

/** Decides once, by itself or as a batch of one, and notes what was told. False where no answer came. */
export async function decide(
  world: World,
  { server, approval: { id, digest, told }, as, decision = "approve", inBatch = false }: {
    server: ServerProcess;
    approval: Proposed;
    as: "member" | "admin";
    decision?: "approve" | "reject";
    inBatch?: boolean;
  },
): Promise<boolean> {
  const answer = inBatch
    ? await world.ask(server, "/approvals/decisions", { as, body: { decisions: [{ id, digest, decision }] } })
    : await world.ask(server, `/approvals/${id}/decision`, { as, body: { digest, decision } });
  const approval = inBatch ? answer.body?.results?.[0]?.approval : answer.body;
  told.push({ decision, status: answer.status === 200 ? approval?.status ?? null : null });
  return answer.status !== null && answer.status < 500;
}

/** The same as people do it: once more, perhaps elsewhere, where they were not answered. */
export async function decideStubbornly(
  world: World,
  { random, approval }: { random: Random; approval: Proposed },
): Promise<void> {
  const decision = random.happens(0.92) ? "approve" : "reject";
  const as = random.pick(["member", "admin"] as const);
  for (let tries = 0; tries < 2 && world.servers().length > 0; tries++) {
    const server = random.pick(world.servers());
    if (await decide(world, { server, approval, as, decision, inBatch: random.happens(0.2) })) return;
    await new Promise((resolve) => setTimeout(resolve, TRIED_AGAIN_AFTER_MS));
  }
}

/** Approves as a process does that has no time left to send: the tick sends it. */
export async function leaveToTick(world: World, { id, digest }: Proposed): Promise<void> {
  const { workspace } = world;
  const by = { kind: "person", id: workspace.people.admin, name: "Ada Admin" };
  const decision = {
    by,
    at: new Date().toISOString(),
    digest,
    needs: "member",
    sender: crypto.randomUUID(),
    lease_seconds: LEASE_SECONDS,
    sends: false,
  };
  const event = {
    event: "approval.approved",
    request_id: crypto.randomUUID(),
    principal: by,
    tool: null,
    connector_id: null,
    version: null,
    operation: null,
    args: null,
    outcome: "ok",
    total_ms: 0,
  };
  await world.sql((sql) =>
    sql`select framed.begin_approval(${workspace.id}::uuid, ${id}::uuid, ${
      JSON.stringify(decision)
    }::text::jsonb, ${JSON.stringify([event])}::text::jsonb)`
  );
}
