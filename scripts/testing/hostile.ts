/** What strangers write to run where it is read: hostile texts, and a workspace that has them wherever a text can stand. */

import type postgres from "postgres";
import { createKey, hashKey } from "../../supabase/functions/_shared/auth/keys.ts";
import type { JsonObject } from "../../supabase/functions/_shared/definition/json.ts";
import { fixtureFile, mcpFile, openFile } from "./files.ts";
import { addFinding, addSentApproval } from "./follow-ups.ts";
import { innerTool, speakMcp } from "./mcp-server.ts";
import { addPerson, addWorkspace } from "./sign-in-people.ts";
import { callStack } from "./stack-caller.ts";
import type { ReadyLine } from "./stack-process.ts";
import { startUpstream, type Upstream } from "./upstream.ts";

/** Where the texts would have a browser go. */
export const ELSEWHERE = "https://elsewhere.example";

/** Short enough for a name each. Whoever runs one sets `pwned`. */
export const VECTORS: readonly string[] = [
  "<script>pwned=1</script>",
  "<img src=x onerror=pwned=1>",
  `<img src=${ELSEWHERE}/a.png>`,
  "<svg onload=pwned=1>",
  "javascript:pwned=1",
  `"><iframe srcdoc="<script>top.pwned=1</script>">`,
  "</title></textarea></style><style>*{display:none}</style>",
  `a{background:url(${ELSEWHERE}/b.css)}`,
  "{{constructor.constructor('pwned=1')()}} ${pwned=1} #{7*7} {{secret}}",
  "evil\u202egnp.exe\u2066\u200b\u200d\ufeff\u00ad",
];
/** A word that no line is wide enough for. */
export const LONG = "W".repeat(10_000);
/** All of them in one text. */
export const ATTACK = VECTORS.join(" ");
/** The part of {@link ATTACK} that a page shows as it is, wherever all of it stands. */
export const SHOWN = VECTORS[1]!;

/** A name of at most `length` that begins with what runs. */
function name(length: number): string {
  return [...`${VECTORS[1]} ${VECTORS[9]} ${LONG}`].slice(0, length).join("");
}

/** The systems that the tools of a hostile workspace call, and what a stack has to be told of them. */
export function startHostileSystems(): { upstreams: string; close(): Promise<void> } {
  let lists = 0;
  const ledger: Upstream = startUpstream(({ method }) =>
    method === "GET"
      ? Response.json({ rows: [{ [ATTACK]: ATTACK, long: LONG, link: VECTORS[4]! }] })
      : new Response(`<html><body>${ATTACK} ${LONG}</body></html>`, {
        status: 422,
        headers: { "content-type": "text/html" },
      })
  );
  const tracker = startUpstream(speakMcp({
    tools: () => [innerTool("search", {
      title: ATTACK,
      description: `${ATTACK} ${LONG} ${lists++ === 0 ? "" : "changed"}`,
      inputSchema: { type: "object", properties: { [ATTACK]: { type: "string", description: ATTACK } } },
    })],
    call: () => ({ content: [{ type: "text", text: `${ATTACK} ${LONG}` }] }),
  }));
  return {
    upstreams: `ledger.example=${ledger.url.origin},mcp.tracker.example=${tracker.url.origin}`,
    async close() {
      await Promise.all([ledger.close(), tracker.close()]);
    },
  };
}

/** Ids of what a person opens. */
export interface HostileWorkspace {
  readonly waiting: string;
  readonly rejected: string;
  readonly failed: string;
  readonly followed: string;
}

