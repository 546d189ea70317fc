import { assert, assertEquals, assertMatch } from "@std/assert";
import { readAnswerTo, untilAnswered } from "./mcp-message.ts";

const RESULT = '{"jsonrpc":"2.0","id":3,"result":{"n":1}}';
const OTHER = '{"jsonrpc":"2.0","id":4,"result":{}}';
const ASKS = '{"jsonrpc":"2.0","id":3,"method":"elicitation/create","params":{}}';
const NOTE = '{"jsonrpc":"2.0","method":"notifications/progress","params":{}}';

function read(body: string | Uint8Array, contentType: string | null = "application/json") {
  const bytes = typeof body === "string" ? new TextEncoder().encode(body) : body;
  return readAnswerTo(3, {
    body: bytes,
    contentType,
    redact: (text) => text.replaceAll("s3cret-token", "***"),
  });
}

function event(...messages: string[]): string {
  return messages.map((message) => `event: message\ndata: ${message}\n\n`).join("");
}

Deno.test("readAnswerTo() finds the answer to the very request", () => {
  const found = { jsonrpc: "2.0", id: 3, result: { n: 1 } };
  const cases: readonly (readonly [body: string, type: string])[] = [
    [RESULT, "application/json"],
    [RESULT, "application/json; charset=utf-8"],
    [`[${OTHER},${RESULT}]`, "application/json"],
    [event(NOTE, ASKS, OTHER, RESULT), "text/event-stream"],
    [`: hello\n\n${event("no json", RESULT, OTHER)}`, "text/event-stream; charset=utf-8"],
  ];
  for (const [body, type] of cases) assertEquals(read(body, type), { ok: true, value: found }, body);
});

Deno.test("readAnswerTo() keeps every digit, and takes credentials out before it parses", () => {
  const long = read('{"jsonrpc":"2.0","id":3,"result":{"id":123456789012345678,"says":"s3cret-token"}}');
  assert(long.ok);
  assertEquals(long.value.result, { id: "123456789012345678", says: "***" });
});

Deno.test("readAnswerTo() quotes no credential out of a content type, also not in lower case", () => {
  for (const type of ["application/S3cret-Token", "application/json; charset=S3cret-Token"]) {
    const answer = readAnswerTo(3, {
      body: new TextEncoder().encode(RESULT),
      contentType: type,
      redact: (text) => text.replaceAll("S3cret-Token", "***"),
    });
    assert(!answer.ok, type);
    assertEquals(answer.refusal.reason, "upstream_bad_answer");
    assert(!/s3cret/i.test(JSON.stringify(answer.refusal)), JSON.stringify(answer.refusal));
  }
});

Deno.test("readAnswerTo() takes an error that names no request for one about this request", () => {
  for (const id of ['"id":null,', ""]) {
    const answer = read(`{"jsonrpc":"2.0",${id}"error":{"code":-32600,"message":"no"}}`);
    assertEquals(answer, {
      ok: true,
      value: { jsonrpc: "2.0", id: 3, error: { code: -32600, message: "no" } },
    });
  }
});

Deno.test("readAnswerTo() refuses an answer of more values than can be held, however it comes", () => {
  const body = `{"jsonrpc":"2.0","id":3,"result":{"content":[${"{},".repeat(200_000)}{}]}}`;
  for (const [sent, type] of [[body, "application/json"], [event(body), "text/event-stream"]] as const) {
    const answer = read(sent, type);
    assert(!answer.ok);
    assertEquals([answer.refusal.reason, answer.refusal.detail], [
      "upstream_too_large",
      "Its answer is JSON of more than 200,000 values.",
    ]);
  }
});

Deno.test("readAnswerTo() says in words what is no answer", () => {
  const cases: readonly (readonly [body: string | Uint8Array, type: string | null, says: RegExp])[] = [
    ["<h1>Sign in</h1>", "text/html", /web page/],
    ["PK", "application/zip", /application\/zip; JSON or a stream/],
    ["{}", null, /no type/],
    ["{", "application/json", /does not parse/],
    [new Uint8Array([0xff, 0xff]), "application/json", /not utf-8/],
    [`${"[".repeat(300)}${"]".repeat(300)}`, "application/json", /200 levels/],
    ['{"ok":true}', "application/json", /no message of JSON-RPC/],
    ["[]", "application/json", /no message of JSON-RPC/],
    [OTHER, "application/json", /another request/],
    ['{"jsonrpc":"2.0","id":"3","result":{}}', "application/json", /another request/],
    ['{"jsonrpc":"2.0","id":3,"result":{},"error":{}}', "application/json", /another request/],
    ['{"jsonrpc":"1.0","id":3,"result":{}}', "application/json", /no message of JSON-RPC/],
    [event(OTHER), "text/event-stream", /another request/],
    [event(ASKS), "text/event-stream", /asked something back/],
    [event(NOTE), "text/event-stream", /ended without an answer/],
    ["", "text/event-stream", /ended without an answer/],
  ];
  for (const [body, type, says] of cases) {
    const answer = read(body, type);
    assert(!answer.ok, String(body));
    assertEquals(answer.refusal.reason, "upstream_bad_answer");
    assertMatch(answer.refusal.detail ?? "", says);
  }
});

Deno.test("untilAnswered() knows the end of a stream by the answer to the very request, in any pieces", () => {
  const bytes = new TextEncoder().encode(event(NOTE, OTHER, ASKS, RESULT) + event(NOTE));
  for (const size of [1, 7, 64, bytes.length]) {
    const isLast = untilAnswered(3);
    let read = 0;
    while (read < bytes.length && !isLast(bytes.subarray(read, read += size)));
    const end = event(NOTE, OTHER, ASKS, RESULT).length;
    assert(read >= end && read < end + size, `${size}: ${read}`);
  }
  assert(!untilAnswered(9)(bytes));
});
