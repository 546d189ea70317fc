/** What becomes of a call that was approved, by what the other system does: applied, failed or unknown, and never sent twice. */

import { assert, assertEquals, assertMatch } from "@std/assert";
import { askingOn, openBookingFile, type Shown } from "../../../scripts/testing/approvals.ts";
import { databaseTest } from "../../../scripts/testing/database.ts";
import { startRawUpstream, startUpstream } from "../../../scripts/testing/upstream.ts";
import { openTestWorkspace } from "../../../scripts/testing/workspace.ts";
import type { JsonObject } from "../_shared/definition/json.ts";

/** What a server says, as bytes; null closes the connection without a word, `hang` never ends. */
let say: readonly (string | Uint8Array)[] = [];
let hangs = false;
const hanging: (() => void)[] = [];
const upstream = startRawUpstream(async (conversation) => {
  const head = await conversation.readHead();
  if (head === "") return;
  for (const bytes of say) await conversation.say(bytes);
  if (hangs) await new Promise<void>((resolve) => hanging.push(resolve));
});
const plain = startUpstream(() => Response.json({ id: 7 }));
const closed = startUpstream(() => Response.json({}));
await closed.close();
const workspace = await openTestWorkspace({
  upstreams: new Map([
    ["ledger.example", upstream.url],
    ["plain.example", plain.url],
    ["refusing.example", closed.url],
  ]),
});
globalThis.addEventListener("unload", () => {
  for (const end of hanging) end();
  workspace.close();
  plain.close();
  upstream.close();
});
const { approved, show, decide, propose } = askingOn(workspace);

let count = 0;
async function define(more: JsonObject = {}): Promise<string> {
  const slug = `book_${++count}`;
  const { status, text } = await workspace.define(openBookingFile({ slug, ...more }));
  assertEquals(status, 200, text);
  return slug;
}

const head = (status: string, ...lines: string[]) =>
  [`HTTP/1.1 ${status}`, "Connection: close", ...lines, "", ""].join("\r\n");
const whole = (status: string, body: string, type = "application/json") =>
  head(status, `Content-Type: ${type}`, `Content-Length: ${new TextEncoder().encode(body).length}`) + body;
const SIX_MIB = "x".repeat(6 * 1024 * 1024);

const TABLE: readonly {
  readonly says: string;
  readonly answers: readonly (string | Uint8Array)[];
  readonly status: "applied" | "failed" | "unknown";
  readonly reason?: string;
  readonly words: RegExp;
}[] = [
  { says: "200", answers: [whole("200 OK", '{"id":7}')], status: "applied", words: /sent and taken/ },
  {
    says: "201 with a web page",
    answers: [whole("201 Created", "<html>done</html>", "text/html")],
    status: "applied",
    reason: "upstream_bad_answer",
    words: /sent and taken/,
  },
  { says: "204", answers: [head("204 No Content")], status: "applied", words: /sent and taken/ },
  {
    says: "200 with a gzip that is none",
    answers: [
      head("200 OK", "Content-Type: application/json", "Content-Encoding: gzip", "Content-Length: 8") +
      "not-gzip",
    ],
    status: "applied",
    reason: "upstream_bad_answer",
    words: /sent and taken/,
  },
  {
    says: "200 with more than 5 MiB",
    answers: [whole("200 OK", SIX_MIB, "text/plain")],
    status: "applied",
    reason: "upstream_too_large",
    words: /sent and taken/,
  },
  {
    says: "301",
    answers: [whole("301 Moved Permanently", "{}")],
    status: "failed",
    words: /^The call failed: .*301|redirect/,
  },
  {
    says: "302 to somewhere",
    answers: [
      head("302 Found", "Location: https://ledger.example/other", "Content-Length: 0"),
    ],
    status: "failed",
    reason: "upstream_refused_redirect",
    words: /^The call failed: .*redirect/,
  },
  ...[400, 401, 404, 409, 422, 429].map((status) => ({
    says: String(status),
    answers: [whole(`${status} No`, '{"error":"no"}')],
    status: "failed" as const,
    reason: "upstream_failed",
    words: new RegExp(`^The call failed: The other system answered ${status}\\.`),
  })),
  ...[408, 500, 502, 503, 504].map((status) => ({
    says: String(status),
    answers: [whole(`${status} No`, '{"error":"no"}')],
    status: "unknown" as const,
    reason: "upstream_failed",
    words: new RegExp(`^Nobody can tell whether the call was done: The other system answered ${status}\\.`),
  })),
  ...([[422, "failed"], [500, "unknown"]] as const).map(([status, became]) => ({
    says: `${status} with what no database holds`,
    answers: [whole(`${status} No`, "no\0pe", "text/plain")],
    status: became,
    reason: "upstream_failed",
    words: /It said: no pe/,
  })),
  {
    says: "nothing, and closes",
    answers: [],
    status: "unknown",
    reason: "upstream_unreachable",
    words: /^Nobody can tell whether the call was done: .*It is not sent again\./,
  },
  {
    says: "half a head, and closes",
    answers: ["HTTP/1.1 200 OK\r\nContent-Ty"],
    status: "unknown",
    words: /^Nobody can tell whether the call was done: .*It is not sent again\./,
  },
  {
    says: "no HTTP at all",
    answers: ["220 mail.example ESMTP\r\n"],
    status: "unknown",
    words: /^Nobody can tell whether the call was done: /,
  },
  // Without a complete answer its status says nothing.
  ...["200 OK", "404 No", "500 No"].map((status) => ({
    says: `${status.slice(0, 3)} with half a body, and closes`,
    answers: [head(status, "Content-Type: application/json", "Content-Length: 100") + '{"id":'],
    status: "unknown" as const,
    words: /^Nobody can tell whether the call was done: /,
  })),
];

