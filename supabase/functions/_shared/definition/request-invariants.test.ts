/** What holds for every accepted request and all arguments: one valid HTTP request to the declared host, or a refusal. */

import { assert, assertEquals } from "@std/assert";
import fc from "fast-check";
import type { CredentialKey } from "./credentials.ts";
import type { JsonObject, JsonValue } from "./json.ts";
import {
  checkRequest,
  hostOf,
  type OutgoingRequest,
  placeCredentials,
  prepareRequest,
  type RequestTemplate,
} from "./request.ts";

const NAMES = ["a", "b", "c", "d"];
const CONTEXT = {
  names: new Set(NAMES),
  required: new Set(["a", "b"]),
  credentials: new Set<CredentialKey>(["secret", "clientId"]),
};
const CANARY = "canary-4fG7hJ2kL9mN3pQ6rS8t";
const VALUES = new Map<CredentialKey, string>([["secret", CANARY], ["clientId", "client"]]);
const BASE = { maxLength: 4 };

const hostile = fc.oneof(
  { weight: 3, arbitrary: fc.string({ unit: "grapheme", maxLength: 12 }) },
  {
    weight: 2,
    arbitrary: fc.constantFrom(
      "{{secret}}",
      "{a}",
      "\\{",
      "..",
      ".",
      "",
      "%2e%2e",
      "a/b",
      "a\\b",
      "x\r\nHost: evil.example",
      "evil.example#",
      "@evil.example",
      "acme",
      "\0",
      "🦊",
    ),
  },
);
const scalar = fc.oneof(
  hostile,
  fc.integer(),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.boolean(),
);
const value: fc.Arbitrary<JsonValue> = fc.oneof(
  { weight: 6, arbitrary: scalar },
  fc.array(scalar, BASE),
  fc.dictionary(hostile, scalar, { maxKeys: 3 }),
  fc.constant(null),
);
const args: fc.Arbitrary<JsonObject> = fc.record(
  { a: value, b: value, c: value, d: value },
  { requiredKeys: ["a", "b"], noNullPrototype: true },
);

const placeholders = ["{a}", "{b}", "{c}", "x{d}", "{{secret}}", "{{clientId|base64}}"];
const text = textOf(...placeholders, "x", "é", " ", "\\{", "&", "..", "}");
const urlText = textOf("{a}", "{b}", "{{clientId}}", "x", "-", "%20", "..", "/");
const json: fc.Arbitrary<JsonValue> = fc.oneof(text, fc.array(text, BASE), fc.integer(), fc.constant(null));
const body = fc.dictionary(fc.constantFrom("k", "é", "a b", "_method"), json, { maxKeys: 3 });
const often = <T>(usual: T, ...rare: T[]) =>
  fc.oneof({ weight: 6, arbitrary: fc.constant(usual) }, fc.constantFrom(usual, ...rare));

const template = fc.record({
  method: fc.constantFrom("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"),
  url: fc.tuple(
    often("https://ledger.example", "https://{a}.example.com:8443", "https://{a}.{b}.example.com", "{a}"),
    fc.oneof(urlText.map((path) => `/${path}`), fc.constant("/api/{a}/{b}.json"), fc.constant("")),
    fc.oneof(urlText.map((query) => `?q=${query}`), fc.constantFrom("", "?q={c}&r=x{d}")),
  ).map((parts) => parts.join("")),
  headers: fc.record({
    "X-A": text,
    Authorization: often("Bearer {{secret}}", "Bearer {a}", "{{clientId}}:{{secret}}"),
  }, { requiredKeys: [], noNullPrototype: true }),
  query: fc.dictionary(often("q", "s t", "token", "_method"), fc.oneof(text, fc.integer(), fc.boolean()), {
    maxKeys: 2,
  }),
  body: fc.oneof(body, text, fc.array(text, BASE)),
  body_format: often("json", "form"),
}, { requiredKeys: ["method", "url"], noNullPrototype: true })
  .map(({ body, ...rest }) => /GET|HEAD/.test(rest.method) ? rest : { ...rest, body }) as fc.Arbitrary<
    RequestTemplate
  >;

