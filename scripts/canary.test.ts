/** A credential's whole life on the real stack, and a search for it everywhere it must not be. */

import { assert, assertEquals } from "@std/assert";
import { createClient } from "@supabase/supabase-js";
import postgres from "postgres";
import { ledgerFile } from "./testing/files.ts";
import { startStackProcess } from "./testing/stack-process.ts";
import { startUpstream } from "./testing/upstream.ts";

const CANARIES = ["canary-4c1f9a0e77+first/one", "canary-be82d3155c+second/one"];

/** The ways a text may carry the credential: as it is, encoded, and any run of 20 characters of it. */
function formsOf(canary: string): string[] {
  const runs = Array.from({ length: canary.length - 19 }, (_, at) => canary.slice(at, at + 20));
  return [canary, encodeURIComponent(canary), btoa(canary), ...runs];
}

Deno.test("a credential that is pasted, used, failed on, replaced and removed is found in no answer, row, or output", async () => {
  let fails = false;
  const upstream = startUpstream(({ headers }) => {
    const echo = headers.get("authorization")!;
    return fails
      ? Response.json({ error: `not for ${echo}` }, { status: 403 })
      : Response.json({ rows: [{ echo, [echo]: encodeURIComponent(echo), inBase64: btoa(echo) }] });
  });
  const stack = startStackProcess(["--ephemeral", "--port", "0"], {
    env: { FRAMED_LOCAL_UPSTREAMS: `ledger.example=${upstream.url.origin}` },
  });
  const told: string[] = [];
  try {
    const { api, console: origin, publishable_key, admin, api_key, workspace_id, database } = await stack
      .ready;
    const auth =
      createClient(origin, publishable_key, { auth: { persistSession: false, autoRefreshToken: false } })
        .auth;
    const session = (await auth.signInWithPassword(admin)).data.session!.access_token;
    const ask = async (path: string, { method = "POST", body }: { method?: string; body?: object } = {}) => {
      const person = path.includes("/secrets/");
      const response = await fetch(`${api}${path}`, {
        method,
        headers: {
          ...(person ? { authorization: `Bearer ${session}` } : { "x-framed-api-key": api_key }),
          "content-type": "application/json",
        },
        ...(body === undefined ? {} : { body: JSON.stringify({ workspace_id, ...body }) }),
      });
      const text = await response.text();
      told.push(text, JSON.stringify([...response.headers]));
      return response.status;
    };
    const call = () => ask("/tools/ledger_open_invoices/call", { body: { args: {} } });
    const secret = "/tools/ledger_open_invoices/secrets/CONNECTOR_LEDGER";

    assertEquals(await ask("/tools/define", { body: { tool: ledgerFile() } }), 200);
    for (const value of CANARIES) {
      assertEquals(await ask(secret, { method: "PUT", body: { value } }), 204);
      fails = false;
      assertEquals(await call(), 200);
      fails = true;
      assertEquals(await call(), 502);
    }
    assertEquals(upstream.requests.map(({ headers }) => headers.get("authorization")), [
      `Bearer ${CANARIES[0]}`,
      `Bearer ${CANARIES[0]}`,
      `Bearer ${CANARIES[1]}`,
      `Bearer ${CANARIES[1]}`,
    ]);
    for (
      const path of [
        "/tools/ledger_open_invoices",
        "/tools/ledger_open_invoices/reads",
        "/tools",
        "/log",
        "/log/export",
        "/log/days",
      ]
    ) {
      assertEquals(await ask(`${path}?workspace_id=${workspace_id}`, { method: "GET" }), 200);
    }
    const sql = postgres(database, { max: 1, fetch_types: false });
    try {
      const tables = await sql<{ schema: string; name: string }[]>`
        select table_schema as schema, table_name as name from information_schema.tables
         where table_type = 'BASE TABLE' and table_schema not in ('pg_catalog', 'information_schema')`;
      assert(tables.length > 10);
      for (const { schema, name } of tables) {
        for (const { row } of await sql`select to_json(t)::text as row from ${sql(schema)}.${sql(name)} t`) {
          told.push(row);
        }
      }
    } finally {
      await sql.end();
    }
    assertEquals(await ask(`${secret}?workspace_id=${workspace_id}`, { method: "DELETE" }), 204);
    assertEquals(await call(), 409);
  } finally {
    const { stdout, stderr } = await stack.kill("SIGTERM");
    told.push(stdout, stderr);
    await upstream.close();
  }
  for (const form of CANARIES.flatMap(formsOf)) {
    const found = told.find((text) => text.includes(form));
    assert(found === undefined, `found ${form.slice(0, 9)}… in ${found?.slice(0, 300)}`);
  }
});
