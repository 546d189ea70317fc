/** A decision answers within a minute: what it has no time for is left to the tick. On a clock that the other system moves. */

import { assertEquals } from "@std/assert";
import { askingOn, openBookingFile } from "../../../../scripts/testing/approvals.ts";
import { databaseTest } from "../../../../scripts/testing/database.ts";
import { openFile } from "../../../../scripts/testing/files.ts";
import { NO_LIMITS } from "../../../../scripts/testing/limits.ts";
import { startUpstream } from "../../../../scripts/testing/upstream.ts";
import { openTestWorkspace } from "../../../../scripts/testing/workspace.ts";
import { openDatabase } from "../db/client.ts";
import { createEgress } from "../egress/guarded-fetch.ts";
import { decide } from "./decide.ts";

/** How old the request is, and for how long each answer of the ledger takes. */
let elapsedMs = 0;
let took = { GET: 0, POST: 0 };
const upstream = startUpstream(({ method }) => {
  elapsedMs += took[method as "GET" | "POST"];
  return Response.json({ id: 7 });
});
const upstreams = new Map([["ledger.example", upstream.url]]);
const workspace = await openTestWorkspace({ upstreams });
const { show } = askingOn(workspace);
for (
  const file of [
    openFile({
      slug: "look",
      arguments: { type: "object", properties: {} },
      request: { method: "GET", url: "https://ledger.example/look" },
      fixtures: [{ response: {} }],
    }),
    openBookingFile({ slug: "book_shown", preview: { tool: "look", args: {}, compare: ["id"] } }),
  ]
) {
  assertEquals((await workspace.define(file)).status, 200);
}
const db = openDatabase(workspace.database.url);
const egress = createEgress({ upstreams });
const means = { db, egress, keyRing: null, now: () => new Date(), limits: NO_LIMITS };

interface Case {
  readonly says: string;
  /** How old the request is when the decision is made. */
  readonly startsMs: number;
  readonly took: typeof took;
  /** What was asked of the ledger, in order, by the time the decision is answered. */
  readonly asked: readonly string[];
  readonly calls: readonly string[];
}

const CASES: readonly Case[] = [
  {
    says: "with time for everything sends both calls, each looked at right before",
    startsMs: 0,
    took: { GET: 100, POST: 100 },
    asked: ["GET", "GET", "POST", "GET", "POST"],
    calls: ["applied", "applied"],
  },
  {
    says: "whose looks left no time to send begins no call",
    startsMs: 19_000,
    took: { GET: 9_500, POST: 100 },
    asked: ["GET", "GET"],
    calls: ["waiting", "waiting"],
  },
  {
    says: "whose first call left no time looks at nothing for the second",
    startsMs: 0,
    took: { GET: 0, POST: 29_000 },
    asked: ["GET", "GET", "POST"],
    calls: ["applied", "waiting"],
  },
  {
    says: "whose look before the second call left no time does not begin that",
    startsMs: 0,
    took: { GET: 9_000, POST: 2_000 },
    asked: ["GET", "GET", "POST", "GET"],
    calls: ["applied", "waiting"],
  },
  {
    says: "that comes late in its request looks at nothing and sends nothing",
    startsMs: 20_000,
    took: { GET: 9_500, POST: 29_000 },
    asked: [],
    calls: ["waiting", "waiting"],
  },
];

let number = 0;
for (const { says, startsMs, took: takes, asked, calls } of CASES) {
  databaseTest(`a decision ${says}, and the tick sends the rest`, async () => {
    took = { GET: 0, POST: 0 };
    const proposed = await workspace.ask("/tools/calls", {
      as: "member",
      body: {
        workspace_id: workspace.id,
        calls: [0, 1].map(() => ({ tool: "book_shown", args: { number: String(number++) } })),
      },
    });
    assertEquals(proposed.status, 202, proposed.text);
    const id = proposed.body.approval_id as string;
    const { digest } = await show(id);
    const before = upstream.requests.length;
    elapsedMs = startsMs;
    took = takes;
    const decided = await decide(means, {
      presented: { user_id: workspace.people.admin },
      id,
      decision: { ok: true, value: { decision: "approve", digest } },
      occasion: { requestId: `req_${number}`, elapsedMs: () => elapsedMs },
      isCounted: false,
    });
    took = { GET: 0, POST: 0 };
    const sent = upstream.requests.slice(before).map(({ method }) => method);
    assertEquals([decided!.ok, sent], [true, [...asked]]);
    assertEquals((await show(id)).calls.map(({ status }: { status: string }) => status), [...calls]);
    assertEquals((await workspace.tick()).body.failed, 0);
    assertEquals((await show(id)).status, "applied");
    const posts = upstream.requests.slice(before).filter(({ method }) => method === "POST");
    assertEquals(posts.map(({ headers }) => headers.get("idempotency-key")), [`${id}.0`, `${id}.1`]);
  });
}

databaseTest("what the tests of a decision's time opened is closed", async () => {
  await egress.close();
  await db.end();
  await workspace.close();
  await upstream.close();
});
