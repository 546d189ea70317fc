/** Who may do what: every route of the front door as every kind of caller. A route that is not here fails the test. */

import { assert, assertEquals } from "@std/assert";
import { databaseTest } from "../../../scripts/testing/database.ts";
import { fixtureFile, openFile } from "../../../scripts/testing/files.ts";
import { addSentApproval } from "../../../scripts/testing/follow-ups.ts";
import { UNSEEN_DIGEST } from "../../../scripts/testing/inner-tools.ts";
import { createThings, newId, newSlug, NO_DIGEST } from "../../../scripts/testing/things.ts";
import { type CallerName, openTestWorkspace } from "../../../scripts/testing/workspace.ts";
import { type Reason, REASONS } from "../_shared/outcome/reason.ts";
import { writeHandle } from "../_shared/results/handle.ts";
import { createApp } from "./app.ts";

const w = await openTestWorkspace();
globalThis.addEventListener("unload", () => w.close());
const { sql } = w.database;

/** A thing on a workspace: a name, an id or a handle; empty where a route is about the workspace itself. */
interface Place {
  readonly workspaceId: string;
  readonly thing: string;
}

interface Asked {
  readonly path: string;
  readonly body?: unknown;
}

interface Row {
  readonly route: string;
  /** Asks for `thing` on the workspace, well formed, so that nothing but authority refuses it. */
  readonly ask: (place: Place) => Asked;
  /** Makes what is asked for, owned by `owner`, new for each caller; gives its name, id or handle. */
  readonly make?: (owner: CallerName) => Promise<string>;
  /** A thing of a workspace that does not exist, where the thing itself says on which it is. */
  readonly nowhere?: () => string;
  /**
   * What becomes of it: a status or a reason, in the order of `HERE`. Of a reseller key two, `another's|its own`, where it
   * makes a difference whose the thing is.
   */
  readonly here: string;
  /** What becomes of it as whoever does not reach the workspace, in the order of `ELSEWHERE`; of the last, nobody. */
  readonly away?: string;
  /** A thing that is there and hidden from `from`, of the same form as one that is missing. */
  readonly hides?: {
    readonly from: CallerName;
    readonly thing: () => Promise<string>;
    readonly missing: () => string;
  };
}

const HERE = ["admin", "second_admin", "member", "bare_member", "admin_key", "reseller_key"] as const;
const ELSEWHERE = ["stranger", "stranger_key", "stranger_reseller_key", "nobody"] as const;
const AWAY = "not_found not_found not_found unauthenticated";

const {
  makeTool,
  makeReadTool,
  makeHandle,
  makeSecretTool,
  makeServerTool,
  makeWaiting,
  missingApproval,
  strangersApproval,
  makeMember,
  makeKey,
  makeGrant,
} = createThings(w);
const ofApproval = (rest: string, body: (digest: string) => unknown) => ({ thing }: Place) => {
  const [id, digest] = thing.split(" ");
  return { path: `/approvals/${id}${rest}`, body: body(digest!) };
};

const anothersTool = { from: "reseller_key", thing: () => makeTool("admin"), missing: newSlug } as const;
const ofTool = (rest = "") => ({ workspaceId, thing }: Place) => ({
  path: `/tools/${thing}${rest}?workspace_id=${workspaceId}`,
});
const ofWorkspace = (rest = "", body?: unknown) => ({ workspaceId }: Pick<Place, "workspaceId">) => ({
  path: `/workspaces/${workspaceId}${rest}`,
  ...(body === undefined ? {} : { body }),
});
const ofSecret = (rest: string, body: object) => ({ workspaceId, thing }: Place) => ({
  path: `/tools/${thing}/secrets/CONNECTOR_LEDGER${rest}`,
  body: { workspace_id: workspaceId, ...body },
});

const SECRET_HERE = "204 204 admin_required admin_required person_required person_required";
const ADMIN_SESSION = "200 200 admin_required admin_required person_required person_required";
const SESSION = "200 200 200 200 person_required person_required";
const DECIDES = "200 200 200 grant_missing person_required person_required";
const AWAY_FROM_DECISIONS = "not_found person_required person_required unauthenticated";

