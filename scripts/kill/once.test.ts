/** One death at one place each: what a lost answer, a late statement, a late truth and a database that is away come to. */

import { assertEquals } from "@std/assert";
import { databaseTest } from "../testing/database.ts";
import type { JsonObject } from "../../supabase/functions/_shared/definition/json.ts";
import type { Behaviour } from "./behaviour.ts";
import { judgeWorld, type Proposed } from "./findings.ts";
import { decide, leaveToTick, propose } from "./people.ts";
import type { Held } from "./statement-proxy.ts";
import { openWorld } from "./world.ts";

let behave: (key: string) => Behaviour | Promise<Behaviour> = () => TAKES;
let onReceived: () => void = () => {};
const TAKES: Behaviour = { waitMs: 0, then: 200 };

const world = await openWorld({ processes: 1, behave: (key) => behave(key), onReceived: () => onReceived() });
const { workspace } = world;
const server = () => world.servers()[0]!;
const proposals = new Map<string, Proposed>();
let proposed = 0;

async function proposeChain(calls: number, tool = "book"): Promise<Proposed> {
  const wanted: JsonObject[] = Array.from(
    { length: calls },
    () => ({ tool, args: { text: `no ${++proposed}` } }),
  );
  const approval = (await propose(world, { server: server(), calls: wanted, as: "key" }))!;
  proposals.set(approval.id, approval);
  return approval;
}

/** How the approval stands, what of it was received, and what does not hold of all there is. */
async function look({ id, calls }: Proposed) {
  const { body } = await world.ask(server(), `/approvals/${id}`, { as: "admin" });
  const log = await workspace.log();
  return {
    status: body.status,
    calls: body.calls.map(({ status }: { status: string }) => status),
    outcome: body.outcome,
    followUp: body.follow_up?.status ?? null,
    received: Array.from({ length: calls }, (_, n) => world.other.received.get(`${id}.${n}`)?.count ?? 0),
    rows: log.filter(({ event, detail }) => event === "tool.called" && detail.approval_id === id).length,
  };
}

/** Stops the next statement that calls this function. */
function stopNext(name: string): Promise<Held> {
  const { promise, resolve } = Promise.withResolvers<Held>();
  server().statements.arm({ statement: new RegExp(`framed\\.${name}\\(`), onHeld: resolve });
  return promise;
}
async function loseAnswer(held: Held): Promise<void> {
  await held.send();
  await held.answered;
  held.cut();
}
/** The other system answers only when it is told to. */
function holdAnswers(): { arrived: Promise<void>; answer: (behaviour: Behaviour) => void } {
  const arrived = Promise.withResolvers<void>();
  const answer = Promise.withResolvers<Behaviour>();
  onReceived = arrived.resolve;
  behave = () => answer.promise;
  return { arrived: arrived.promise, answer: answer.resolve };
}
const minutesFromNow = (minutes: number) => new Date(Date.now() + minutes * 60_000);

function onceTest(name: string, work: () => Promise<void>): void {
  databaseTest(name, async () => {
    behave = () => TAKES;
    onReceived = () => {};
    await work();
    assertEquals(await judgeWorld(world, proposals), []);
  });
}

for (
  const [name, lose] of [["the request", (held: Held) => held.cut()], ["the answer", loseAnswer]] as const
) {
  onceTest(`a decision whose claim loses ${name} on the way is made once, and sent once`, async () => {
    const approval = await proposeChain(1);
    const held = stopNext("begin_approval");
    const decided = decide(world, { server: server(), approval, as: "member" });
    await lose(await held);
    await decided;
    const { outcome: _, ...found } = await look(approval);
    assertEquals(found, { status: "applied", calls: ["applied"], followUp: null, received: [1], rows: 1 });
    assertEquals(approval.told, [{ decision: "approve", status: "applied" }]);
  });

  onceTest(`an end that loses ${name} on the way is recorded once, and the chain goes on once`, async () => {
    const approval = await proposeChain(3);
    const first = stopNext("end_call");
    const decided = decide(world, { server: server(), approval, as: "member" });
    await lose(await first);
    const second = await stopNext("end_call");
    await second.send();
    await second.answered;
    await second.deliver();
    await decided;
    const { outcome, ...found } = await look(approval);
    const calls = ["applied", "applied", "applied"];
    assertEquals(found, { status: "applied", calls, followUp: null, received: [1, 1, 1], rows: 3 });
    assertEquals(outcome, "All 3 calls were sent and taken.");
  });

  onceTest(`a tick whose claim loses ${name} on the way sends once`, async () => {
    const approval = await proposeChain(1);
    await leaveToTick(world, approval);
    const held = stopNext("claim_abandoned");
    const ticked = world.tick(server(), minutesFromNow(1));
    await lose(await held);
    assertEquals((await ticked).status, 200);
    const { outcome: _, ...found } = await look(approval);
    assertEquals(found, { status: "applied", calls: ["applied"], followUp: null, received: [1], rows: 1 });
  });
}

