/** What other systems answer, good and bad, from real servers on loopback through the front door. */

import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { gzipSync } from "node:zlib";
import { databaseTest } from "../../../scripts/testing/database.ts";
import { openFile } from "../../../scripts/testing/files.ts";
import { type RawConversation, startRawUpstream, startUpstream } from "../../../scripts/testing/upstream.ts";
import { openTestWorkspace } from "../../../scripts/testing/workspace.ts";
import { createEgress, type Egress } from "../_shared/egress/guarded-fetch.ts";
import type { JsonObject } from "../_shared/definition/json.ts";

let answer: () => Response | Promise<Response> = () => Response.json({});
let talk: (conversation: RawConversation) => Promise<void> = async () => {};
const upstream = startUpstream(() => answer());
const raw = startRawUpstream(async (conversation) => {
  await conversation.readHead();
  await talk(conversation);
});
const way = createEgress({
  upstreams: new Map([["rates.example", upstream.url], ["raw.example", raw.url]]),
});
/** Of one request, so that a server that never ends is given up within the test. */
const MAX_TIMEOUT_MS = 400;
const impatient: Egress = {
  send: (request, options) =>
    way.send(request, { ...options, timeoutMs: Math.min(options.timeoutMs, MAX_TIMEOUT_MS) }),
  close: () => way.close(),
};
const workspace = await openTestWorkspace({ egress: impatient });
globalThis.addEventListener("unload", async () => {
  await workspace.close();
  await way.close();
  upstream.close();
  raw.close();
});
await workspace.define(openFile());
await workspace.define(openFile({ slug: "raw", request: { method: "GET", url: "https://raw.example/" } }));
await workspace.define(openFile({ slug: "ids", result: { fields: ["id"] } }));

const type = (contentType: string) => ({ headers: { "content-type": contentType } });

databaseTest("text, CSV, JSON lines and JSON by another name come back usable, rows are kept", async () => {
  const table: [string, Response, unknown, number | undefined][] = [
    ["text", new Response("plain words", type("text/plain; charset=utf-8")), "plain words", undefined],
    [
      "latin-1",
      new Response(new Uint8Array([99, 97, 102, 233]), type("text/plain; charset=iso-8859-1")),
      "café",
      undefined,
    ],
    ["CSV", new Response('id,name\r\n007,"Acme, Ltd"\r\n', type("text/csv")), [{
      id: "007",
      name: "Acme, Ltd",
    }], 1],
    [
      "CSV with semicolons",
      new Response("id;sum\n1;2,50\n", type("text/csv")),
      [{ id: "1", sum: "2,50" }],
      1,
    ],
    [
      "JSON lines",
      new Response('{"id":1}\n{"id":2}\n', type("application/x-ndjson")),
      [{ id: 1 }, { id: 2 }],
      2,
    ],
    ["JSON called HTML", new Response('{"rows":[{"id":1}]}', type("text/html")), { rows: [{ id: 1 }] }, 1],
    ["204", new Response(null, { status: 204 }), null, undefined],
    ["an empty body", new Response("", type("application/json")), null, undefined],
    ["JSON null", Response.json(null), null, undefined],
    ["an 18-digit id", new Response('{"id":123456789012345678}', type("application/json")), {
      id: "123456789012345678",
    }, undefined],
  ];
  for (const [name, response, result, rows] of table) {
    answer = () => response;
    const { status, body } = await workspace.call("rates");
    assertEquals([name, status, body.result, body.kept.rows], [name, 200, result, rows]);
  }
});

databaseTest(
  "the fields a file lets out are taken of CSV too, and nothing else can pass for them",
  async () => {
    answer = () => new Response("id,iban\n1,hidden\n", type("text/csv"));
    assertEquals((await workspace.call("ids")).body.result, [{ id: "1" }]);
    for (const body of ["hidden text", '"hidden"', "12"]) {
      answer = () => new Response(body, type(body === "hidden text" ? "text/plain" : "application/json"));
      const { status, body: told, text } = await workspace.call("ids");
      assertEquals([body, status, told.reason], [body, 502, "upstream_bad_answer"]);
      assert(!text.includes("hidden"));
    }
  },
);

