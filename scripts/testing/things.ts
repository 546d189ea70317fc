/** Makes what a workspace can hold, one new thing each time, for tests that ask about each as everyone. */

import { assertEquals } from "@std/assert";
import { writeHandle } from "../../supabase/functions/_shared/results/handle.ts";
import { fixtureFile, ledgerFile, mcpFile, openFile } from "./files.ts";
import { addSentApproval } from "./follow-ups.ts";
import { addInnerTool } from "./inner-tools.ts";
import type { CallerName, TestWorkspace } from "./workspace.ts";

export const newSlug = () => `tool_${crypto.randomUUID().replaceAll("-", "")}`;
/** Of nothing. */
export const NO_DIGEST = "0".repeat(64);
export const newId = () => crypto.randomUUID();

/** What makes things on `w`, each by its name, id or handle. */
export function createThings(w: TestWorkspace) {
  const { sql } = w.database;

  async function makeTool(owner: CallerName, file = fixtureFile): Promise<string> {
    const slug = newSlug();
    const { status, text } = await w.define(file({ slug }), owner);
    assertEquals(status, 200, text);
    return slug;
  }

  /** A tool with something that was read. */
  async function makeReadTool(owner: CallerName): Promise<string> {
    const slug = await makeTool(owner, openFile);
    await sql`
    insert into framed.v2_kept_reads (workspace_id, connector_id, call_digest, args, version, result, row_count, read_at)
    select workspace_id, id, sha256(slug::bytea), '{}', version, '[]', 0, now() from framed.v2_connectors where slug = ${slug}`;
    return slug;
  }

  async function makeHandle(owner: CallerName): Promise<string> {
    const slug = await makeReadTool(owner);
    const [read] = await sql<{ id: string }[]>`
    select k.id from framed.v2_kept_reads k join framed.v2_connectors c on c.id = k.connector_id where c.slug = ${slug}`;
    return writeHandle({ workspaceId: w.id, id: read!.id });
  }

  async function makeSecretTool(): Promise<string> {
    const slug = await makeTool("admin", ledgerFile);
    assertEquals((await w.paste(slug, { name: "CONNECTOR_LEDGER", value: "12345678" })).status, 204);
    return slug;
  }

  /** A tool whose server lists one that nobody has looked at. */
  async function makeServerTool(owner: CallerName): Promise<string> {
    const slug = newSlug();
    const url = `https://mcp.tracker.example/${slug}`;
    const { status, text } = await w.define(mcpFile({ slug, mcp: { url } }), owner);
    assertEquals(status, 200, text);
    await addInnerTool(sql, { workspaceId: w.id, url, name: "search" });
    return slug;
  }

  /** An approval that waits, and the digest it is decided under. */
  async function makeWaiting(owner: CallerName): Promise<string> {
    const slug = await makeTool(owner, (more) => fixtureFile({ ...more, access: "write" }));
    const proposed = await w.call(slug, { args: {} }, owner);
    assertEquals(proposed.status, 202, proposed.text);
    const { approval_id: id } = proposed.body;
    const [row] = await sql<{ digest: string }[]>`
    select encode(digest, 'hex') as digest from framed.v2_approvals where id = ${id}`;
    return `${id} ${row!.digest}`;
  }

  const missingApproval = () => `${newId()} ${NO_DIGEST}`;
  const strangersApproval = async () =>
    `${await addSentApproval(sql, { workspaceId: w.strangersId })} ${NO_DIGEST}`;
  async function makeMember(workspaceId = w.id): Promise<string> {
    const userId = newId();
    await sql`insert into framed.members (workspace_id, user_id, role, name, email)
    values (${workspaceId}, ${userId}, 'member', 'New', 'new@people.example')`;
    return userId;
  }

  async function makeKey(workspaceId = w.id): Promise<string> {
    const [key] = await sql<{ id: string }[]>`
    insert into framed.api_keys (kind, account_id, workspace_id, user_id, name, key_hash)
    select 'raw', w.account_id, w.id, m.user_id, 'New', sha256(${newId()}::bytea)
      from framed.workspaces w join framed.members m on m.workspace_id = w.id and m.role = 'admin'
     where w.id = ${workspaceId} limit 1 returning id`;
    return key!.id;
  }

  async function makeGrant(): Promise<string> {
    const [grant] = await sql<{ id: string }[]>`
    insert into framed.connect_grants (workspace_id, user_id, client_id, client_name, redirect_host, resource, expires_at, activated_at)
    values (${w.id}, ${w.people.admin}, 'a-client', 'A host', 'host.example', 'https://here.example/mcp', now() + interval '1 day', now())
    returning id`;
    return grant!.id;
  }

  return {
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
  };
}
