import { gzipSync } from "node:zlib";
import { assert, assertEquals, assertMatch, assertRejects, assertThrows } from "@std/assert";
import { createTestAuthority } from "../../../../scripts/testing/pki.ts";
import {
  type ReceivedRequest,
  startRawUpstream,
  startUpstream,
} from "../../../../scripts/testing/upstream.ts";
import type { OutgoingRequest } from "../definition/request/request-template.ts";
import { createEgress, type Egress, type EgressOptions, type SendOptions } from "./guarded-fetch.ts";
import cases from "./testdata/egress-cases.json" with { type: "json" };

const HOST = "ledger.example";
const OPTIONS: SendOptions = { host: HOST, timeoutMs: 10_000, maxBytes: 1000 };
const HEAD = "HTTP/1.1 200 OK\r\ncontent-type: text/plain\r\n";

Deno.test("send() sends exactly the request, and what it has to add", async () => {
  await withUpstream(() => Response.json({ ok: true }, { status: 201 }), async (send, requests) => {
    const answer = await send({
      method: "POST",
      url: "https://ledger.example/api/a%2Fb?x=1&x=%C3%A9",
      headers: [["X-One", "1"], ["Content-Type", "application/json"]],
      body: '{"é":1}',
    });
    assert(answer.ok);
    assertEquals(answer.value.status, 201);
    assertEquals(new TextDecoder().decode(answer.value.body), '{"ok":true}');
    assertEquals(answer.value.headers.get("content-type"), "application/json");
    const [{ method, target, body, headers }] = requests as [ReceivedRequest];
    assertEquals([method, target, body], ["POST", "/api/a%2Fb?x=1&x=%C3%A9", '{"é":1}']);
    assertEquals(Object.fromEntries(headers), {
      "accept-encoding": "gzip, deflate",
      "connection": "keep-alive",
      "content-length": "8",
      "content-type": "application/json",
      "host": HOST,
      "user-agent": "Framed-Tools/1",
      "x-one": "1",
    });
  });
});

Deno.test("send() leaves the file's own User-Agent and Accept-Encoding as they are", async () => {
  await withUpstream(() => new Response("x"), async (send, requests) => {
    await send({ ...get(), headers: [["user-agent", "Ledger/2"], ["ACCEPT-ENCODING", "identity"]] });
    assertEquals(requests[0]?.headers.get("user-agent"), "Ledger/2");
    assertEquals(requests[0]?.headers.get("accept-encoding"), "identity");
  });
});

Deno.test("send() returns any status but a redirect as an answer", async () => {
  for (const status of [200, 204, 302, 304, 400, 404, 429, 500, 503]) {
    await withUpstream(() => new Response(null, { status }), async (send) => {
      const answer = await send(get());
      assert(answer.ok, String(status));
      assertEquals(answer.value.status, status);
    });
  }
});

Deno.test("send() follows no redirect of the egress policy's cases", async () => {
  const redirects = cases.cases.filter(({ kind }) => kind === "redirect");
  assert(redirects.length > 0);
  for (const { id, input, responds } of redirects) {
    const { status, location } = responds!;
    for (const code of [status, 301, 303, 307, 308]) {
      await withUpstream(
        () => new Response("moved", { status: code, headers: { location } }),
        async (send, requests) => {
          const answer = await send({ ...get(), url: input }, { host: "tool.example" });
          assertEquals(refusalOf(answer), ["upstream_refused_redirect", true], id);
          assertEquals(requests.length, 1);
        },
        { host: "tool.example" },
      );
    }
  }
});

Deno.test("send() refuses every address that leads nowhere public, before anything leaves", async () => {
  const denied = cases.cases.filter(({ kind, verdict }) =>
    verdict === "deny" && (kind === "url" || kind === "dns")
  );
  assert(denied.length > 40);
  for (const { id, kind, input, resolves_to = [] } of denied) {
    const egress = createEgress({ resolve: () => Promise.resolve(kind === "dns" ? resolves_to : []) });
    const host = URL.parse(input)?.host ?? "";
    const answer = await egress.send({ ...get(), url: input }, { ...OPTIONS, host });
    const reason = kind === "dns" && resolves_to.length === 0 ? "upstream_unreachable" : "address_refused";
    assertEquals(refusalOf(answer), [reason, false], id);
    await egress.close();
  }
});