databaseTest("each bad answer has its reason, in words", async () => {
  const bomb = new Uint8Array(gzipSync(new Uint8Array(64 * 1024 * 1024)));
  const table: [string, () => Response, string, string][] = [
    [
      "half a JSON",
      () => new Response('{"rows":[', type("application/json")),
      "upstream_bad_answer",
      "does not parse",
    ],
    ["half a CSV", () => new Response('id\n"half', type("text/csv")), "upstream_bad_answer", "does not end"],
    [
      "a page",
      () => new Response("<html>Sign in</html>", type("text/html")),
      "upstream_bad_answer",
      "web page",
    ],
    [
      "wrong charset",
      () => new Response(new Uint8Array([0x22, 0xff, 0x22]), type("application/json")),
      "upstream_bad_answer",
      "not utf-8",
    ],
    [
      "unknown charset",
      () => new Response("a", type("text/plain; charset=klingon")),
      "upstream_bad_answer",
      "klingon",
    ],
    ["a picture", () => new Response("PNG", type("image/png")), "upstream_bad_answer", "image/png"],
    [
      "too deep",
      () => new Response(`${"[".repeat(300)}${"]".repeat(300)}`, type("application/json")),
      "upstream_bad_answer",
      "levels",
    ],
    [
      "no gzip",
      () => new Response("plain", { headers: { "content-type": "text/plain", "content-encoding": "gzip" } }),
      "upstream_bad_answer",
      "gzip",
    ],
    [
      "brotli",
      () => new Response("x", { headers: { "content-encoding": "br" } }),
      "upstream_bad_answer",
      "not asked for",
    ],
    [
      "a gzip bomb",
      () => new Response(bomb, { headers: { "content-type": "text/plain", "content-encoding": "gzip" } }),
      "upstream_too_large",
      "unpacked",
    ],
    [
      "too large",
      () => new Response("x".repeat(5 * 1024 * 1024 + 1), type("text/plain")),
      "upstream_too_large",
      "larger than",
    ],
    [
      "CSV that unfolds",
      () => new Response(`${"n".repeat(900_000)}\n${"1\n".repeat(900)}`, type("text/csv")),
      "upstream_too_large",
      "CSV",
    ],
    [
      "redirect",
      () => new Response(null, { status: 302, headers: { location: "https://rates.example/b" } }),
      "upstream_refused_redirect",
      "another place",
    ],
    ["3xx without a place", () => new Response(null, { status: 300 }), "upstream_failed", "300"],
    [
      "4xx in HTML",
      () => new Response("<h1>No\nsuch page</h1><script>x()</script>", { status: 404, ...type("text/html") }),
      "upstream_failed",
      "404. It said: No such page",
    ],
    [
      "4xx in JSON",
      () => Response.json({ error: "no such supplier" }, { status: 422 }),
      "upstream_failed",
      "no such supplier",
    ],
    [
      "5xx that is a picture",
      () => new Response("PNG", { status: 500, ...type("image/png") }),
      "upstream_failed",
      "answered 500.",
    ],
  ];
  for (const [name, give, reason, says] of table) {
    answer = give;
    const { body } = await workspace.call("rates");
    assertEquals([name, body.ok, body.reason], [name, false, reason]);
    assertStringIncludes(body.detail, says, name);
    assert(!("result" in body) && body.detail.length < 700, name);
  }
});

databaseTest(
  "bytes that are no whole answer have a reason each, and what never ends is cut off",
  async () => {
    const head = "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n";
    const table: [string, (conversation: RawConversation) => Promise<unknown>, string][] = [
      ["no HTTP", ({ say }) => say("SSH-2.0-OpenSSH_9.9\r\n\r\n"), "upstream_bad_answer"],
      [
        "a head of 60 kB",
        ({ say }) => say(`${head}x-long: ${"x".repeat(60_000)}\r\ncontent-length: 2\r\n\r\n{}`),
        "upstream_too_large",
      ],
      [
        "many headers of 60 kB",
        ({ say }) => say(`${head}${"x-one: two\r\n".repeat(5_000)}\r\n{}`),
        "upstream_too_large",
      ],
      [
        "less than it announced",
        ({ say }) => say(`${head}content-length: 100\r\n\r\n{"rows":`),
        "upstream_unreachable",
      ],
      ["a closed connection", () => Promise.resolve(), "upstream_unreachable"],
      ["no end of chunks", async ({ say }) => {
        await say(`${head}transfer-encoding: chunked\r\n\r\n`);
        while (await say("1\r\n[\r\n")) await new Promise((resolve) => setTimeout(resolve, 20));
      }, "upstream_timed_out"],
      ["a head without end", async ({ say }) => {
        await say(head);
        while (await say("x-drip: 1\r\n")) await new Promise((resolve) => setTimeout(resolve, 20));
      }, "upstream_timed_out"],
    ];
    for (const [name, says, reason] of table) {
      talk = async (conversation) => void await says(conversation);
      const { body } = await workspace.call("raw");
      assertEquals([name, body.reason], [name, reason]);
    }
    const outcomes = (await workspace.log()).slice(-table.length).map(({ outcome }) => outcome);
    assertEquals(outcomes, table.map(([, , reason]) => reason), "each is in the log by its reason");
  },
);

