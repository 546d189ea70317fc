/** What is claimed and not begun in time is not sent: on a real store, to a real other system, at an age a test says. */

import { assertEquals } from "@std/assert";
import { databaseTest } from "../../../../scripts/testing/database.ts";
import { bookingFile } from "../../../../scripts/testing/files.ts";
import { startUpstream } from "../../../../scripts/testing/upstream.ts";
import { openTestWorkspace } from "../../../../scripts/testing/workspace.ts";
import { beginApproval, openDecision } from "../approvals/store.ts";
import { openDatabase } from "../db/client.ts";
import { createEgress } from "../egress/guarded-fetch.ts";
import { generateKeyRing, readKeyRing } from "../secrets/key-ring.ts";
import { NO_LIMITS } from "../../../../scripts/testing/limits.ts";
import { sendApproved } from "./send-approved.ts";

const keyRingText = generateKeyRing("k1");
const keyRing = await readKeyRing(keyRingText);
if (!keyRing.ok) throw new Error(keyRing.refusal.join());
const upstream = startUpstream(() => Response.json({ id: 7 }));
const upstreams = new Map([["ledger.example", upstream.url]]);
const workspace = await openTestWorkspace({ upstreams, keyRingText });
await workspace.define(bookingFile());
await workspace.paste("ledger_book_invoice", { name: "CONNECTOR_LEDGER", value: "a-token-of-a-test" });

const db = openDatabase(workspace.database.url);
const egress = createEgress({ upstreams });
const means = { db, egress, keyRing: keyRing.value, now: () => new Date() };

/** Sends one booking that is as old as `ages` say, one after the other, each time somebody looks. */
async function sendAtAges(number: string, ages: number[]) {
  const proposed = await workspace.call("ledger_book_invoice", { args: { number } });
  const id = proposed.body.approval_id as string;
  const by = { kind: "person", id: workspace.people.admin, name: "Ada Admin" } as const;
  const opened = await openDecision(db, {
    presented: { user_id: workspace.people.admin },
    id,
    limits: NO_LIMITS,
  });
  const step = await beginApproval(db, {
    workspaceId: workspace.id,
    id,
    decided: {
      by,
      at: new Date().toISOString(),
      digest: opened.approval!.digest,
      needs: "member",
      sender: crypto.randomUUID(),
      lease_seconds: 60,
      sends: true,
    },
    events: [],
  });
  const sent = await sendApproved(means, {
    claimed: {
      approval: step.approval!,
      n: 0,
      opened: step.claimed!,
      args: opened.approval!.calls[0]!.args,
      age: () => ages.length > 1 ? ages.shift()! : ages[0]!,
      tools: opened.tools!,
      sender: "unused",
      byAdministrator: true,
      accountId: null,
    },
    occasion: { requestId: `req_${number}`, elapsedMs: () => 0 },
  });
  const [call] = sent.calls;
  return { status: sent.status, reason: call!.reason, detail: call!.detail };
}

const TOO_LATE = {
  status: "failed" as const,
  reason: "store_unavailable",
  detail:
    "The call was not begun in time: whoever was to send it stood still, or claiming it took too long. Nothing was sent.",
};
const TABLE: [name: string, ages: number[], isSent: boolean][] = [
  ["a call that is begun in time", [0], true],
  ["a call that is begun at the last moment and leaves at the last moment", [15_000, 45_000], true],
  ["a call that was claimed too long ago to be begun", [15_001], false],
  ["a call that was begun in time and could not leave before its lease may be over", [0, 45_001], false],
];
for (const [name, ages, isSent] of TABLE) {
  databaseTest(`sendApproved() ${isSent ? "sends" : "does not send"} ${name}`, async () => {
    const before = upstream.requests.length;
    const ended = await sendAtAges(name, ages);
    assertEquals(ended, isSent ? { status: "applied", reason: null, detail: null } : TOO_LATE);
    assertEquals(upstream.requests.length - before, isSent ? 1 : 0);
  });
}

databaseTest("what the tests of sending opened is closed", async () => {
  await egress.close();
  await db.end();
  await workspace.close();
  await upstream.close();
});