Deno.test("send() goes to no other host or port than the one allowed", async () => {
  await withUpstream(() => new Response("x"), async (send, requests) => {
    for (const host of ["other.example", "ledger.example:8443", "api.ledger.example", ""]) {
      assertEquals(refusalOf(await send(get(), { host })), ["host_refused", false], host);
    }
    const other = await send({ ...get(), url: "https://ledger.example:8443/" });
    assertEquals(refusalOf(other), ["host_refused", false]);
    assertEquals(requests.length, 0);
    assert((await send({ ...get(), url: "https://LEDGER.example.:443/" })).ok);
  });
});

Deno.test("send() speaks TLS for the file's own host name", async () => {
  const authority = await createTestAuthority();
  const stranger = await createTestAuthority();
  const table: [certified: string, expired: boolean, extraCa: string | undefined, says: RegExp | null][] = [
    [HOST, false, authority.ca, null],
    ["other.example", false, authority.ca, /it is for another name/],
    ["127.0.0.1", false, authority.ca, /it is for another name/],
    [HOST, true, authority.ca, /it has expired|no known authority vouches for it/], // Deno 2.9 does not tell which
    [HOST, false, stranger.ca, /no known authority vouches for it/],
    [HOST, false, undefined, /no known authority vouches for it/],
  ];
  for (const [certified, expired, extraCa, says] of table) {
    const certificate = await authority.certify(certified, { expired });
    await withUpstream(() => new Response("x"), async (send, requests) => {
      const answer = await send(get());
      if (says === null) {
        assert(answer.ok);
        assertEquals(requests[0]?.headers.get("host"), HOST);
        return;
      }
      assertEquals(refusalOf(answer), ["upstream_unreachable", false]);
      assertMatch((!answer.ok && answer.refusal.detail) || "", says);
      assertEquals(requests.length, 0);
    }, { certificate, extraCa });
  }
});

Deno.test("send() says so when the other side speaks no TLS", async () => {
  const upstream = startRawUpstream(async ({ readHead, say }) => {
    await say("HTTP/1.1 400 Bad Request\r\n\r\n");
    await readHead();
  });
  const egress = egressTo(new URL(`https://127.0.0.1:${upstream.port}`));
  const answer = await egress.send(get(), { ...OPTIONS, fresh: true });
  assertEquals(refusalOf(answer)[0], "upstream_unreachable");
  assert(
    !answer.ok && /does not speak TLS|closed the connection/.test(answer.refusal.detail ?? ""),
    JSON.stringify(answer),
  );
  await egress.close();
  await upstream.close();
});

Deno.test("send() decodes the body and holds its limit, packed and unpacked, announced or not", async () => {
  const text = "a".repeat(OPTIONS.maxBytes);
  const table: [name: string, answer: () => Response, reason: string | null][] = [
    ["gzip up to the limit", () => packed(gzipSync(text)), null],
    ["plain up to the limit", () => new Response(text), null],
    ["plain, one byte more", () => new Response(text + "a"), "upstream_too_large"],
    ["streamed, one byte more", () => new Response(new Blob([text, "a"]).stream()), "upstream_too_large"],
    ["streamed without end", () => new Response(endless()), "upstream_too_large"],
    ["gzip that unpacks to more", () => packed(gzipSync(text + "a")), "upstream_too_large"],
    ["gzip bomb", () => packed(gzipSync(new Uint8Array(900_000))), "upstream_too_large"],
  ];
  for (const [name, answer, reason] of table) {
    await withUpstream(answer, async (send) => {
      const outcome = await send(get());
      if (reason === null) {
        assertEquals(outcome.ok && new TextDecoder().decode(outcome.value.body), text, name);
      } else assertEquals(refusalOf(outcome), [reason, true], name);
    });
  }
});