onceTest("an end that arrives a second time, long after, takes nothing back of what came since", async () => {
  const approval = await proposeChain(3);
  const keys = [0, 1, 2].map((n) => `${approval.id}.${n}`);
  const last = Promise.withResolvers<Behaviour>();
  const lastArrived = Promise.withResolvers<void>();
  behave = (key) => {
    if (key !== keys[2]) return TAKES;
    lastArrived.resolve();
    return last.promise;
  };
  const held = stopNext("end_call");
  const decided = decide(world, { server: server(), approval, as: "member" });
  const late = await held;
  // The process tries again over another connection, and that goes through.
  late.cut();
  await lastArrived.promise;
  await late.send();
  await late.answered;
  const meanwhile = await look(approval);
  assertEquals([meanwhile.status, meanwhile.calls], ["running", ["applied", "applied", "running"]]);
  last.resolve(TAKES);
  await decided;
  const { outcome: _, ...found } = await look(approval);
  const calls = ["applied", "applied", "applied"];
  assertEquals(found, { status: "applied", calls, followUp: null, received: [1, 1, 1], rows: 3 });
});

onceTest("a write whose end finds the database killed is recorded when that is back", async () => {
  const approval = await proposeChain(2);
  const held = stopNext("end_call");
  const decided = decide(world, { server: server(), approval, as: "member" });
  const { cut } = await held;
  await world.cluster.crash("SIGKILL");
  cut();
  await decided;
  await world.heal();
  const { outcome: _, ...found } = await look(approval);
  assertEquals(found, {
    status: "applied",
    calls: ["applied", "applied"],
    followUp: null,
    received: [1, 1],
    rows: 2,
  });
});

onceTest("a truth that comes after a call was given up is kept, and nothing after it is sent", async () => {
  const approval = await proposeChain(2);
  const { arrived, answer } = holdAnswers();
  const decided = decide(world, { server: server(), approval, as: "member" });
  await arrived;
  assertEquals((await world.tick(server(), minutesFromNow(2))).status, 200);
  const givenUp = await look(approval);
  assertEquals([givenUp.status, givenUp.calls], ["unknown", ["unknown", "not_sent"]]);
  answer(TAKES);
  await decided;
  const found = await look(approval);
  assertEquals(found, {
    status: "failed",
    calls: ["applied", "not_sent"],
    outcome: "Call 1 of 2 was sent and taken. Nothing after it was sent.",
    followUp: null,
    received: [1, 0],
    rows: 2,
  });
  await world.tick(server(), minutesFromNow(5));
  assertEquals(await look(approval), found, "it never goes back");
});

onceTest("a truth that says it did not happen ends the follow-up that was to find out", async () => {
  const { follow_up: _, ...unfollowed } = FOLLOWED;
  for (const file of [{ ...unfollowed, slug: "state", access: "read", request: STATE }, FOLLOWED]) {
    const defined = await workspace.define(file);
    assertEquals(defined.status, 200, defined.text);
  }
  const approval = await proposeChain(1, "followed");
  const { arrived, answer } = holdAnswers();
  const decided = decide(world, { server: server(), approval, as: "member" });
  await arrived;
  await world.tick(server(), minutesFromNow(2));
  const givenUp = await look(approval);
  assertEquals([givenUp.status, givenUp.followUp], ["unknown", "waiting"]);
  answer({ waitMs: 0, then: 422 });
  await decided;
  const found = await look(approval);
  assertEquals([found.status, found.calls, found.followUp], ["failed", ["failed"], "stopped"]);
});

const STATE = { method: "GET", url: "https://ledger.example/state" };
const FOLLOWED: JsonObject = {
  format: "framed-tool/1",
  slug: "followed",
  name: "Followed",
  description: "Writes something that is followed up.",
  kind: "request",
  access: "write",
  arguments: { type: "object", properties: { text: { type: "string" } } },
  request: {
    method: "POST",
    url: "https://ledger.example/followed",
    idempotency_header: "Idempotency-Key",
  },
  fixtures: [{ response: { id: 7 } }],
  follow_up: {
    what: "A booking",
    until: "it is booked",
    check: { tool: "state", args: {} },
    done_when: { all: [{ path: "booked", op: "equals", value: true }] },
  },
};

databaseTest(
  "what is claimed and ended is on the disk, also where the database is set to answer before it is",
  async () => {
    const { sql } = workspace.database;
    const none = crypto.randomUUID();
    const statements = [
      `framed.begin_approval('${none}', '${none}', '{}', '[]')`,
      `framed.end_call('${none}', '${none}', 0, '{"status": "applied"}', null, '{}', null, null, null)`,
      `framed.claim_abandoned('${none}', '${none}', '{}', null, now())`,
    ];
    for (const statement of statements) {
      const [row] = await sql.begin(async (tx) => {
        await tx`set local synchronous_commit = off`;
        await tx.unsafe(`select ${statement}`);
        return await tx`select current_setting('synchronous_commit') as is`;
      });
      assertEquals([statement, row!.is], [statement, "on"]);
    }
  },
);

databaseTest("the world ends", () => world.close());