databaseTest(
  "how long another system asks to be left alone becomes our answer's Retry-After, within an hour",
  async () => {
    const inSeconds = (seconds: number) => Math.floor(Date.now() / 1000) + seconds;
    const table: [string, number, Record<string, string>, [number, number] | null][] = [
      ["seconds", 429, { "retry-after": "7" }, [7, 7]],
      ["a date", 503, { "retry-after": new Date(inSeconds(60) * 1000).toUTCString() }, [50, 61]],
      ["epoch seconds", 429, { "retry-after": String(inSeconds(60)) }, [50, 61]],
      ["RateLimit-Reset", 429, { "ratelimit-reset": String(inSeconds(60)) }, [50, 61]],
      ["a day", 429, { "retry-after": "86400" }, [3_600, 3_600]],
      ["nothing", 429, {}, null],
    ];
    for (const [name, status, headers, within] of table) {
      answer = () => new Response("busy", { status, headers });
      const told = await workspace.call("rates");
      const wait = told.headers.get("retry-after");
      assertEquals([name, told.status, told.body.reason], [name, 502, "upstream_failed"]);
      if (within === null) assertEquals(wait, null, name);
      else {
        assert(Number(wait) >= within[0] && Number(wait) <= within[1], `${name}: ${wait}`);
        assertStringIncludes(told.body.hint, `${wait} s`);
      }
    }
  },
);

databaseTest(
  "next names the arguments of the next page, and no address or credential of a link",
  async () => {
    const secret = "query-credential-value";
    await workspace.define(openFile({
      slug: "keyed",
      arguments: { type: "object", properties: { page: { type: "integer" }, currency: { type: "string" } } },
      request: {
        method: "GET",
        url: "https://rates.example/v1?api_key={{secret}}&page={page}&currency={currency}",
      },
      auth: { secret: "CONNECTOR_KEYED" },
    }));
    await workspace.paste("keyed", { name: "CONNECTOR_KEYED", value: secret });
    answer = () =>
      Response.json({ rows: [{ n: 1 }] }, {
        headers: { link: `<https://rates.example/v1?api_key=${secret}&page=2&currency=EUR>; rel="next"` },
      });
    const { body, text } = await workspace.call("keyed", { args: { currency: "EUR" } });
    assertEquals(body.next, { currency: "EUR", page: 2 });
    answer = () =>
      Response.json({ rows: [] }, { headers: { link: `<?currency=${secret}&page=3>; rel=next` } });
    const echoed = await workspace.call("keyed", { args: { currency: "EUR" } });
    assertEquals(echoed.body.next.page, 3);
    assert(!text.includes(secret) && !echoed.text.includes(secret));
    assertEquals((await workspace.call("keyed", { args: body.next as JsonObject })).status, 200);

    const separated = "short&currency=secret";
    await workspace.paste("keyed", { name: "CONNECTOR_KEYED", value: separated });
    answer = () =>
      Response.json({ rows: [] }, { headers: { link: `<?api_key=${separated}&page=4>; rel=next` } });
    const apart = await workspace.call("keyed", { args: { page: 3 } });
    assertEquals(
      apart.body.next,
      { page: 4 },
      "what stands between separators of the credential is no argument",
    );
  },
);

databaseTest("five megabytes of anything are read or refused, and a gigabyte holds all of it", async () => {
  const megabytes = 5_000_000;
  const bodies = [
    new Response(`[${"1,".repeat(megabytes / 2 - 20)}12345678901234567890]`, type("application/json")),
    new Response("[".repeat(megabytes), type("application/json")),
    new Response("1\n".repeat(megabytes / 2), type("application/x-ndjson")),
    new Response("1\n".repeat(megabytes / 2), type("text/csv")),
    new Response('"'.repeat(megabytes), type("text/csv")),
    new Response("<".repeat(megabytes), { status: 500, ...type("text/html") }),
  ];
  const before = Deno.memoryUsage().rss;
  for (const [at, body] of bodies.entries()) {
    answer = () => body;
    const { status } = await workspace.call("rates");
    assert(status === 200 || status === 502, `${at}: ${status}`);
  }
  assert(Deno.memoryUsage().rss - before < 1_000_000_000);
});
