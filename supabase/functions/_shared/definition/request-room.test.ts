/** What a filled request may come to: counted while it is filled, so that nothing larger is ever made. */

import { assert, assertEquals } from "@std/assert";
import { refused, send, sent, URL } from "../../../../scripts/testing/outgoing.ts";
import type { CredentialKey } from "./credentials.ts";
import type { JsonObject } from "./json.ts";
import type { RequestTemplate } from "./request.ts";

const LONG = "x".repeat(60_000);
const GROWING: readonly (readonly [
  what: string,
  template: Partial<RequestTemplate>,
  args: JsonObject,
  problem: string,
])[] = [
  [
    "one argument many times in the query",
    { query: { q: "{a}".repeat(20_000) } },
    { a: LONG },
    "args.a: makes the address of the request longer than 8,192 characters; shorter values are wanted",
  ],
  [
    "one argument in many pairs of the URL",
    { url: `${URL}?${"q={a}&".repeat(10_000)}` },
    { a: Array<number>(30_000).fill(1) },
    "args.a[2041]: makes the address of the request longer than 8,192 characters; shorter values are wanted",
  ],
  [
    "a list under a long name",
    { query: { ["q".repeat(4_000)]: "{a}" } },
    { a: Array<number>(30_000).fill(1) },
    "args.a[2]: makes the address of the request longer than 8,192 characters; shorter values are wanted",
  ],
  [
    "one argument many times in the path",
    { url: `${URL}/${"{a}/".repeat(20_000)}` },
    { a: LONG },
    "args.a: makes the address of the request longer than 8,192 characters; shorter values are wanted",
  ],
  [
    "one argument in many headers",
    { headers: Object.fromEntries(Array.from({ length: 9_000 }, (_, at) => [`X-${at}`, "{a}"])) },
    { a: "x".repeat(1_000) },
    "args.a: makes the headers of the request together longer than 32,768 characters; shorter values are wanted",
  ],
  [
    "one argument many times in a text of the body",
    { method: "POST", body: { q: "{a}".repeat(20_000) } },
    { a: "\u0001".repeat(10_000) },
    "args.a: makes the body of the request longer than 1,048,576 characters; shorter values are wanted",
  ],
  [
    "one argument as many values of the body",
    { method: "POST", body: Array<string>(20_000).fill("{a}") },
    { a: [LONG] },
    "args.a: makes the body of the request longer than 1,048,576 characters; shorter values are wanted",
  ],
  [
    "a list under a long name of a form",
    { method: "POST", body_format: "form", body: { ["é".repeat(4_000)]: "{a}" } },
    { a: Array<number>(30_000).fill(1) },
    "args.a[43]: makes the body of the request longer than 1,048,576 characters; shorter values are wanted",
  ],
  [
    "one argument many times in a form",
    { method: "POST", body_format: "form", body: { a: Array<string>(20_000).fill("{a}{a}") } },
    { a: LONG },
    "args.a: makes the body of the request longer than 1,048,576 characters; shorter values are wanted",
  ],
];

for (const [what, template, args, problem] of GROWING) {
  Deno.test(`prepareRequest() refuses ${what} beyond what a request may come to, and fills no more of it`, () => {
    const { reason, problems } = refused(send(template, args));
    assertEquals(reason, "bad_arguments");
    assertEquals(problems!.filter((line) => line.includes("longer than")), [problem]);
  });
}

Deno.test("prepareRequest() tells of a list of wrong values in few lines, in however many places it stands", () => {
  const body = Object.fromEntries(Array.from({ length: 10_000 }, (_, at) => [`field_${at}`, "{a}"]));
  const a = Array<null>(12_000).fill(null);
  const { problems } = refused(send({ method: "POST", body_format: "form", body }, { a }));
  assertEquals(problems!.length, 201);
});

Deno.test("prepareRequest() takes as much as a request may come to, and not one character more", () => {
  const rest = 8_192 - `${URL}?q=`.length;
  assertEquals(sent({ query: { q: "{a}" } }, { a: "x".repeat(rest) }).url.length, 8_192);
  assertEquals(refused(send({ query: { q: "{a}" } }, { a: "x".repeat(rest + 1) })).reason, "bad_arguments");
  // Counted as it is sent: one letter may be nine characters.
  assertEquals(refused(send({ query: { q: "{a}" } }, { a: "€".repeat(1_000) })).reason, "bad_arguments");
  assertEquals(sent({ method: "POST" }, { a: LONG }).body?.length, LONG.length + '{"a":""}'.length);
});

Deno.test("prepareRequest() counts nothing that an absent argument leaves out", () => {
  const url = `${URL}?a=${"x".repeat(5_000)}{q}&b=${"x".repeat(5_000)}{q}&c=1`;
  assertEquals(sent({ url }).url, `${URL}?c=1`);
  const headers = { "X-A": `${"x".repeat(20_000)}{q}`, "X-B": `${"x".repeat(20_000)}{q}`, "X-C": "1" };
  assertEquals(sent({ headers }).headers, [["X-C", "1"]]);
});

const SECRETS: readonly (readonly [what: string, template: Partial<RequestTemplate>, part: string])[] = [
  ["the address", { query: { token: "{{secret}}" } }, "address of the request longer than 8,192"],
  [
    "the headers",
    { headers: { "X-A": "{{secret}}".repeat(5_000) } },
    "headers of the request together longer than 32,768",
  ],
  [
    "the body",
    { method: "POST", body: { a: "{{secret}}".repeat(20_000) } },
    "body of the request longer than 1,048,576",
  ],
  [
    "a form",
    { method: "POST", body_format: "form", body: { a: "{{secret|base64}}".repeat(20_000) } },
    "body of the request longer than 1,048,576",
  ],
];

for (const [what, template, part] of SECRETS) {
  Deno.test(`placeCredentials() refuses secrets that make ${what} longer than it may be, and repeats none`, () => {
    const values = new Map<CredentialKey, string>([["secret", "canary".repeat(2_500)]]);
    const refusal = refused(send(template, {}, values));
    assertEquals(refusal.reason, "bad_arguments");
    assertEquals(refusal.problems, [
      `args: make the ${part} characters when the secrets are put in; shorter ones are wanted`,
    ]);
    assert(!JSON.stringify(refusal).includes("canary"));
  });
}
