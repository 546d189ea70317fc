/** What it looks like now: shown with what waits, and held against what it looks like when it is approved. */

import { assertEquals } from "@std/assert";
import { databaseTest } from "../../../scripts/testing/database.ts";
import { openFile } from "../../../scripts/testing/files.ts";
import { startUpstream } from "../../../scripts/testing/upstream.ts";
import { openTestWorkspace } from "../../../scripts/testing/workspace.ts";
import type { JsonObject } from "../_shared/definition/json.ts";

let shows: JsonObject | null = null;
let written = 0;
const upstream = startUpstream((request) => {
  if (request.method === "POST") return Response.json({ id: ++written }, { status: 201 });
  return shows === null ? new Response("", { status: 500 }) : Response.json(shows);
});
const workspace = await openTestWorkspace({ upstreams: new Map([["rates.example", upstream.url]]) });
globalThis.addEventListener("unload", () => {
  void workspace.close();
  void upstream.close();
});

const look = (id: string) => workspace.ask(`/approvals/${id}`, { as: "admin" });

const COMPARED: Readonly<Record<string, JsonObject>> = { all: {}, named: { compare: ["rows.rate"] } };

async function defineAll(): Promise<void> {
  assertEquals((await workspace.define(openFile())).status, 200);
  for (const [slug, compared] of Object.entries(COMPARED)) {
    const { status, text } = await workspace.define(openFile({
      slug,
      access: "write",
      arguments: { type: "object", properties: { n: { type: "integer" } } },
      request: { method: "POST", url: "https://rates.example/v1/orders" },
      fixtures: [{ response: {} }],
      preview: { tool: "rates", args: { currency: "EUR" }, ...compared },
    }));
    assertEquals(status, 200, text);
  }
}

const BEFORE = { rows: [{ rate: "1.00" }] };
const MORE = { rows: [{ rate: "1.00" }], at: "noon" };
const OTHER = { rows: [{ rate: "1.10" }] };

/** What becomes of an approval by what its preview showed, what it shows when it is approved, and what is compared. */
const CASES = [
  { was: BEFORE, is: BEFORE, all: "applied", named: "applied" },
  { was: BEFORE, is: MORE, all: "superseded", named: "applied" },
  { was: BEFORE, is: OTHER, all: "superseded", named: "superseded" },
  { was: BEFORE, is: null, all: "applied", named: "awaiting_approval" },
  { was: null, is: BEFORE, all: "applied", named: "superseded" },
  { was: null, is: null, all: "applied", named: "awaiting_approval" },
];

databaseTest(
  "a preview that shows another thing than was seen lets nothing out, by what is compared",
  async () => {
    await defineAll();
    for (const [n, { was, is, ...becomes }] of CASES.entries()) {
      for (const [slug, expected] of Object.entries(becomes)) {
        shows = was;
        const { body: { approval_id: id } } = await workspace.call(slug, { args: { n } });
        const seen = (await look(id)).body;
        assertEquals([seen.preview.ok, seen.preview.result], [was !== null, was ?? undefined]);
        const before = written;
        shows = is;
        const { body } = await workspace.ask(`/approvals/${id}/decision`, {
          as: "admin",
          body: { decision: "approve", digest: seen.digest },
        });
        const after = (await look(id)).body;
        const about = `${slug}, ${JSON.stringify(was)}, then ${JSON.stringify(is)}`;
        assertEquals(after.status, expected, about);
        assertEquals(written - before, expected === "applied" ? 1 : 0, about);
        if (expected !== "applied") assertEquals(body.reason, "approval_changed", about);
        assertEquals(after.superseded_by !== null, expected === "superseded", about);
        if (after.superseded_by === null) continue;
        const fresh = (await look(after.superseded_by)).body;
        assertEquals([fresh.status, fresh.preview.result], ["awaiting_approval", is], about);
      }
    }
  },
);
