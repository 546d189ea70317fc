/** Who sees what of an approval, and that no credential and no sensitive answer is anywhere. */

import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { askingOn, openBookingFile, type Shown } from "../../../scripts/testing/approvals.ts";
import { databaseTest } from "../../../scripts/testing/database.ts";
import { bookingFile, fixtureFile, openFile } from "../../../scripts/testing/files.ts";
import { type ReceivedRequest, startUpstream } from "../../../scripts/testing/upstream.ts";
import { type CallerName, openTestWorkspace } from "../../../scripts/testing/workspace.ts";
import type { JsonObject } from "../_shared/definition/json.ts";

let answer: (request: ReceivedRequest) => Response = () => Response.json({ id: 7 });
const upstream = startUpstream((request) => answer(request));
const workspace = await openTestWorkspace({
  upstreams: new Map([
    ["ledger.example", upstream.url],
    ["open.example", upstream.url],
    ["rates.example", upstream.url],
  ]),
});
globalThis.addEventListener("unload", () => {
  workspace.close();
  upstream.close();
});
const { sql } = workspace.database;
const { propose, decide, approved } = askingOn(workspace);
const ARGUMENT = "argument-of-the-member-5521";
const ANSWER = "answer-of-the-ledger-8834";
const SENSITIVE = "sensitive-answer-4719";