Deno.test("send() refuses an answer it cannot read", async () => {
  const table: [name: string, bytes: string, reason: string][] = [
    ["no HTTP", "220 mail.example ESMTP\r\n", "upstream_bad_answer"],
    ["two lengths", `${HEAD}content-length: 1\r\ncontent-length: 2\r\n\r\nab`, "upstream_bad_answer"],
    [
      "length and chunks",
      `${HEAD}content-length: 1\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n`,
      "upstream_bad_answer",
    ],
    [
      "a switch of protocols",
      "HTTP/1.1 101 OK\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n",
      "upstream_bad_answer",
    ],
    ["a header that is none", `${HEAD}x-a: \u0001\r\ncontent-length: 0\r\n\r\n`, "upstream_bad_answer"],
    ["broken chunk", `${HEAD}transfer-encoding: chunked\r\n\r\nzz\r\nab\r\n`, "upstream_bad_answer"],
    ["not asked for", `${HEAD}content-encoding: zstd\r\ncontent-length: 1\r\n\r\na`, "upstream_bad_answer"],
    [
      "packed twice",
      `${HEAD}content-encoding: gzip, gzip\r\ncontent-length: 1\r\n\r\na`,
      "upstream_bad_answer",
    ],
    ["no gzip", `${HEAD}content-encoding: gzip\r\ncontent-length: 4\r\n\r\nrows`, "upstream_bad_answer"],
    ["announced too large", `${HEAD}content-length: 1001\r\n\r\n`, "upstream_too_large"],
    ["head too large", `${HEAD}x-a: ${"a".repeat(40_000)}\r\n\r\n`, "upstream_too_large"],
    ["closed at once", "", "upstream_unreachable"],
    ["closed in the head", HEAD, "upstream_unreachable"],
    ["closed in the body", `${HEAD}content-length: 10\r\n\r\nabc`, "upstream_unreachable"],
    [
      "closed between chunks",
      `${HEAD}transfer-encoding: chunked\r\n\r\n3\r\nabc\r\n`,
      "upstream_unreachable",
    ],
  ];
  for (const [name, bytes, reason] of table) {
    const upstream = startRawUpstream(async ({ readHead, say }) => {
      await readHead();
      await say(bytes);
    });
    const egress = egressTo(upstream.url);
    const answer = await egress.send(get(), OPTIONS);
    assertEquals(refusalOf(answer), [reason, true], `${name}: ${JSON.stringify(answer)}`);
    // Once: a read that failed is not sent again either.
    assertEquals(upstream.received.length, 1, name);
    await egress.close();
    await upstream.close();
  }
});

Deno.test("send() takes an answer without a body as it is, whatever its head announces", async () => {
  const table: [method: OutgoingRequest["method"], bytes: string][] = [
    ["HEAD", "HTTP/1.1 200 OK\r\ncontent-length: 999999\r\ncontent-encoding: gzip\r\n\r\n"],
    ["GET", "HTTP/1.1 304 Not Modified\r\nlocation: /\r\ncontent-encoding: gzip\r\n\r\n"],
    ["GET", `HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n${HEAD}content-length: 0\r\n\r\n`],
    ["GET", `${HEAD}connection: close\r\n\r\n`],
  ];
  for (const [method, bytes] of table) {
    const upstream = startRawUpstream(async ({ readHead, say }) => {
      await readHead();
      await say(bytes);
    });
    const egress = egressTo(upstream.url);
    const answer = await egress.send({ ...get(), method }, OPTIONS);
    assert(answer.ok, JSON.stringify(answer));
    assertEquals(answer.value.body.length, 0);
    await egress.close();
    await upstream.close();
  }
});