/** Fills the demo workspace of `stack` with all of it: tools, approvals, people, keys, programs, findings, the log. */
export async function fillWithHostile(stack: ReadyLine, sql: postgres.Sql): Promise<HostileWorkspace> {
  const { ask, define, propose, tick } = callStack(stack);
  const workspaceId = stack.workspace_id;
  const read = (slug: string, args: JsonObject, wanted: number) =>
    ask(`/tools/${slug}/call`, { body: { workspace_id: workspaceId, args }, wanted });
  for (const tool of HOSTILE_TOOLS) await define(tool);
  const args = { [ATTACK]: ATTACK, long: LONG, nested: [{ [VECTORS[0]!]: [...VECTORS] }] };
  await read("hostile_fixture", { [VECTORS[1]!]: ATTACK }, 200);
  await read("hostile_live", { [VECTORS[1]!]: ATTACK }, 200);
  await read("hostile_server", { action: "list" }, 200);
  await sql`
    update framed.v2_inner_lists set listed_at = listed_at - interval '11 minutes',
      first_listed_at = first_listed_at - interval '11 minutes'`;
  await read("hostile_server", { action: "list" }, 200);

  const approvals = [];
  for (const n of [1, 2, 3]) approvals.push(await propose("hostile_write", { ...args, n }));
  const [waiting, rejected, failed] = approvals as [string, string, string];
  const decide = async (id: string, decision: JsonObject) => {
    const { digest } = await ask(`/approvals/${id}`, { as: "admin" });
    await ask(`/approvals/${id}/decision`, { as: "admin", body: { digest, ...decision } });
  };
  await decide(rejected, { decision: "reject", reason: ATTACK });
  await decide(failed, { decision: "approve" });
  const followed = await addSentApproval(sql, {
    workspaceId,
    followUp: { what: `${ATTACK} ${LONG}`, until: ATTACK, tool: "hostile_write" },
  });
  await addFinding(sql, { workspaceId, approvalId: followed });

  await sql`
    insert into framed.log_events (workspace_id, event, request_id, principal, tool, operation, args, outcome, detail, total_ms)
    values (${workspaceId}, 'tool.call', 'req_hostile', ${json({ kind: "raw_key", id: "k", name: ATTACK })},
      ${name(200)}, ${ATTACK}, ${json(args)}, 'upstream_error', ${
    json({ message: `${ATTACK} ${LONG}`, [VECTORS[1]!]: ATTACK })
  }, 1)`;
  await nameAll(stack, sql);
  await tick();
  return { waiting, rejected, failed, followed };

  function json(value: JsonObject) {
    return sql.unsafe(`'${JSON.stringify(value).replaceAll("'", "''")}'::jsonb`);
  }
}

/** People, keys, programs and workspaces, each called as badly as the store lets them be. */
async function nameAll(stack: ReadyLine, sql: postgres.Sql): Promise<void> {
  const workspaceId = stack.workspace_id;
  const { id } = await addPerson(sql, name(200));
  await sql`
    insert into framed.members (workspace_id, user_id, role, name, email)
    values (${workspaceId}, ${id}, 'admin', ${name(200)}, ${`${VECTORS[1]}${
    "W".repeat(200)
  }@people.example`})`;
  for (const vector of VECTORS) {
    await sql`
      insert into framed.api_keys (kind, account_id, workspace_id, user_id, name, key_hash)
      select 'raw', account_id, id, ${id}, ${vector}, decode(${hashKey(createKey())}, 'hex')
        from framed.workspaces where id = ${workspaceId}`;
    await sql`
      insert into framed.connect_grants (workspace_id, user_id, client_id, client_name, redirect_host, resource, expires_at, activated_at)
      select ${workspaceId}, id, 'a-client', ${vector}, ${
      name(400)
    }, ${`${stack.functions}/connect/mcp`}, now() + interval '1 day', now()
        from local_sign_in.users where email = ${stack.admin.email}`;
  }
  await sql`update framed.workspaces set name = ${name(200)} where id = ${workspaceId}`;
  await addWorkspace(sql, {
    beside: workspaceId,
    name: name(200),
    members: [{ email: stack.admin.email, role: "admin" }],
  });
}

const anyArguments: JsonObject = {
  type: "object",
  additionalProperties: true,
  properties: {
    [VECTORS[1]!]: { type: "string", description: ATTACK, enum: [...VECTORS, ATTACK] },
    [VECTORS[9]!]: { type: "string", description: ATTACK },
  },
};
const words = { name: name(80), description: ATTACK, arguments: anyArguments };
const answer = {
  rows: [{ [ATTACK]: ATTACK, long: LONG, link: VECTORS[4]!, nested: { [ATTACK]: [...VECTORS] } }],
};

/** A file as a stranger would hand it over. */
export const HOSTILE_FILE: JsonObject = fixtureFile({
  slug: "hostile_fixture",
  ...words,
  fixtures: [{ example: { [VECTORS[1]!]: ATTACK }, label: name(80), response: answer }, { response: answer }],
});

const HOSTILE_TOOLS: readonly JsonObject[] = [
  HOSTILE_FILE,
  openFile({
    slug: "hostile_live",
    ...words,
    request: { method: "GET", url: "https://ledger.example/rows" },
    fixtures: [{ response: answer }],
  }),
  openFile({
    slug: "hostile_write",
    ...words,
    access: "write",
    request: { method: "POST", url: "https://ledger.example/rows" },
    fixtures: [{ response: answer }],
  }),
  mcpFile({
    slug: "hostile_server",
    name: name(80),
    description: ATTACK,
    mcp: { url: "https://mcp.tracker.example/mcp" },
  }),
  ...VECTORS.map((vector, n) => fixtureFile({ slug: `hostile_${n}`, name: vector, description: vector })),
];