Deno.test("a request of any shape is checked without an exception", () => {
  fc.assert(fc.property(fc.anything({ withNullPrototype: true }), (request) => {
    checkRequest(request, { path: [], context: CONTEXT });
  }));
});

Deno.test("an accepted request with any arguments makes one valid HTTP request to its host, or a refusal", () => {
  let made = 0;
  fc.assert(
    fc.property(template, args, (template, args) => {
      if (checkRequest(template, { path: [], context: CONTEXT }).length > 0) return;
      const prepared = prepareRequest(template, args);
      if (!prepared.ok) return;
      assert(!JSON.stringify(prepared.value).includes(CANARY));
      const placed = placeCredentials(prepared.value, VALUES);
      assert(placed.ok, JSON.stringify(placed));
      made++;
      checkOutgoing(placed.value, { template, args });
    }),
    { numRuns: 6_000, seed: 20261012 },
  );
  assert(made > 1_000, `only ${made} requests were made: the generator no longer reaches what it is for`);
});

function textOf(...parts: string[]): fc.Arbitrary<string> {
  return fc.array(fc.constantFrom(...parts), { maxLength: 3 }).map((parts) => parts.join(""));
}

function checkOutgoing(
  request: OutgoingRequest,
  { template, args }: { template: RequestTemplate; args: JsonObject },
) {
  const url = new URL(request.url);
  assertEquals(url.href, request.url);
  assertEquals(url.host, hostOf(template.url).replace("{a}", () => String(args.a)));
  assertEquals(url.username + url.password + url.hash, "");
  const names = request.headers.map(([name]) => name.toLowerCase());
  assertEquals(names.length, new Set(names).size);
  for (const [name, value] of request.headers) {
    assert(/^[\x21-\x7e]+$/.test(name) && /^[\x20-\x7e]*$/.test(value));
  }
  assert(/^[\x21-\x7e]+$/.test(request.url));
  // The platform's own client takes it as it is.
  new Request(request.url, { method: request.method, headers: request.headers, body: request.body });
  const isJson = request.body !== null && template.body_format !== "form";
  if (isJson) JSON.parse(request.body!);
  const canaries = JSON.stringify(request).split(CANARY).length - 1;
  const holes = JSON.stringify(template).split("{{secret}}").length - 1;
  assert(canaries <= holes, "a credential stands where the template has none");
}

Deno.test("what fills path, query, header and body is read back as it was given", () => {
  const given = fc.string({ unit: "grapheme", maxLength: 20 }).filter((text) =>
    text.isWellFormed() && !/^(?:\.|%2e){0,2}$/i.test(text)
  );
  const template: RequestTemplate = {
    method: "POST",
    url: "https://ledger.example/x/{a}/y?b={b}&c={c}",
    query: { d: "<{b}>" },
    body: { a: "{a}", b: ["<{b}>", "{c}"] },
  };
  fc.assert(
    fc.property(given, fc.string({ unit: "grapheme" }), fc.array(scalar, BASE), (a, b, c) => {
      const prepared = prepareRequest(template, { a, b, c });
      assert(prepared.ok, JSON.stringify(prepared));
      const placed = placeCredentials(prepared.value, new Map());
      assert(placed.ok, JSON.stringify(placed));
      const { pathname, searchParams } = new URL(placed.value.url);
      assertEquals(pathname.split("/").map(decodeURIComponent), ["", "x", a, "y"]);
      assertEquals([...searchParams], [["b", b], ...c.map((item) => ["c", String(item)]), ["d", `<${b}>`]]);
      assertEquals(JSON.parse(placed.value.body!), JSON.parse(JSON.stringify({ a, b: [`<${b}>`, c] })));
      const form = prepareRequest({ ...template, body_format: "form" }, { a, b, c });
      assert(form.ok && form.value.body !== null);
      assertEquals([...new URLSearchParams(form.value.body.join(""))].slice(0, 2), [["a", a], [
        "b",
        `<${b}>`,
      ]]);
    }),
    { numRuns: 1_000 },
  );
});