Deno.test("send() takes ten heads before that of an answer, and cuts a connection that sends more", async () => {
  const flood = Promise.withResolvers<boolean>();
  const upstream = startRawUpstream(async ({ readHead, say }) => {
    const head = await readHead();
    const hint = "HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n";
    if (head.startsWith("GET /few ")) {
      return void await say(`${hint.repeat(10)}${HEAD}content-length: 0\r\n\r\n`);
    }
    while (await say(hint.repeat(1_000)));
    flood.resolve(true);
  });
  const egress = egressTo(upstream.url);
  assert((await egress.send({ ...get(), url: `https://${HOST}/few` }, OPTIONS)).ok);
  const answer = await egress.send(get(), { ...OPTIONS, timeoutMs: 20_000 });
  assertEquals(refusalOf(answer), ["upstream_bad_answer", true]);
  assert(await flood.promise, "the connection is cut");
  await egress.close();
  await upstream.close();
});

Deno.test("send() ends at its deadline, wherever the other side stops", async () => {
  const drip = async (say: (bytes: string) => Promise<boolean>) => {
    await say(`${HEAD}transfer-encoding: chunked\r\n\r\n`);
    while (await say("1\r\na\r\n")) await nextTurn();
  };
  const table: [name: string, talk: Parameters<typeof startRawUpstream>[0]][] = [
    ["before the head", async ({ readHead }) => void (await readHead(), await readHead())],
    ["in the head", async ({ readHead, say }) => void (await readHead(), await say(HEAD), await readHead())],
    ["dripping a body", async ({ readHead, say }) => void (await readHead(), await drip(say))],
  ];
  const authority = await createTestAuthority();
  const certificates = [undefined, await authority.certify(HOST)];
  for (const [name, talk] of table) {
    for (const certificate of certificates) {
      for (const fresh of [false, true]) {
        const upstream = startRawUpstream(talk, { certificate });
        const egress = egressTo(upstream.url, { extraCa: authority.ca });
        const answer = await egress.send(get(), { ...OPTIONS, timeoutMs: 200, maxBytes: 1e9, fresh });
        assertEquals(refusalOf(answer), ["upstream_timed_out", true], `${name}: ${JSON.stringify(answer)}`);
        await egress.close();
        await upstream.close();
      }
    }
  }
});

Deno.test({
  name: "send() ends at its deadline when a TLS handshake does not come to its end",
  // Deno 2.1.4 closes the socket of such a handshake only when the program ends.
  sanitizeResources: false,
  async fn() {
    const upstream = startRawUpstream(async ({ readHead }) => void (await readHead()));
    for (const fresh of [false, true]) {
      const egress = egressTo(new URL(`https://127.0.0.1:${upstream.port}`));
      const answer = await egress.send(get(), { ...OPTIONS, timeoutMs: 200, fresh });
      assertEquals(refusalOf(answer)[0], "upstream_timed_out");
      await egress.close();
    }
    await upstream.close();
  },
});

Deno.test("send() ends at its deadline when no resolver answers", async () => {
  const egress = createEgress({ resolve: () => new Promise(() => {}) });
  const answer = await egress.send(get(), { ...OPTIONS, timeoutMs: 50 });
  assertEquals(refusalOf(answer), ["upstream_timed_out", false]);
  await egress.close();
});

Deno.test("send() rejects with the caller's reason when its signal aborts", async () => {
  const reason = new Error("the caller left");
  const abort = new AbortController();
  const upstream = startRawUpstream(async ({ readHead }) => {
    await readHead();
    abort.abort(reason);
    await readHead();
  });
  const egress = egressTo(upstream.url);
  await assertRejects(
    () => egress.send(get(), { ...OPTIONS, signal: abort.signal }),
    Error,
    "the caller left",
  );
  await assertRejects(
    () => egress.send(get(), { ...OPTIONS, signal: abort.signal }),
    Error,
    "the caller left",
  );
  assertEquals(upstream.received.length, 1);
  await egress.close();
  await upstream.close();
});

Deno.test("send() says that nothing was sent when nobody takes the connection", async () => {
  const upstream = startUpstream(() => new Response("x"));
  await upstream.close();
  const egress = egressTo(upstream.url);
  for (const fresh of [false, true]) {
    const answer = await egress.send(get(), { ...OPTIONS, fresh });
    assertEquals(refusalOf(answer), ["upstream_unreachable", false]);
    assert(!answer.ok && answer.refusal.detail?.includes("the port is closed"), JSON.stringify(answer));
  }
  await egress.close();
});