for (const { says, answers, status, reason, words } of TABLE) {
  databaseTest(`an approved write that is answered ${says} is ${status}, and is not sent again`, async () => {
    const slug = await define();
    say = answers;
    const before = upstream.received.length;
    const approval = await approved(slug, { number: "1" });
    const [call] = approval.calls;
    assertEquals([approval.status, call.status], [status, status], JSON.stringify(approval));
    if (reason !== undefined) assertEquals(call.reason, reason);
    if (status === "applied" && reason === undefined) assertEquals("reason" in call, false);
    assertMatch(approval.outcome, words);
    assert(call.began_at <= call.ended_at && approval.ended_at !== null);
    const received = () => upstream.received.slice(before).filter((text) => text !== "");
    assertEquals(received().length, 1);
    assertMatch(received()[0]!.toLowerCase(), new RegExp(`\r\nidempotency-key: ${approval.id}\\.0\r\n`));
    await workspace.tick(new Date(Date.now() + 600_000));
    assertEquals((await decide(approval.id, {})).body.reason, "already_decided");
    assertEquals(received().length, 1);
    const log = (await workspace.log()).filter(({ event, detail }) =>
      event === "tool.called" && detail.approval_id === approval.id
    );
    assertEquals(log.map(({ detail }) => [detail.call, detail.landing]), [[0, status]]);
    const { request_id: _, ...shown } = await show(approval.id);
    const { request_id: __, ...told } = approval;
    assertEquals(shown, told);
  });
}

databaseTest("an approved write that hangs is unknown after its time, and not sent again", async () => {
  const slug = await define();
  [say, hangs] = [[head("200 OK", "Content-Length: 5").slice(0, 10)], true];
  try {
    const before = upstream.received.length;
    const approval = await approved(slug, { number: "1" });
    assertEquals([approval.status, approval.calls[0].reason], ["unknown", "upstream_timed_out"]);
    await workspace.tick(new Date(Date.now() + 600_000));
    assertEquals(upstream.received.length, before + 1);
  } finally {
    hangs = false;
    for (const end of hanging.splice(0)) end();
  }
});

databaseTest(
  "a connection that is refused leaves nothing behind: failed, and the same may be proposed again",
  async () => {
    const slug = await define({ request: { method: "POST", url: "https://refusing.example/api" } });
    const approval = await approved(slug, { number: "1" });
    assertEquals([approval.status, approval.calls[0].status, approval.calls[0].reason], [
      "failed",
      "failed",
      "upstream_unreachable",
    ]);
    assertMatch(approval.outcome, /^The call failed: /);
    assert((await propose(slug, { number: "1" })).approval_id !== approval.id);
  },
);

databaseTest("the idempotency header is the file's: a name, none, or the default of the method", async () => {
  const KEY = "idempotency-key";
  const table: [JsonObject, string | null][] = [
    [{ method: "POST" }, KEY],
    [{ method: "PATCH" }, KEY],
    [{ method: "PUT" }, null],
    [{ method: "DELETE" }, null],
    [{ method: "POST", idempotency_header: null }, null],
    [{ method: "PUT", idempotency_header: "X-Request-Once" }, "x-request-once"],
    [{ method: "DELETE", idempotency_header: "X-Request-Once" }, "x-request-once"],
    [{ method: "POST", idempotency_header: "X-Request-Once" }, "x-request-once"],
  ];
  for (const [request, header] of table) {
    const url = request.method === "DELETE" ? "https://plain.example/{number}" : "https://plain.example/api";
    const slug = await define({ request: { url, ...request } as JsonObject });
    const { id, status } = await approved(slug, { number: "1" });
    assertEquals(status, "applied");
    const { method, headers } = plain.requests.at(-1)!;
    const sent = [...headers].filter(([, value]) => value === `${id}.0`).map(([name]) => name);
    assertEquals([method, sent, headers.has(KEY)], [
      request.method,
      header === null ? [] : [header],
      header === KEY,
    ] as unknown);
  }
});

databaseTest(
  "a value that no caller could send is not sent on to the next call of a chain either",
  async () => {
    for (const note of ["a\\u0000b", "a\\ud800b"]) {
      const slug = await define();
      say = [whole("200 OK", `{"note":"${note}"}`)];
      const { body: proposed } = await workspace.ask("/tools/calls", {
        as: "member",
        body: {
          workspace_id: workspace.id,
          calls: [{ tool: slug, args: { number: "1" } }, {
            tool: slug,
            args: { number: "{{calls.0.result.note}}" },
          }],
        },
      });
      const before = upstream.received.length;
      const { status, body, text } = await decide(proposed.approval_id, {});
      assertEquals([status, body.status], [200, "failed"], text);
      assertEquals(body.calls.map((call: Shown) => [call.status, call.reason]), [["applied", undefined], [
        "not_sent",
        "bad_arguments",
      ]]);
      assertEquals(upstream.received.length, before + 1);
    }
  },
);
