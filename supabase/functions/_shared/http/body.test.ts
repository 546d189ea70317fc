import { assert, assertEquals } from "@std/assert";
import { MAX_BODY_BYTES, readBody, readJsonBody } from "./body.ts";

function post(body: BodyInit, headers: Record<string, string> = {}): Request {
  return new Request("https://framed.example/", { method: "POST", body, headers });
}

/** A JSON object of exactly `bytes` bytes. */
function objectOf(bytes: number): string {
  const around = '{"a":""}'.length;
  return `{"a":"${"x".repeat(bytes - around)}"}`;
}

async function reasonOf(body: BodyInit): Promise<string> {
  const read = await readJsonBody(post(body));
  return read.ok ? "read" : read.refusal.reason;
}

Deno.test("readJsonBody() reads an object, whatever the content type says", async () => {
  for (const type of ["application/json", "text/plain", "application/x-www-form-urlencoded"]) {
    const read = await readJsonBody(post('{"a":[1,"é"]}', { "content-type": type }));
    assertEquals(read, { ok: true, value: { a: [1, "é"] } });
  }
});

const BODIES: readonly [string, BodyInit, string][] = [
  ["an empty body", "", "bad_json"],
  ["blanks", "  ", "bad_json"],
  ["no JSON", "{", "bad_json"],
  ["a list", "[]", "bad_json"],
  ["null", "null", "bad_json"],
  ["a text", '"a"', "bad_json"],
  ["a key twice", '{"a":1,"a":2}', "bad_json"],
  ["invalid UTF-8", new Uint8Array([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d]), "bad_json"],
  ["a NUL", '{"a":"\\u0000"}', "bad_json"],
  ["half of a surrogate pair", '{"a":"\\ud800"}', "bad_json"],
  ["a number that loses digits", '{"a":9007199254740993}', "bad_json"],
  ["more behind the object", "{} {}", "bad_json"],
  ["as many bytes as there may be", objectOf(MAX_BODY_BYTES), "read"],
  ["one byte more", objectOf(MAX_BODY_BYTES + 1), "body_too_large"],
];

for (const [name, body, expected] of BODIES) {
  Deno.test(`readJsonBody() of ${name}: ${expected}`, async () =>
    assertEquals(await reasonOf(body), expected));
}

Deno.test("readJsonBody() of a request without a body refuses bad_json", async () => {
  const read = await readJsonBody(new Request("https://framed.example/", { method: "POST" }));
  assert(!read.ok);
  assertEquals(read.refusal.reason, "bad_json");
});

Deno.test("readJsonBody() stops at the limit, however much comes and whatever was announced", async () => {
  let sent = 0;
  let cancelled = false;
  const endless = new ReadableStream<Uint8Array>({
    pull(controller) {
      const chunk = new Uint8Array(64 * 1024).fill(0x20);
      sent += chunk.byteLength;
      controller.enqueue(chunk);
    },
    cancel() {
      cancelled = true;
    },
  });
  const read = await readJsonBody(post(endless, { "content-length": "2" }));
  assert(!read.ok);
  assertEquals(read.refusal.reason, "body_too_large");
  assert(cancelled);
  assert(sent <= MAX_BODY_BYTES + 4 * 64 * 1024, `${sent} bytes were taken`);
});

Deno.test("readJsonBody() waits for a body that drips no longer than its time, and lets go of it", async () => {
  let cancelled = false;
  const dripping = new ReadableStream<Uint8Array>({
    start: (controller) => controller.enqueue(new TextEncoder().encode('{"a":')),
    cancel() {
      cancelled = true;
    },
  });
  const read = await readJsonBody(post(dripping), { timeoutMs: 20 });
  assert(!read.ok);
  assertEquals(read.refusal, { reason: "bad_request", detail: "The body did not arrive within 0.02 s." });
  assert(cancelled);
});

Deno.test("readJsonBody() of a body that breaks off refuses it", async () => {
  const broken = new ReadableStream<Uint8Array>({
    pull: (controller) => controller.error(new Error("connection reset")),
  });
  const read = await readJsonBody(post(broken));
  assert(!read.ok);
  assertEquals(read.refusal, { reason: "bad_request", detail: "The body broke off." });
});

Deno.test("readJsonBody() says where in the body each problem is", async () => {
  const read = await readJsonBody(post('{"a":1,"a":2,"tool":{"n":[9007199254740993]}}'));
  assert(!read.ok);
  assertEquals(read.refusal.problems?.map((line) => line.split(":")[0]), ["a", "tool.n[0]"]);
  const broken = await readJsonBody(post("{"));
  assert(!broken.ok && broken.refusal.problems?.every((line) => line.startsWith("body: ")));
});

Deno.test("readBody() gives the object with what is wrong in its text, so that a file can be told all of it", async () => {
  const read = await readBody(
    post('{"workspace_id":"w","tool":{"slug":"a","slug":"b","n":[9007199254740993]}}'),
  );
  assert(read.ok);
  assertEquals(read.value.value.workspace_id, "w");
  assertEquals(read.value.problems.map(({ path }) => path), [["tool", "slug"], ["tool", "n", 0]]);

  const fine = await readBody(post('{"a":1}'));
  assert(fine.ok);
  assertEquals(fine.value, { value: { a: 1 }, problems: [] });
  for (const body of ["{", "[]", ""]) assertEquals((await readBody(post(body))).ok, false, body);
});
