import { assert, assertEquals } from "@std/assert";
import { join } from "node:path";
import { databaseTest } from "../testing/database.ts";
import type { JsonObject } from "../../supabase/functions/_shared/definition/json.ts";
import { bookingFile, fixtureFile, mcpFile, openFile } from "../testing/files.ts";
import { addInnerTool, UNSEEN_DIGEST } from "../testing/inner-tools.ts";
import { addFinding, addSentApproval } from "../testing/follow-ups.ts";
import {
  type Answered,
  type CallerName,
  openTestWorkspace,
  type TestWorkspace,
} from "../testing/workspace.ts";
import { readTable } from "./examples.ts";

const REFERENCE = await Deno.readTextFile(join(import.meta.dirname!, "..", "..", "docs", "reference.md"));

const COLUMNS: Readonly<Record<string, CallerName>> = {
  "administrator": "admin",
  "member with grant": "member",
  "member": "bare_member",
  "raw key": "admin_key",
  "reseller key": "reseller_key",
};

databaseTest("docs/reference.md says who may do what as the front door does", async () => {
  const workspace = await openTestWorkspace();
  try {
    for (const row of readTable(REFERENCE, { columns: ["action", ...Object.keys(COLUMNS)] })) {
      for (const [column, caller] of Object.entries(COLUMNS)) {
        const says = await tryAction(workspace, row.action!, caller);
        assertEquals(says, row[column], `${row.action} as ${column}`);
      }
    }
  } finally {
    await workspace.close();
  }
});

/** What the table says of one action of one caller: found out by doing it. */
async function tryAction(workspace: TestWorkspace, action: string, caller: CallerName): Promise<string> {
  const slug = `tool_${crypto.randomUUID().replaceAll("-", "")}`;
  const others = caller === "admin" || caller === "admin_key" ? "member" : "admin";
  const place = `?workspace_id=${workspace.id}`;
  const defineAs = async (owner: CallerName, more: JsonObject = {}) => {
    const { status, body } = await workspace.define(fixtureFile({ slug, ...more }), owner);
    assertEquals(status, 200, JSON.stringify(body));
  };
  const own = async (more: JsonObject = {}) => {
    if (caller === "bare_member") return await defineAs("admin", more);
    return await defineAs(caller, more);
  };
  /** Of a read: whether the tool of another is seen, and for who sees only their own, whether that is. */
  const withOwn = async (read: () => Promise<string>, more: JsonObject = {}) => {
    await defineAs(others, more);
    const seen = await read();
    if (seen !== "not_found") return seen;
    await workspace.ask(`/tools/${slug}${place}`, { as: "admin", method: "DELETE" });
    await own(more);
    assertEquals(await read(), "yes");
    return "its own";
  };
  switch (action) {
    case "list tools":
      return await withOwn(async () => {
        const { status, body } = await workspace.ask(`/tools${place}&query=${slug}`, { as: caller });
        assertEquals(status, 200);
        return body.tools.length === 1 ? "yes" : "not_found";
      });
    case "read a tool back":
      return await withOwn(() => readBack(workspace, slug, caller));
    case "read a tool's versions":
      return await withOwn(async () =>
        outcome(await workspace.ask(`/tools/${slug}/versions/1${place}`, { as: caller }))
      );
    case "call a tool":
      return await withOwn(async () => outcome(await workspace.call(slug, { args: {} }, caller)));
    case "list kept reads":
      return await withOwn(async () =>
        outcome(await workspace.ask(`/tools/${slug}/reads${place}`, { as: caller }))
      );
    case "see approvals": {
      const askers = [others, caller] as const;
      let tries = 0;
      return await withOwn(async () => {
        const { id } = await propose(workspace, { slug, as: askers[tries++]! });
        const { status, body } = await workspace.ask(`/approvals/${id}`, { as: caller });
        if (status !== 200) return body.reason;
        return body.calls[0].args === null ? "without arguments" : "yes";
      }, { access: "write" });
    }
    case "decide, settle, stop a follow-up":
      return await everyOne([
        async () => {
          await defineAs("admin", { access: "write" });
          const { id, digest } = await propose(workspace, { slug, as: "admin" });
          const body = { decision: "approve", digest };
          return await workspace.ask(`/approvals/${id}/decision`, { as: caller, body });
        },
        async () => {
          const { sql } = workspace.database;
          const id = await addSentApproval(sql, { workspaceId: workspace.id, calls: ["unknown"] });
          const body = { outcome: "failed", note: "It is not there." };
          return await workspace.ask(`/approvals/${id}/settle`, { as: caller, body });
        },
        async () => {
          const id = await addSentApproval(workspace.database.sql, { workspaceId: workspace.id });
          return await workspace.ask(`/approvals/${id}/follow-up/stop`, { as: caller, method: "POST" });
        },
      ]);
    case "mark a read by POST": {
      const request = { method: "POST", url: "https://search.example/invoices" };
      assertEquals((await workspace.define(openFile({ slug, request }))).status, 200);
      const body = { workspace_id: workspace.id, value: true };
      return outcome(await workspace.ask(`/tools/${slug}/runs-as-read`, { as: caller, body }));
    }
    case "read the log": {
      await defineAs("admin");
      await workspace.call(slug, { args: { floor: 1 } }, "admin");
      return await readLog(workspace, slug, caller);
    }
    case "read Catch up": {
      const { sql } = workspace.database;
      const approvalId = await addSentApproval(sql, { workspaceId: workspace.id });
      await addFinding(sql, { workspaceId: workspace.id, approvalId });
      const { status, body } = await workspace.ask(`/catch-up${place}`, { as: caller });
      if (status !== 200) return body.reason;
      return body.findings[0].items[0].what === null ? "without what, until" : "yes";
    }
    case "define a new tool":
      return outcome(await workspace.define(fixtureFile({ slug }), caller));
    case "replace one's own tool":
      await own();
      return outcome(await workspace.define(fixtureFile({ slug, name: "Another name" }), caller));
    case "replace another's tool":
      await defineAs(others);
      return outcome(await workspace.define(fixtureFile({ slug, name: "Another name" }), caller));
    case "remove one's own tool":
      await own();
      return outcome(await workspace.ask(`/tools/${slug}${place}`, { as: caller, method: "DELETE" }));
    case "remove another's tool":
      await defineAs(others);
      return outcome(await workspace.ask(`/tools/${slug}${place}`, { as: caller, method: "DELETE" }));
    case "paste a secret":
    case "allow a secret":
    case "remove a secret": {
      const { status } = await workspace.define(bookingFile({ slug }));
      assertEquals(status, 200);
      const path = `/tools/${slug}/secrets/CONNECTOR_LEDGER`;
      const named = { workspace_id: workspace.id };
      if (action === "remove a secret") {
        return outcome(await workspace.ask(`${path}${place}`, { as: caller, method: "DELETE" }));
      }
      return outcome(
        action === "paste a secret"
          ? await workspace.ask(path, { as: caller, method: "PUT", body: { ...named, value: "12345678" } })
          : await workspace.ask(`${path}/allow`, { as: caller, body: named }),
      );
    }
    case "look at a server's tools":
    case "accept one of a server's tools": {
      const url = `https://mcp.tracker.example/${slug}`;
      assertEquals((await workspace.define(mcpFile({ slug, mcp: { url } }))).status, 200);
      await addInnerTool(workspace.database.sql, { workspaceId: workspace.id, url, name: "search" });
      const path = `/tools/${slug}/inner-tools`;
      if (action === "look at a server's tools") {
        return outcome(await workspace.ask(`${path}${place}`, { as: caller }));
      }
      const body = { workspace_id: workspace.id, digest: UNSEEN_DIGEST };
      return outcome(await workspace.ask(`${path}/search/accept`, { as: caller, body }));
    }
    case "see people, keys and settings":
      return await everyOne(
        ["", "/members", "/keys"].map((path) => () =>
          workspace.ask(`/workspaces/${workspace.id}${path}`, { as: caller })
        ),
      );
    case "change people, keys and settings": {
      const person = { role: "member", name: "New", email: "new@people.example" };
      const ask = (path: string, method: string, body: unknown) => () =>
        workspace.ask(`/workspaces/${workspace.id}${path}`, { as: caller, method, body });
      return await everyOne([
        ask("", "PATCH", { log_days: 30 }),
        ask(`/members/${crypto.randomUUID()}`, "PUT", person),
        ask("/keys", "POST", { name: "New", kind: "raw" }),
      ]);
    }
    default:
      throw new Error(`nothing tries "${action}"`);
  }
}