let count = 0;
async function define(more: JsonObject = {}, as: CallerName = "admin"): Promise<string> {
  const slug = `book_${++count}`;
  const request = { method: "POST", url: "https://open.example/api" };
  const { status, text } = await workspace.define(openBookingFile({ slug, request, ...more }), as);
  assertEquals(status, 200, text);
  return slug;
}
const see = (id: string, as: CallerName) => workspace.ask(`/approvals/${id}`, { as });
const list = async (as: CallerName, query = ""): Promise<Shown[]> => {
  const { status, body, text } = await workspace.ask(`/approvals?workspace_id=${workspace.id}${query}`, {
    as,
  });
  assertEquals(status, 200, text);
  return body.approvals;
};
/** Every row of the database as text. */
async function dump(): Promise<string> {
  const tables = await sql`select table_schema, table_name from information_schema.tables
    where table_schema = 'framed' and table_type = 'BASE TABLE'`;
  const rows: string[] = [];
  for (const { table_schema, table_name } of tables) {
    for (
      const { row } of await sql`select t::text || to_json(t)::text as row from ${sql(table_schema)}.${
        sql(table_name)
      } t`
    ) {
      rows.push(`${table_name}: ${row}`);
    }
  }
  assert(rows.length > 20);
  return rows.join("\n");
}
/** A text in the ways that it could be kept without being sealed. */
function formsOf(text: string): string[] {
  const bytes = new TextEncoder().encode(text);
  return [
    text,
    [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join(""),
    btoa(text).slice(0, -4),
  ];
}

/** Approvals in every state, which arguments and answers could be seen of. */
async function inEveryState(): Promise<Record<string, string>> {
  const number = () => ({ number: `${ARGUMENT}-${count}` });
  const said = (status: number) => () => Response.json({ said: ANSWER }, { status });
  answer = said(200);
  const waits = (await propose(await define(), number())).approval_id;
  const applied = (await approved(await define(), number())).id;
  answer = said(422);
  const failed = (await approved(await define(), number())).id;
  answer = said(503);
  const unknown = (await approved(await define(), number())).id;
  const rejected = (await propose(await define(), number())).approval_id;
  await decide(rejected, { decision: "reject", reason: `Not ${ARGUMENT}.` });
  const narrowed = await define();
  const superseded = (await propose(narrowed, number())).approval_id;
  const { status, text } = await workspace.define(openBookingFile({
    slug: narrowed,
    request: { method: "POST", url: "https://open.example/api" },
    arguments: { type: "object", properties: { number: { enum: ["1"] } }, required: ["number"] },
    fixtures: [{ response: {} }],
  }));
  assertEquals(status, 200, text);
  return { waits, applied, failed, unknown, rejected, superseded };
}

databaseTest(
  "a member without the grant sees that approvals exist, and neither arguments nor answers",
  async () => {
    const ids = await inEveryState();
    const shown = await Promise.all(
      Object.values(ids).map(async (id) => (await see(id, "bare_member")).body),
    );
    const listed = (await list("bare_member")).filter(({ id }) => Object.values(ids).includes(id));
    assertEquals(listed.length, Object.keys(ids).length);
    for (const [says, approvals] of [["one", shown], ["list", listed]] as const) {
      for (const approval of approvals) {
        const text = JSON.stringify(approval);
        for (const hidden of [ARGUMENT, ANSWER]) assert(!text.includes(hidden), `${says}: ${text}`);
        assertEquals(approval.calls.map(({ args, result }: Shown) => [args, result]), [[null, undefined]]);
        assertStringIncludes(approval.calls[0].tool, "book_");
      }
    }
    assertEquals(shown.map(({ status }) => status), [
      "awaiting_approval",
      "applied",
      "failed",
      "unknown",
      "rejected",
      "superseded",
    ]);
    for (const as of ["member", "admin", "second_admin"] as const) {
      const { text } = await see(ids.failed!, as);
      assertStringIncludes(text, ARGUMENT);
      assertStringIncludes(text, ANSWER);
    }
    const log = await workspace.ask(`/log?workspace_id=${workspace.id}`, { as: "bare_member" });
    for (const hidden of [ARGUMENT, ANSWER]) assert(!log.text.includes(hidden));
  },
);

databaseTest("a partner's key sees what it asked for, and the rest as what is missing", async () => {
  const own = (await propose(await define({}, "reseller_key"), { number: "1" }, "reseller_key")).approval_id;
  const others = (await propose(await define(), { number: "1" })).approval_id;
  const byMember = (await propose(`book_${count - 1}`, { number: "1" })).approval_id;
  assertEquals((await see(own, "reseller_key")).body.id, own);
  assertEquals((await list("reseller_key")).map(({ id }) => id), [own]);
  const missing = await see(crypto.randomUUID(), "reseller_key");
  for (const id of [others, byMember]) {
    const { status, text, body } = await see(id, "reseller_key");
    assertEquals([status, text.replace(body.request_id, "")], [
      404,
      missing.text.replace(missing.body.request_id, ""),
    ]);
  }
});

databaseTest("who is of another account sees every approval as what is missing", async () => {
  const { approval_id: id } = await propose(await define(), { number: "1" });
  for (const as of ["stranger", "stranger_key", "stranger_reseller_key", "stranger_token"] as const) {
    const answers = await Promise.all([id, crypto.randomUUID(), "no-id"].map((one) => see(one, as)));
    const [hidden, ...missing] = answers.map(({ status, text, body, headers }) => ({
      status,
      text: text.replace(body.request_id, ""),
      headers: [...headers].filter(([name]) => name !== "x-request-id"),
    }));
    assertEquals(hidden!.status, 404);
    for (const other of missing) assertEquals(hidden, other);
    const { body } = await workspace.ask(`/approvals?workspace_id=${workspace.id}`, { as });
    assertEquals(body.reason, "not_found");
  }
  assertEquals((await see(id, "nobody")).status, 401);
});

databaseTest("what a call answered is for who asked and for who decides", async () => {
  answer = () => Response.json({ said: ANSWER });
  const { id } = await approved(await define({}, "reseller_key"), { number: "1" }, "reseller_key");
  const result = async (of: string, as: CallerName) => (await see(of, as)).body.calls?.[0].result;
  for (const as of ["reseller_key", "admin", "second_admin", "member"] as const) {
    assertEquals([as, await result(id, as)], [as, { said: ANSWER }]);
  }
  for (const as of ["admin_key", "admin_token", "member_token", "bare_member"] as const) {
    assertEquals([as, (await see(id, as)).status, await result(id, as)], [as, 200, undefined]);
  }
  const byMember = (await approved(await define(), { number: "1" }, "member")).id;
  assertEquals(await result(byMember, "member_token"), { said: ANSWER }, "the same person");
  assertEquals(await result(byMember, "admin_key"), undefined);
});

databaseTest("a list of approvals holds nothing of what calls answered, which one of them has", async () => {
  answer = () => Response.json({ said: ANSWER });
  const { id } = await approved(await define(), { number: "1" }, "member");
  const [listed] = await list("admin", "&limit=1");
  assertEquals([listed.id, listed.status, listed.calls[0].status], [id, "applied", "applied"]);
  assertEquals(["result" in listed.calls[0], JSON.stringify(listed).includes(ANSWER)], [false, false]);
  const { request_id: _, ok: __, ...shown } = (await see(id, "admin")).body;
  const { result, truncated, answers_with, card, ...call } = shown.calls[0];
  assertEquals([result, truncated, answers_with, card.lines.length], [
    { said: ANSWER },
    false,
    "live system",
    1,
  ]);
  assertEquals({ ...shown, calls: [call] }, listed);
});

databaseTest("a program that a person let in is told what a call does, and not how", async () => {
  const slug = `secret_${++count}`;
  assertEquals((await workspace.define(bookingFile({ slug }))).status, 200);
  const { approval_id: id, waits_for } = await propose(slug, { number: "1" }, "member_token");
  assertEquals(waits_for, 1);
  const { body, text } = await see(id, "member_token");
  assertEquals([body.waits_for, body.calls[0].args], [1, { number: "1" }]);
  assertEquals(["method" in body.calls[0], "host" in body.calls[0]], [false, false]);
  for (const hidden of ["ledger.example", "CONNECTOR_LEDGER", "POST"]) assert(!text.includes(hidden), text);
  assertStringIncludes((await see(id, "member")).text, "CONNECTOR_LEDGER");
});

databaseTest(
  "a sensitive answer is sealed, shown to who asked and to administrators' sessions, and gone after a day",
  async () => {
    answer = () => Response.json({ said: SENSITIVE });
    const slug = await define({ access: "sensitive" });
    const { id, calls: [call] } = await approved(slug, { number: "1" });
    assertEquals(call.result, { said: SENSITIVE });
    const result = async (as: CallerName) => (await see(id, as)).body.calls?.[0].result;
    for (const as of ["member", "admin", "second_admin"] as const) {
      assertEquals([as, await result(as)], [as, { said: SENSITIVE }]);
    }
    for (const as of ["admin_key", "admin_token", "member_token", "bare_member"] as const) {
      assertEquals([as, (await see(id, as)).status, await result(as)], [as, 200, undefined]);
    }
    const asked = (await approved(await define({ access: "sensitive" }), { number: "1" }, "admin")).id;
    assertEquals((await see(asked, "member")).body.calls[0].result, undefined);
    const text = await dump();
    for (const form of formsOf(SENSITIVE)) assert(!text.includes(form), `found ${form}`);

    const endedAt = Date.parse(call.ended_at);
    await workspace.tick(new Date(endedAt + 24 * 3_600_000 - 1_000));
    assertEquals(await result("admin"), { said: SENSITIVE });
    await workspace.tick(new Date(endedAt + 24 * 3_600_000));
    const gone = (await see(id, "admin")).body;
    assertEquals([gone.status, "result" in gone.calls[0]], ["applied", false]);
    const [row] =
      await sql`select result, sealed_result from framed.v2_approval_calls where approval_id = ${id}`;
    assertEquals([row!.result, row!.sealed_result], [null, null]);
  },
);

databaseTest(
  "what a sensitive call was answered is nowhere, also where it failed, was unknown or could not be read",
  async () => {
    const table: [string, () => Response, string][] = [
      ["refused", () => Response.json({ said: SENSITIVE }, { status: 422 }), "failed"],
      ["broken", () => Response.json({ said: SENSITIVE }, { status: 500 }), "unknown"],
      [
        "a web page",
        () => new Response(`<p>${SENSITIVE}</p>`, { headers: { "content-type": "text/html" } }),
        "applied",
      ],
      [
        "half a JSON",
        () => new Response(`{"said":"${SENSITIVE}"`, { headers: { "content-type": "application/json" } }),
        "applied",
      ],
      [
        "another type",
        () => new Response(SENSITIVE, { headers: { "content-type": "application/pdf" } }),
        "applied",
      ],
      [
        "a redirect",
        () => new Response(null, { status: 302, headers: { location: `https://open.example/${SENSITIVE}` } }),
        "failed",
      ],
      [
        "rows that lead on",
        () =>
          Response.json([{ said: SENSITIVE }], {
            headers: { link: `<https://open.example/api?page=${SENSITIVE}>; rel="next"` },
          }),
        "applied",
      ],
    ];
    for (const [says, give, status] of table) {
      answer = give;
      const approval = await approved(await define({ access: "sensitive" }), { number: "1" });
      assertEquals([says, approval.status], [says, status]);
      const text = await dump();
      for (const form of formsOf(SENSITIVE)) {
        const at = text.indexOf(form);
        assert(at < 0, `${says}: ${text.slice(Math.max(0, text.lastIndexOf("\n", at)), at + 60)}`);
      }
      // Of what failed, not even the administrator is told the other system's words: they are kept nowhere.
      if (status !== "applied") assert(!(await see(approval.id, "admin")).text.includes(SENSITIVE), says);
    }
  },
);

databaseTest("a long answer goes out as a digest, and its pages to who may see it", async () => {
  const rows = Array.from({ length: 400 }, (_, n) => ({ n, said: ANSWER }));
  answer = () => Response.json({ rows });
  for (const access of ["write", "sensitive"]) {
    const approval = await approved(await define({ access }), { number: "1" });
    const [call] = approval.calls;
    assertEquals([approval.status, call.truncated, call.result.total], ["applied", true, 400]);
    assert(JSON.stringify(call.result).length < 16 * 1024);
    const page = (as: CallerName, query = "path=rows&offset=390&limit=50") =>
      workspace.ask(`/results/${call.result_handle}?${query}`, { as });
    for (const as of ["admin", "member"] as const) {
      const { status, body } = await page(as);
      assertEquals([as, status, body.total, body.items.length, body.next_offset], [as, 200, 400, 10, null]);
      assertEquals(body.items, rows.slice(390));
    }
    const missing = await workspace.ask(`/results/${"A".repeat(43)}`, { as: "admin_key" });
    for (const as of ["admin_key", "reseller_key", "stranger", "stranger_key"] as const) {
      const { status, text, body } = await page(as);
      assertEquals(
        [as, status, text.replace(body.request_id, "")],
        [as, 404, missing.text.replace(missing.body.request_id, "")],
      );
    }
    assertEquals((await page("bare_member")).body.reason, "grant_missing");
    if (access === "sensitive") {
      await workspace.tick(new Date(Date.parse(call.ended_at) + 24 * 3_600_000));
      assertEquals((await page("admin")).body.reason, "not_found");
    }
  }
});

databaseTest("a credential is in no approval, card, log row, error or column", async () => {
  const CREDENTIAL = "canary/7b1e+55d0=49aa, do not tell";
  const slug = `canary_${++count}`;
  assertEquals(
    (await workspace.define(
      bookingFile({
        slug,
        auth: { secret: "CONNECTOR_CANARY" },
        request: {
          method: "POST",
          url: "https://rates.example/api",
          headers: { Authorization: "Bearer {{secret}}" },
        },
      }),
    )).status,
    200,
  );
  assertEquals((await workspace.paste(slug, { name: "CONNECTOR_CANARY", value: CREDENTIAL })).status, 204);
  const told: string[] = [];
  const forms = [CREDENTIAL, encodeURIComponent(CREDENTIAL), btoa(CREDENTIAL), CREDENTIAL.slice(3, 27)];
  for (const form of forms) {
    for (
      const give of [
        () => Response.json({ said: form, [form]: 1 }),
        () => Response.json({ said: form }, { status: 422 }),
        () => new Response(`you sent ${form}`, { status: 500 }),
        () => new Response(form, { headers: { "content-type": "text/plain" } }),
        () =>
          new Response(null, {
            status: 302,
            headers: { location: `https://rates.example/${encodeURIComponent(form)}` },
          }),
      ]
    ) {
      answer = give;
      const { approval_id: id } = await propose(slug, { number: String(told.length) });
      const decided = await decide(id, {});
      assertEquals(decided.status, 200, decided.text);
      told.push(decided.text, (await see(id, "admin")).text, (await see(id, "member")).text);
    }
  }
  assertEquals(upstream.requests.at(-1)!.headers.get("authorization"), `Bearer ${CREDENTIAL}`);
  told.push(
    (await workspace.ask(`/log?workspace_id=${workspace.id}&limit=200`, { as: "admin" })).text,
    await dump(),
  );
  for (const text of told) {
    for (const form of forms) {
      const at = text.indexOf(form);
      assert(at < 0, `found ${form.slice(0, 6)}… in …${text.slice(Math.max(0, at - 200), at)}`);
    }
  }
});

databaseTest("approvals are listed newest first, by status, a page at a time", async () => {
  const slug = await define();
  const ids: string[] = [];
  for (let number = 0; number < 7; number++) {
    ids.push((await propose(slug, { number: String(number) })).approval_id);
  }
  await decide(ids[3]!, { decision: "reject" });
  const seen: string[] = [];
  let cursor: string | null = "";
  while (cursor !== null) {
    const { body }: Shown = await workspace.ask(
      `/approvals?workspace_id=${workspace.id}&status=awaiting_approval&limit=2${
        cursor === "" ? "" : `&cursor=${encodeURIComponent(cursor)}`
      }`,
      { as: "member" },
    );
    assert(body.approvals.length <= 2);
    seen.push(...body.approvals.map(({ id }: Shown) => id));
    cursor = body.next_cursor;
  }
  assertEquals(seen.filter((id) => ids.includes(id)), ids.filter((id) => id !== ids[3]).reverse());
  assertEquals(new Set(seen).size, seen.length);
  assertEquals((await list("member", "&status=rejected"))[0].id, ids[3]);
  const bad = await workspace.ask(`/approvals?workspace_id=${workspace.id}&status=maybe`, { as: "member" });
  assertEquals(bad.body.reason, "bad_request");
});

databaseTest("an approved read by a tool whose fields are named lets only those out", async () => {
  answer = () => Response.json([{ id: 1, iban: ANSWER }]);
  const slug = `fields_${++count}`;
  assertEquals(
    (await workspace.define(openFile({ slug, confirm: true, result: { fields: ["id"] } }))).status,
    200,
  );
  const { calls: [call] } = await approved(slug);
  assertEquals(call.result, [{ id: 1 }]);
});

databaseTest("what a fixture answers is marked as a configured example where it is shown", async () => {
  const slug = `example_${++count}`;
  assertEquals((await workspace.define(fixtureFile({ slug, confirm: true }))).status, 200);
  const { id, calls: [example] } = await approved(slug, { floor: 1 });
  assertEquals([example.answers_with, example.result.rooms.length], ["configured example", 2]);
  assertStringIncludes(example.note, "inventing");
  assertEquals((await see(id, "member_token")).body.calls[0].answers_with, "configured example");
  answer = () => Response.json({ id: 7 });
  const { calls: [live] } = await approved(await define(), { number: "1" });
  assertEquals([live.answers_with, "note" in live], ["live system", false]);
});
