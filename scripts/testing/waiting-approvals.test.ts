import { assert, assertEquals } from "@std/assert";
import { startStackProcess } from "./stack-process.ts";
import { startUpstream } from "./upstream.ts";
import { seedWaitingApprovals } from "./waiting-approvals.ts";

Deno.test(
  "seeded approvals wait as any other does: one that is approved over HTTP is sent, the rest wait on",
  async () => {
    const ledger = startUpstream(() => Response.json({ id: 7, paid: true }));
    const stack = startStackProcess(["--ephemeral", "--port", "0"], {
      env: { FRAMED_LOCAL_UPSTREAMS: `ledger.example=${ledger.url.origin}` },
    });
    try {
      const ready = await stack.ready;
      const { ids, tool } = await seedWaitingApprovals(ready, { count: 25 });
      assertEquals([ids.length, new Set(ids).size, tool], [25, 25, "ledger_pay_invoice"]);

      const authorization = `Bearer ${await signIn(ready)}`;
      const ask = async (path: string, body?: unknown) => {
        const response = await fetch(`${ready.api}${path}`, {
          headers: { authorization, "content-type": "application/json" },
          ...(body === undefined ? {} : { method: "POST", body: JSON.stringify(body) }),
        });
        const answered = await response.json();
        assert(response.ok, JSON.stringify(answered));
        return answered;
      };
      const seen = await ask(`/approvals/${ids[9]}`);
      assertEquals([seen.status, seen.calls[0].host], ["awaiting_approval", "ledger.example"]);
      const decided = await ask(`/approvals/${ids[9]}/decision`, {
        decision: "approve",
        digest: seen.digest,
      });
      assertEquals(decided.status, "applied");
      assertEquals(ledger.requests.map(({ method, target }) => `${method} ${target}`), [
        "POST /api/payments",
      ]);
      assertEquals(JSON.parse(ledger.requests[0]!.body), seen.calls[0].args);

      const waiting = await ask(`/approvals?workspace_id=${ready.workspace_id}&status=awaiting_approval`);
      assertEquals(
        waiting.approvals.map(({ id }: { id: string }) => id).toSorted(),
        ids.toSpliced(9, 1).toSorted(),
      );
      // A second time it goes on from where it is told to, on the same tool.
      const more = await seedWaitingApprovals(ready, { count: 3, first: 26 });
      assertEquals(new Set([...ids, ...more.ids]).size, 28);
    } finally {
      await stack.kill("SIGTERM");
      await ledger.close();
    }
  },
);

async function signIn(
  { auth, publishable_key, admin }: { auth: string; publishable_key: string; admin: object },
): Promise<string> {
  const response = await fetch(`${auth}/token?grant_type=password`, {
    method: "POST",
    headers: { apikey: publishable_key, "content-type": "application/json" },
    body: JSON.stringify(admin),
  });
  return (await response.json()).access_token;
}