/** "yes", or the reason why not. */
function outcome({ status, body }: Answered): string {
  return status < 300 ? "yes" : body?.reason ?? String(status);
}

/** What all of `attempts` come to alike. */
async function everyOne(attempts: readonly (() => Promise<Answered>)[]): Promise<string> {
  const outcomes = new Set<string>();
  for (const attempt of attempts) outcomes.add(outcome(await attempt()));
  return [...outcomes].join(" or ");
}

/** A read of a live tool leaves rows, which who lacks the grant is not told of. */
async function readBack(workspace: TestWorkspace, slug: string, caller: CallerName): Promise<string> {
  await workspace.database.sql`
    insert into framed.v2_kept_reads (workspace_id, connector_id, call_digest, args, version, result, row_count, read_at)
    select workspace_id, id, decode(repeat('00', 32), 'hex'), '{}', version, '[]', 0, now() from framed.v2_connectors where slug = ${slug}
    on conflict do nothing`;
  const { status, body } = await workspace.ask(`/tools/${slug}?workspace_id=${workspace.id}`, { as: caller });
  if (status !== 200) return body.reason;
  assert("last_read" in body);
  return body.last_read === null ? "without last_read" : "yes";
}

/** An approval of a call of the tool that waits, with the digest it is decided under. */
async function propose(
  workspace: TestWorkspace,
  { slug, as }: { slug: string; as: CallerName },
): Promise<{ id: string; digest: string }> {
  const { status, body } = await workspace.call(slug, { args: {} }, as);
  assertEquals(status, 202, JSON.stringify(body));
  const shown = await workspace.ask(`/approvals/${body.approval_id}`, { as: "admin" });
  return { id: body.approval_id, digest: shown.body.digest };
}

async function readLog(workspace: TestWorkspace, slug: string, caller: CallerName): Promise<string> {
  const path = `/log?workspace_id=${workspace.id}&tool=${slug}&limit=1`;
  const { status, body } = await workspace.ask(path, { as: caller });
  if (status !== 200) return body.reason;
  const [event] = body.events;
  assertEquals(event.event, "tool.called");
  return event.args === null ? "without args" : "yes";
}
