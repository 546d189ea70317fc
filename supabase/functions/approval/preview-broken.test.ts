/** A preview that breaks, rather than being refused, is one that failed: it is shown so, and blocks what it has to block. */

import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { askingOn, openBookingFile } from "../../../scripts/testing/approvals.ts";
import { databaseTest } from "../../../scripts/testing/database.ts";
import { withErrorOutput } from "../../../scripts/testing/error-output.ts";
import { ledgerFile, openFile } from "../../../scripts/testing/files.ts";
import { startUpstream } from "../../../scripts/testing/upstream.ts";
import { openTestWorkspace } from "../../../scripts/testing/workspace.ts";
import type { JsonObject } from "../_shared/definition/json.ts";

const CANARY = "canary-of-the-preview-7d21";
const upstream = startUpstream(({ method }) => Response.json(method === "GET" ? { open: true } : { id: 7 }));
const workspace = await openTestWorkspace({ upstreams: new Map([["ledger.example", upstream.url]]) });
const { sql } = workspace.database;
const { propose, show, decide } = askingOn(workspace);
globalThis.addEventListener("unload", () => {
  void workspace.close();
  void upstream.close();
});
const written = () => upstream.requests.filter(({ method }) => method === "POST").length;

async function define(file: JsonObject): Promise<void> {
  const { status, text } = await workspace.define(file);
  assertEquals(status, 200, text);
}
await define(ledgerFile({ slug: "state" }));
const COMPARED: Readonly<Record<string, JsonObject>> = { book_all: {}, book_named: { compare: ["open"] } };
for (const [slug, compared] of Object.entries(COMPARED)) {
  await define(
    openBookingFile({ slug, preview: { tool: "state", args: { supplier: "Acme" }, ...compared } }),
  );
}
async function paste(): Promise<void> {
  const { status } = await workspace.paste("state", { name: "CONNECTOR_LEDGER", value: CANARY });
  assertEquals(status, 204);
}
/** From here on no sealed value opens. */
const BREAKS: Readonly<Record<string, () => PromiseLike<unknown>>> = {
  "its value was damaged": () =>
    sql`update framed.v2_connector_secrets set sealed = set_byte(sealed, 20, get_byte(sealed, 20) # 1) where sealed is not null`,
  "its master key is lost": () => sql`update framed.workspace_data_keys set kid = 'lost'`,
};
async function mend(): Promise<void> {
  await sql`update framed.workspace_data_keys set kid = 'k1'`;
  await paste();
}

for (const [why, breaks] of Object.entries(BREAKS)) {
  for (const [slug, { compare = null }] of Object.entries(COMPARED)) {
    databaseTest(`a preview breaks since ${why}, with ${slug}`, async () => {
      await mend();
      const { approval_id: seen } = await propose(slug, { number: `${why}, seen` });
      assertEquals((await show(seen)).preview.ok, true);
      await breaks();
      const { value: { approval_id: id }, lines } = await withErrorOutput(() =>
        propose(slug, { number: `${why}, unseen` })
      );
      const { preview } = await show(id);
      assertEquals([preview.ok, preview.args, preview.compare], [false, { supplier: "Acme" }, compare]);
      const [{ request_id, ...said }, ...others] = lines.map((line) => JSON.parse(line));
      assertEquals([said.level, said.event, said.preview, others], ["error", "internal", "state", []]);
      assert(said.cause.startsWith("SealBroken"), said.cause);
      assertStringIncludes(preview.failed, request_id);
      const logged = (await workspace.log()).filter((row) => row.request_id === request_id);
      assertEquals(logged.map(({ event, tool, outcome }) => [event, tool, outcome]).sort(), [
        ["approval.proposed", slug, "ok"],
        ["tool.called", "state", "internal"],
      ]);
      for (const one of [id, seen]) {
        const before = written();
        const { value: decided, lines: told } = await withErrorOutput(() => decide(one, {}));
        const { status, calls } = await show(one);
        assertEquals(told.length > 0, true);
        if (compare === null) {
          assertEquals([decided.status, status, calls[0].status], [200, "applied", "applied"]);
        } else {
          assertEquals([decided.status, decided.body.reason], [409, "approval_changed"]);
          assertEquals(status, "awaiting_approval");
        }
        assertEquals(written() - before, compare === null ? 1 : 0);
      }
      assert(![...lines, JSON.stringify([await show(id), await workspace.log()])].join().includes(CANARY));
      if (compare === null) return;
      await mend();
      assertEquals((await decide(seen, {})).body.status, "applied", "it waited, and nothing has changed");
    });
  }
}

databaseTest("a preview that breaks in a chain fails no other call's", async () => {
  await mend();
  await define(openFile({
    slug: "other_state",
    arguments: { type: "object", properties: {} },
    request: { method: "GET", url: "https://ledger.example/other" },
  }));
  await define(openBookingFile({ slug: "book_other", preview: { tool: "other_state", args: {} } }));
  await BREAKS["its value was damaged"]!();
  const { value: { status, body, text } } = await withErrorOutput(() =>
    workspace.ask("/tools/calls", {
      as: "member",
      body: {
        workspace_id: workspace.id,
        calls: [{ tool: "book_all", args: { number: "1" } }, { tool: "book_other", args: { number: "2" } }],
      },
    })
  );
  assertEquals(status, 202, text);
  const { calls } = await show(body.approval_id);
  assertEquals(calls.map((call: JsonObject) => (call.preview as JsonObject).ok), [false, true]);
  const { value: decided } = await withErrorOutput(() => decide(body.approval_id, {}));
  assertEquals(decided.body.status, "applied", decided.text);
});