const TABLE: readonly Row[] = [
  {
    route: "POST /tools/define",
    make: () => Promise.resolve(newSlug()),
    ask: ({ workspaceId, thing }) => ({
      path: "/tools/define",
      body: { workspace_id: workspaceId, tool: fixtureFile({ slug: thing }) },
    }),
    here: "200 200 200 grant_missing 200 200",
  },
  {
    route: "POST /tools/install",
    ask: ({ workspaceId }) => ({
      path: "/tools/install",
      body: { workspace_id: workspaceId, tool: "moneybird" },
    }),
    here: ADMIN_SESSION,
  },
  {
    route: "GET /tools",
    ask: ({ workspaceId }) => ({ path: `/tools?workspace_id=${workspaceId}` }),
    here: "200 200 200 200 200 200",
  },
  {
    route: "GET /tools/:slug",
    make: makeTool,
    ask: ofTool(),
    here: "200 200 200 200 200 not_found|200",
    hides: anothersTool,
  },
  {
    route: "GET /tools/:slug/versions",
    make: makeTool,
    ask: ofTool("/versions"),
    here: "200 200 200 200 200 not_found|200",
    hides: anothersTool,
  },
  {
    route: "GET /tools/:slug/versions/:version",
    make: makeTool,
    ask: ofTool("/versions/1"),
    here: "200 200 200 200 200 not_found|200",
    hides: anothersTool,
  },
  {
    route: "DELETE /tools/:slug",
    make: makeTool,
    ask: ofTool(),
    here: "204 204 admin_required grant_missing 204 not_found|204",
    hides: anothersTool,
  },
  {
    route: "POST /tools/:slug/call",
    make: makeTool,
    ask: ({ workspaceId, thing }) => ({
      path: `/tools/${thing}/call`,
      body: { workspace_id: workspaceId, args: {} },
    }),
    here: "200 200 200 grant_missing 200 not_found|200",
    hides: anothersTool,
  },
  {
    route: "GET /tools/:slug/reads",
    make: makeReadTool,
    ask: ofTool("/reads"),
    here: "200 200 200 grant_missing 200 not_found|200",
    hides: anothersTool,
  },
  {
    route: "GET /results/:handle",
    make: makeHandle,
    ask: ({ thing }) => ({ path: `/results/${thing}` }),
    nowhere: () => writeHandle({ workspaceId: newId(), id: newId() }),
    here: "200 200 200 grant_missing 200 not_found|200",
    hides: {
      from: "reseller_key",
      thing: () => makeHandle("admin"),
      missing: () => writeHandle({ workspaceId: w.id, id: newId() }),
    },
  },
  {
    route: "PUT /tools/:slug/secrets/:name",
    make: makeSecretTool,
    ask: ofSecret("", { value: "12345678" }),
    here: SECRET_HERE,
  },
  {
    route: "DELETE /tools/:slug/secrets/:name",
    make: makeSecretTool,
    ask: ofTool("/secrets/CONNECTOR_LEDGER"),
    here: SECRET_HERE,
  },
  {
    route: "POST /tools/:slug/secrets/:name/allow",
    make: makeSecretTool,
    ask: ofSecret("/allow", {}),
    here: SECRET_HERE,
  },
  {
    route: "GET /tools/:slug/inner-tools",
    make: makeServerTool,
    ask: ofTool("/inner-tools"),
    here: ADMIN_SESSION,
  },
  {
    route: "POST /tools/:slug/inner-tools/:name/accept",
    make: makeServerTool,
    ask: ({ workspaceId, thing }) => ({
      path: `/tools/${thing}/inner-tools/search/accept`,
      body: { workspace_id: workspaceId, digest: UNSEEN_DIGEST },
    }),
    here: ADMIN_SESSION,
  },
  {
    route: "GET /log",
    ask: ({ workspaceId }) => ({ path: `/log?workspace_id=${workspaceId}` }),
    here: "200 200 200 200 200 grant_missing",
  },
  {
    route: "GET /log/export",
    ask: ({ workspaceId }) => ({ path: `/log/export?workspace_id=${workspaceId}` }),
    here: "200 200 200 200 200 grant_missing",
  },
  {
    route: "GET /log/days",
    ask: ({ workspaceId }) => ({ path: `/log/days?workspace_id=${workspaceId}` }),
    here: "200 200 200 200 200 grant_missing",
  },
  {
    route: "GET /catch-up",
    ask: ({ workspaceId }) => ({ path: `/catch-up?workspace_id=${workspaceId}` }),
    here: "200 200 200 200 200 grant_missing",
  },
  {
    route: "POST /tools/calls",
    make: makeTool,
    ask: ({ workspaceId, thing }) => ({
      path: "/tools/calls",
      body: { workspace_id: workspaceId, calls: [{ tool: thing, args: {} }] },
    }),
    here: "202 202 202 grant_missing 202 not_found|202",
    hides: anothersTool,
  },
  {
    route: "POST /tools/:slug/runs-as-read",
    make: () =>
      makeTool("admin", (more) =>
        openFile({
          ...more,
          arguments: { type: "object", properties: {} },
          request: { method: "POST", url: "https://rates.example/search" },
        })),
    ask: ({ workspaceId, thing }) => ({
      path: `/tools/${thing}/runs-as-read`,
      body: { workspace_id: workspaceId, value: true },
    }),
    here: ADMIN_SESSION,
  },
  {
    route: "GET /approvals",
    ask: ({ workspaceId }) => ({ path: `/approvals?workspace_id=${workspaceId}` }),
    here: "200 200 200 200 200 200",
  },
  {
    route: "GET /approvals/:id",
    make: makeWaiting,
    ask: ({ thing }) => ({ path: `/approvals/${thing.split(" ")[0]}` }),
    nowhere: newId,
    here: "200 200 200 200 200 not_found|200",
    hides: { from: "reseller_key", thing: () => makeWaiting("admin"), missing: newId },
  },
  {
    route: "POST /approvals/:id/decision",
    make: makeWaiting,
    ask: ofApproval("/decision", (digest) => ({ decision: "approve", digest })),
    nowhere: missingApproval,
    here: DECIDES,
    away: AWAY_FROM_DECISIONS,
    hides: { from: "admin", thing: strangersApproval, missing: missingApproval },
  },
  {
    // What of its approvals is out of reach is told of each.
    route: "POST /approvals/decisions",
    make: makeWaiting,
    ask: ({ thing }) => {
      const [id, digest] = thing.split(" ");
      return { path: "/approvals/decisions", body: { decisions: [{ id, decision: "approve", digest }] } };
    },
    here: SESSION,
    away: "200 person_required person_required unauthenticated",
  },
  {
    route: "POST /approvals/:id/settle",
    make: async () => `${await addSentApproval(sql, { workspaceId: w.id, calls: ["unknown"] })} ${NO_DIGEST}`,
    ask: ofApproval("/settle", () => ({ outcome: "applied", note: "It stands there." })),
    nowhere: missingApproval,
    here: DECIDES,
    away: AWAY_FROM_DECISIONS,
    hides: { from: "admin", thing: strangersApproval, missing: missingApproval },
  },
  {
    route: "POST /approvals/:id/follow-up/stop",
    make: () => addSentApproval(sql, { workspaceId: w.id }),
    ask: ({ thing }) => ({ path: `/approvals/${thing}/follow-up/stop`, body: {} }),
    nowhere: newId,
    here: "200 200 200 grant_missing person_required person_required",
    away: "not_found person_required person_required unauthenticated",
    hides: {
      from: "admin",
      thing: () => addSentApproval(sql, { workspaceId: w.strangersId }),
      missing: newId,
    },
  },
  {
    route: "GET /workspaces",
    ask: () => ({ path: "/workspaces" }),
    here: SESSION,
    away: "200 person_required person_required unauthenticated",
  },
  { route: "GET /workspaces/:workspace", ask: ofWorkspace(), here: SESSION },
  { route: "PATCH /workspaces/:workspace", ask: ofWorkspace("", { approval_days: 7 }), here: ADMIN_SESSION },
  { route: "GET /workspaces/:workspace/members", ask: ofWorkspace("/members"), here: SESSION },
  {
    route: "PUT /workspaces/:workspace/members/:user",
    make: () => makeMember(),
    ask: ({ workspaceId, thing }) =>
      ofWorkspace(`/members/${thing}`, { role: "member", name: "Renamed", email: "new@people.example" })({
        workspaceId,
      }),
    here: ADMIN_SESSION,
  },
  {
    route: "DELETE /workspaces/:workspace/members/:user",
    make: () => makeMember(),
    ask: ({ workspaceId, thing }) => ofWorkspace(`/members/${thing}`)({ workspaceId }),
    here: SECRET_HERE,
    hides: { from: "admin", thing: () => makeMember(w.strangersId), missing: newId },
  },
  { route: "GET /workspaces/:workspace/notices", ask: ofWorkspace("/notices"), here: ADMIN_SESSION },
  {
    route: "POST /workspaces/:workspace/webhook/rotate",
    make: async () => {
      const notify = { url: "https://hooks.example.com/", delay_minutes: 0 };
      const set = await w.ask(`/workspaces/${w.id}`, { as: "admin", method: "PATCH", body: { notify } });
      assertEquals(set.status, 200, set.text);
      return "";
    },
    ask: ofWorkspace("/webhook/rotate", {}),
    here: ADMIN_SESSION,
  },
  { route: "GET /workspaces/:workspace/keys", ask: ofWorkspace("/keys"), here: SESSION },
  {
    route: "POST /workspaces/:workspace/keys",
    ask: ofWorkspace("/keys", { name: "New", kind: "raw" }),
    here: "201 201 admin_required admin_required person_required person_required",
  },
  {
    route: "DELETE /workspaces/:workspace/keys/:key",
    make: () => makeKey(),
    ask: ({ workspaceId, thing }) => ofWorkspace(`/keys/${thing}`)({ workspaceId }),
    here: SECRET_HERE,
    hides: { from: "admin", thing: () => makeKey(w.strangersId), missing: newId },
  },
  {
    route: "GET /workspaces/:workspace/connect-tokens",
    ask: ofWorkspace("/connect-tokens"),
    here: SESSION,
  },
  {
    route: "DELETE /workspaces/:workspace/connect-tokens/:token",
    make: () => makeGrant(),
    ask: ({ workspaceId, thing }) => ofWorkspace(`/connect-tokens/${thing}`)({ workspaceId }),
    // One that another person granted is an administrator's to end.
    here: "204 204 not_found not_found person_required person_required",
    hides: { from: "member", thing: () => makeGrant(), missing: newId },
  },
  {
    route: "POST /cron/tick",
    ask: () => ({ path: "/cron/tick", body: {} }),
    here: Array(HERE.length).fill("unauthenticated").join(" "),
    away: Array(ELSEWHERE.length).fill("unauthenticated").join(" "),
  },
];

