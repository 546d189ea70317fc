import { assert, assertEquals } from "@std/assert";
import { databaseTest } from "../../../scripts/testing/database.ts";
import { withErrorOutput } from "../../../scripts/testing/error-output.ts";
import { ledgerFile } from "../../../scripts/testing/files.ts";
import { NO_LIMITS } from "../../../scripts/testing/limits.ts";
import { startUpstream } from "../../../scripts/testing/upstream.ts";
import { openTestWorkspace } from "../../../scripts/testing/workspace.ts";
import { createApp } from "../api/app.ts";
import { createEgress } from "../_shared/egress/guarded-fetch.ts";
import { createServices } from "../_shared/http/services.ts";
import { generateKeyRing, readKeyRing } from "../_shared/secrets/key-ring.ts";
import { rewrapDataKeys } from "../_shared/secrets/rewrap.ts";

const [K1, K2] = [generateKeyRing("k1"), generateKeyRing("k2")];
/** The rings of a rotation, as docs/operate.md takes them: each service knows the new key before any uses it. */
const STEPS = [K1, `${K1},${K2}`, `${K2},${K1}`, K2];
const CALLS = 200;
const VALUE = "canary-ledger-token";

databaseTest("no call fails while services change from one master key to the next", async () => {
  const ledger = startUpstream(({ headers }) =>
    headers.get("authorization") === `Bearer ${VALUE}`
      ? Response.json({ rows: [{ id: 1 }] })
      : new Response(null, { status: 401 })
  );
  const upstreams = new Map([["ledger.example", ledger.url]]);
  const w = await openTestWorkspace({ upstreams, keyRingText: K1 });
  const egress = createEgress({ upstreams });
  const openings = await Promise.all(STEPS.map((keyRingText) =>
    createServices({
      databaseUrl: w.database.url,
      supabaseUrl: "http://127.0.0.1:1",
      publishableKey: "unused",
      keyRingText,
      consoleUrl: "https://console.example",
      consoleOrigins: [],
      limits: NO_LIMITS,
    })
  ));
  const services = openings.map((opened) => {
    const verifySession = (token: string) => Promise.resolve(token);
    return createApp({ ...opened, egress, cronSecret: null, verifySession });
  });
  const { sql } = w.database;
  const kids = async () =>
    (await sql<{ kid: string }[]>`select kid from framed.workspace_data_keys order by kid`).map(({ kid }) =>
      kid
    );

  /** As the administrator of both workspaces of the account, who is signed in. */
  const ask = (step: number, path: string, { method, body }: { method: string; body: unknown }) =>
    services[step]!.request(`/api${path}`, {
      method,
      headers: { authorization: `Bearer ${w.people.admin}`, "content-type": "application/json" },
      body: JSON.stringify(body),
    });
  const call = async (step: number, workspaceId: string) => {
    const response = await ask(step, "/tools/ledger_open_invoices/call", {
      method: "POST",
      body: { workspace_id: workspaceId, args: { supplier: "Acme" } },
    });
    const body = await response.json();
    return response.status === 200 ? body.result.rows[0].id : body;
  };
  const paste = (step: number, workspaceId: string) =>
    ask(step, "/tools/ledger_open_invoices/secrets/CONNECTOR_LEDGER", {
      method: "PUT",
      body: { workspace_id: workspaceId, value: VALUE },
    });

  try {
    await sql`insert into framed.members (workspace_id, user_id, role, name, email)
      values (${w.siblingId}, ${w.people.admin}, 'admin', 'Ada', 'ada@people.example')`;
    for (const workspace_id of [w.id, w.siblingId]) {
      const defined = await ask(0, "/tools/define", {
        method: "POST",
        body: { workspace_id, tool: ledgerFile() },
      });
      assertEquals(defined.status, 200);
      await defined.body?.cancel();
    }
    assertEquals((await paste(0, w.id)).status, 204);
    assertEquals(await kids(), ["k1"]);

    // While one step's service takes over from the one before, calls are answered by either.
    const answers: unknown[] = [];
    const callers = (steps: readonly number[], workspaceIds: readonly string[], count: number) =>
      Promise.all(Array.from({ length: count }, async (_, index) => {
        const step = steps[index % steps.length]!;
        answers.push(await call(step, workspaceIds[Math.floor(index / steps.length) % workspaceIds.length]!));
      }));
    const quarter = CALLS / 4;

    await callers([0, 1], [w.id], quarter);
    // A workspace whose first secret is pasted in the change has its data key under the new key, and the old step opens it.
    const [, pasted] = await Promise.all([callers([1, 2], [w.id], quarter), paste(2, w.siblingId)]);
    assertEquals(pasted.status, 204);
    assertEquals(await kids(), ["k1", "k2"]);
    const read = await readKeyRing(STEPS[2]);
    assert(read.ok && read.value !== null);
    const [, moved] = await Promise.all([
      callers([1, 2], [w.id, w.siblingId], quarter),
      rewrapDataKeys(sql, { ring: read.value, workspaceId: null }),
    ]);
    assertEquals(moved, { ok: true, value: { moved: 1, broken: [], left: [{ kid: "k2", count: 2 }] } });
    await callers([2, 3], [w.id, w.siblingId], quarter);

    assertEquals(answers, Array(CALLS).fill(1));
    assertEquals(ledger.requests.length, CALLS);
    // And only now does who still has the old key alone open nothing.
    const { value: failed, lines } = await withErrorOutput(() => call(0, w.id));
    assertEquals([failed.reason, ledger.requests.length], ["internal", CALLS]);
    assertEquals(JSON.parse(lines[0]!).cause, "SealBroken unknown_key");
    assert(!JSON.stringify([failed, lines, await w.log()]).includes(VALUE));
  } finally {
    await Promise.all(openings.map((opened) => opened.close()));
    await egress.close();
    await w.close();
    await ledger.close();
  }
});
