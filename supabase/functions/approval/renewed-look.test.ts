/** What a fresh approval shows where its tool was defined anew: what there is now, of previews and of outside servers. */

import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { askingOn, openBookingFile, type Shown } from "../../../scripts/testing/approvals.ts";
import { databaseTest } from "../../../scripts/testing/database.ts";
import { mcpFile, openFile } from "../../../scripts/testing/files.ts";
import { innerTool, speakMcp } from "../../../scripts/testing/mcp-server.ts";
import { startUpstream } from "../../../scripts/testing/upstream.ts";
import { openTestWorkspace } from "../../../scripts/testing/workspace.ts";
import type { JsonObject } from "../_shared/definition/json.ts";

/** What the ledger shows, by path. */
const shows: Record<string, string> = {};
const ledger = startUpstream(({ method, target }) =>
  method === "GET"
    ? new Response(shows[target] ?? '{"open":5}', { headers: { "content-type": "application/json" } })
    : Response.json({ id: 7 })
);
let isDown = false;
const tracker = startUpstream(speakMcp({
  tools: () => [
    innerTool("close", { annotations: {} }),
    innerTool("tag", {
      annotations: { destructiveHint: false },
    }),
  ],
  call: () => ({ content: [{ type: "text", text: "done" }] }),
  instead: () => isDown ? new Response(null, { status: 503 }) : null,
}));
const w = await openTestWorkspace({
  upstreams: new Map([["ledger.example", ledger.url], ["mcp.tracker.example", tracker.url]]),
});
globalThis.addEventListener("unload", () => {
  w.close();
  ledger.close();
  tracker.close();
});
const { propose, show, decide } = askingOn(w);
const sent = () => ledger.requests.filter(({ method }) => method === "POST").length;
const called = () => tracker.requests.filter(({ body }) => body.includes('"tools/call"')).length;

async function define(file: JsonObject): Promise<void> {
  const { status, text } = await w.define(file);
  assertEquals(status, 200, text);
}
const lookFile = (slug: string) =>
  openFile({
    slug,
    arguments: { type: "object", properties: {} },
    request: { method: "GET", url: `https://ledger.example/${slug}` },
    fixtures: [{ response: {} }],
  });
await define(lookFile("look_a"));
await define(lookFile("look_b"));

/** The ways by which somebody finds out that a definition changed. */
const FINDERS: readonly { readonly by: string; readonly find: (seen: Shown) => Promise<void> }[] = [
  {
    by: "a decision",
    async find({ id, digest }) {
      assertEquals((await decide(id, { digest })).body.reason, "approval_changed");
    },
  },
  {
    by: "the tick",
    async find() {
      await w.tick();
    },
  },
];

/** The fresh approval in the place of one that was seen. */
async function freshOf({ id }: Shown): Promise<Shown> {
  const stale = await show(id);
  assertEquals(stale.status, "superseded");
  assert(stale.superseded_by !== null, stale.superseded_because);
  return await show(stale.superseded_by);
}

const PREVIEWS: readonly {
  readonly says: string;
  readonly before: JsonObject;
  readonly after: JsonObject;
}[] = [
  { says: "gained", before: {}, after: { preview: { tool: "look_b", args: {}, compare: ["open"] } } },
  {
    says: "changed",
    before: { preview: { tool: "look_a", args: {}, compare: ["open"] } },
    after: { preview: { tool: "look_b", args: {} } },
  },
];