async function askAs(as: CallerName, { route }: Row, { path, body }: Asked) {
  const [method] = route.split(" ");
  return await w.ask(path, { as, method: method!, ...(body === undefined ? {} : { body }) });
}

/** The status, or the reason where there is one; it has the status that the table of reasons says. */
function outcomeOf({ status, body }: Awaited<ReturnType<typeof askAs>>): string {
  if (status < 400) return String(status);
  assertEquals(status, REASONS[body.reason as Reason].status);
  return body.reason;
}

/** All of an answer but what is its own. */
function bytesOf({ status, headers, text }: Awaited<ReturnType<typeof askAs>>) {
  const rest = [...headers].filter(([name]) => name !== "x-request-id");
  return { status, rest, text: text.replace(/req_[0-9a-f]{32}/g, "") };
}

databaseTest("every route of the front door is in the table, and each once", () => {
  const app = createApp(
    { consoleOrigins: [], telemetry: null } as unknown as Parameters<typeof createApp>[0],
  );
  // Connect's own, which speak OAuth and MCP: tests of theirs say who may ask them.
  const routes = app.routes.filter(({ method, path }) =>
    method !== "ALL" && !path.startsWith("/api/connect/")
  )
    .map(({ method, path }) => `${method} ${path.replace(/^\/api/, "")}`);
  assert(routes.length > 0);
  assertEquals(TABLE.map(({ route }) => route).sort(), [...new Set(routes)].sort());
});