Deno.test("send() reuses connections, but for a fresh one, which serves that one request", async () => {
  await withUpstream(() => new Response("x"), async (send, requests) => {
    for (let i = 0; i < 30; i++) assert((await send(get(), { fresh: i % 3 === 0 })).ok);
    const used = requests.map(({ connection }) => connection);
    const fresh = used.filter((_, i) => i % 3 === 0);
    const kept = used.filter((_, i) => i % 3 !== 0);
    assertEquals(new Set(fresh).size, 10);
    assert(new Set(kept).size < 5);
    assert(fresh.every((connection) => !kept.includes(connection)));
  });
});

Deno.test("send() opens a bounded number of connections to one host", async () => {
  await withUpstream(() => new Response("x"), async (send, requests) => {
    const answers = await Promise.all(Array.from({ length: 60 }, () => send(get())));
    assert(answers.every(({ ok }) => ok));
    assertEquals(requests.length, 60);
    assert(new Set(requests.map(({ connection }) => connection)).size <= 12);
  });
});

Deno.test("send() asks no proxy of the environment", async () => {
  const names = ["HTTPS_PROXY", "https_proxy", "HTTP_PROXY", "http_proxy", "ALL_PROXY"];
  const before = names.map((name) => Deno.env.get(name));
  const proxy = startRawUpstream(async ({ readHead }) => void (await readHead()));
  for (const name of names) Deno.env.set(name, proxy.url.href);
  try {
    await withUpstream(() => new Response("x"), async (send) => assert((await send(get())).ok));
    assertEquals(proxy.received.length, 0);
  } finally {
    for (const [i, name] of names.entries()) {
      if (before[i] === undefined) Deno.env.delete(name);
      else Deno.env.set(name, before[i]);
    }
    await proxy.close();
  }
});

Deno.test("createEgress() takes no upstream that is not on loopback", () => {
  const upstreams = new Map([[HOST, new URL("http://10.0.0.5:4801")]]);
  assertThrows(() => createEgress({ upstreams }), TypeError, "not a loopback address");
});

type Send = (
  request: OutgoingRequest,
  options?: Partial<SendOptions>,
) => ReturnType<Egress["send"]>;

/** Runs `test` with an egress whose connections for `host` go to a real server that answers by `answer`. */
async function withUpstream(
  answer: (request: ReceivedRequest) => Response,
  test: (send: Send, requests: readonly ReceivedRequest[]) => Promise<void>,
  { host = HOST, certificate, extraCa }: {
    host?: string;
    certificate?: { cert: string; key: string };
    extraCa?: string;
  } = {},
): Promise<void> {
  const upstream = startUpstream(answer, { certificate });
  const egress = egressTo(upstream.url, { host, extraCa });
  try {
    await test(
      (request, options) => egress.send(request, { ...OPTIONS, host, ...options }),
      upstream.requests,
    );
  } finally {
    await egress.close();
    await upstream.close();
  }
}

function egressTo(url: URL, { host = HOST, ...options }: { host?: string } & EgressOptions = {}): Egress {
  const resolve = () => Promise.reject(new Error("a host with an upstream is not resolved"));
  return createEgress({ resolve, upstreams: new Map([[host, url]]), ...options });
}

function get(): OutgoingRequest {
  return { method: "GET", url: "https://ledger.example/", headers: [], body: null };
}

function refusalOf(answer: Awaited<ReturnType<Egress["send"]>>): [reason: string, sent: boolean | null] {
  return answer.ok ? ["answered", null] : [answer.refusal.reason, answer.refusal.sent];
}

function packed(bytes: Uint8Array): Response {
  return new Response(new Uint8Array(bytes), { headers: { "content-encoding": "gzip" } });
}

function endless(): ReadableStream<Uint8Array> {
  return new ReadableStream({ pull: (controller) => controller.enqueue(new Uint8Array(100)) });
}

function nextTurn(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 10));
}