for (const { by, find } of FINDERS) {
  for (const { says, before, after } of PREVIEWS) {
    databaseTest(
      `a tool that ${says} a preview, found by ${by}: the fresh approval shows it, and is held to it`,
      async () => {
        const slug = `book_${crypto.randomUUID().replaceAll("-", "")}`;
        await define(openBookingFile({ slug, ...before }));
        const seen = await show((await propose(slug, { number: "1" })).approval_id);
        await define(openBookingFile({ slug, ...after }));
        await find(seen);
        const fresh = await freshOf(seen);
        assertEquals([fresh.preview.tool, fresh.preview.ok, fresh.preview.result], ["look_b", true, {
          open: 5,
        }]);
        const countBefore = sent();
        shows["/look_b"] = '{"open":6}';
        const changed = await decide(fresh.id, {});
        delete shows["/look_b"];
        assertEquals([changed.body.reason, sent() - countBefore], ["approval_changed", 0]);
        assertStringIncludes(changed.body.detail, "of look_b changed");
        const fresher = await freshOf(fresh);
        assertEquals(fresher.preview.result, { open: 6 });
        shows["/look_b"] = '{"open":6}';
        assertEquals((await decide(fresher.id, {})).body.status, "applied");
        delete shows["/look_b"];
        assertEquals(sent() - countBefore, 1);
      },
    );
  }

  databaseTest(
    `an mcp tool defined anew, found by ${by}: the fresh approval is bound to its server's tool and runs`,
    async () => {
      for (const [inner, mayDestroy] of [["close", true], ["tag", undefined]] as const) {
        const { seen, name } = await proposeInner(inner);
        await define(mcpFile({ ...name, name: "Another name" }));
        await find(seen);
        const fresh = await freshOf(seen);
        assertEquals([fresh.calls[0].tool_name, fresh.calls[0].may_destroy], ["Another name", mayDestroy]);
        const before = called();
        const { body } = await decide(fresh.id, {});
        assertEquals([body.status, called() - before], ["applied", 1], JSON.stringify(body));
      }
    },
  );

  databaseTest(
    `an mcp tool defined anew while its server is down, found by ${by}: it is not said to be harmless`,
    async () => {
      const { seen, name } = await proposeInner("tag");
      // At another address, of which nothing is known yet.
      await define(mcpFile({ ...name, mcp: { url: `${name.mcp.url}/v2` } }));
      isDown = true;
      await find(seen);
      isDown = false;
      const unknown = await freshOf(seen);
      assertEquals([unknown.calls[0].may_destroy, seen.calls[0].may_destroy], [true, undefined]);
      const before = called();
      assertEquals((await decide(unknown.id, {})).body.reason, "approval_changed");
      assertEquals(called(), before);
      const known = await freshOf(unknown);
      assertEquals(known.calls[0].may_destroy, undefined);
      assertEquals((await decide(known.id, {})).body.status, "applied");
    },
  );
}

async function proposeInner(inner: string) {
  const slug = `tracker_${crypto.randomUUID().replaceAll("-", "")}`;
  const name = { slug, mcp: { url: `https://mcp.tracker.example/${slug}` } };
  await define(mcpFile(name));
  const args = { action: "call", tool: inner, arguments: { q: "1" } };
  return { seen: await show((await propose(slug, args)).approval_id), name };
}

databaseTest(
  "a preview with characters the database takes none of is shown without them, and compared with them",
  async () => {
    await define(openBookingFile({ slug: "book_odd", preview: { tool: "look_a", args: {} } }));
    for (
      const [answer, result] of [
        [String.raw`{"open":"a\u0000b"}`, { open: "a\uFFFDb" }],
        [String.raw`{"open":"\ud800"}`, { open: "\uFFFD" }],
        [String.raw`{"o\u0000":[{"\udfff":1}]}`, { "o\uFFFD": [{ "\uFFFD": 1 }] }],
        [String.raw`{"__proto__":{"\u0000":1}}`, JSON.parse('{"__proto__":{"\uFFFD":1}}')],
      ] as const
    ) {
      shows["/look_a"] = answer;
      const seen = await show((await propose("book_odd", { number: crypto.randomUUID() })).approval_id);
      assertEquals(seen.preview.result, result);
      const plain = await propose("book_odd", { number: crypto.randomUUID() });
      assertEquals((await decide(seen.id, {})).body.status, "applied");
      delete shows["/look_a"];
      assertEquals((await decide(plain.approval_id, {})).body.reason, "approval_changed");
      shows["/look_a"] = answer;
      const fresh = await freshOf({ id: plain.approval_id });
      assertEquals((await decide(fresh.id, {})).body.reason, "approval_changed");
      assertEquals((await freshOf(fresh)).preview.result, result);
      delete shows["/look_a"];
    }
  },
);

databaseTest(
  "a call that is proposed again while its tool is defined anew waits once, and is refused to nobody",
  async () => {
    for (let round = 0; round < 30; round++) {
      await define(openBookingFile({ slug: "book_raced", name: `First ${round}` }));
      await propose("book_raced", { number: "1" });
      const answers = await Promise.all([
        w.define(openBookingFile({ slug: "book_raced", name: `Second ${round}` })),
        ...Array.from({ length: 4 }, () => w.call("book_raced", { args: { number: "1" } }, "member")),
      ]);
      assertEquals(answers.map(({ status }) => status), [200, 202, 202, 202, 202]);
      const [row] = await w.database.sql`
      select count(distinct a.id)::integer as waiting from framed.v2_approvals a join framed.v2_approval_calls c on c.approval_id = a.id
       where a.status = 'awaiting_approval' and c.tool = 'book_raced'`;
      assertEquals(row!.waiting, 1);
    }
  },
);