for (const row of TABLE) {
  const { route, make, ask, here, away = AWAY } = row;
  const expected = here.split(" ");
  databaseTest(`${route} as each kind of caller`, async (t) => {
    for (const [index, as] of HERE.entries()) {
      for (const [turn, outcome] of expected[index]!.split("|").entries()) {
        const owner = turn === 0 ? "admin" : as;
        await t.step(`${as}${turn === 0 ? "" : ", of its own"}: ${outcome}`, async () => {
          const thing = await make?.(owner) ?? "";
          assertEquals(outcomeOf(await askAs(as, row, ask({ workspaceId: w.id, thing }))), outcome);
        });
      }
    }
    await t.step(
      "a program that a person let in: what their key would be, and their session's rights nowhere",
      async () => {
        // As the administrator's raw key, which is the same person without a session.
        const outcome = expected[HERE.indexOf("admin_key")]!;
        const thing = await make?.("admin") ?? "";
        assertEquals(outcomeOf(await askAs("admin_token", row, ask({ workspaceId: w.id, thing }))), outcome);
        const strange = outcomeOf(
          await askAs("stranger_token", row, ask({ workspaceId: w.id, thing: await make?.("admin") ?? "" })),
        );
        assertEquals(strange, away.split(" ")[ELSEWHERE.indexOf("stranger_key")]);
      },
    );
    const outside = away.split(" ");
    for (const [index, as] of ELSEWHERE.entries()) {
      await t.step(`${as}: ${outside[index]}`, async () => {
        const thing = await make?.("admin") ?? "";
        const answered = await askAs(as, row, ask({ workspaceId: w.id, thing }));
        assertEquals(outcomeOf(answered), outside[index]);
        if (outcomeOf(answered) !== "not_found") return;
        const nowhere = {
          workspaceId: newId(),
          thing: row.nowhere?.() ?? thing,
        };
        assertEquals(
          bytesOf(answered),
          bytesOf(await askAs(as, row, ask(nowhere))),
          "hidden looks as missing",
        );
      });
    }
    const { hides } = row;
    if (hides === undefined) return;
    await t.step(`what is hidden from ${hides.from} looks as what is missing`, async () => {
      const [hidden, missing] = [await hides.thing(), hides.missing()];
      const [one, other] = [
        await askAs(hides.from, row, ask({ workspaceId: w.id, thing: hidden })),
        await askAs(hides.from, row, ask({ workspaceId: w.id, thing: missing })),
      ];
      assertEquals(outcomeOf(one), "not_found");
      assertEquals(bytesOf(one), bytesOf(other));
    });
  });
}
