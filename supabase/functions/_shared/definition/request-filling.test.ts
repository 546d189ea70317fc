/** `prepareRequest()` and `placeCredentials()`: what goes out, and what is refused before it can. */

import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { refused, send, sent, URL, VALUES } from "../../../../scripts/testing/outgoing.ts";
import egressCases from "../egress/testdata/egress-cases.json" with { type: "json" };
import type { CredentialKey } from "./credentials.ts";
import type { JsonObject } from "./json.ts";
import { checkRequest, hostOf, placeCredentials, prepareRequest, type RequestTemplate } from "./request.ts";

for (const { id, input, verdict, why, args } of egressCases.cases.filter(({ kind }) => kind === "template")) {
  Deno.test(`prepareRequest() decides ${id}: ${verdict} ${input} (${why})`, () => {
    const names = new Set(Object.keys(args!));
    const template: RequestTemplate = {
      method: "GET",
      url: input,
      headers: { Authorization: "Bearer {{secret}}" },
    };
    const problems = checkRequest(template, {
      path: ["request"],
      context: { names, required: names, credentials: new Set<CredentialKey>(["secret"]) },
    });
    const isAllowed = problems.length === 0 &&
      send(template, args as unknown as JsonObject, new Map([["secret", "canary"]])).ok;
    assertEquals(isAllowed, verdict === "allow", JSON.stringify(problems));
  });
}

const URLS:
  readonly (readonly [what: string, template: Partial<RequestTemplate>, args: JsonObject, url: string])[] = [
    [
      "a piece of the path",
      { url: `${URL}/{id}.json` },
      { id: "a/b?c#d%2e é" },
      `${URL}/a%2Fb%3Fc%23d%252e%20%C3%A9.json`,
    ],
    ["a number and a boolean", { url: `${URL}/{a}/{b}` }, { a: 12.5, b: false }, `${URL}/12.5/false`],
    ["a query value", { url: `${URL}?q={q}` }, { q: "a&b=c#d\r\n'+" }, `${URL}?q=a%26b%3Dc%23d%0D%0A%27%2B`],
    ["an absent argument", { url: `${URL}?a=1&q={q}&r=x{q}`, query: { s: "{q}" } }, {}, `${URL}?a=1`],
    ["the only pair's absent argument", { url: `${URL}?q={q}` }, {}, URL],
    ["an empty text", { url: `${URL}?q={q}` }, { q: "" }, `${URL}?q=`],
    [
      "a list",
      { url: `${URL}?a[]={q}`, query: { "b[]": "{q}" } },
      { q: ["x y", 1, true] },
      `${URL}?a[]=x%20y&a[]=1&a[]=true&b%5B%5D=x%20y&b%5B%5D=1&b%5B%5D=true`,
    ],
    ["an empty list", { url: `${URL}?a={q}` }, { q: [] }, URL],
    ["literals", { query: { a: "x y{q}", b: 1, c: false } }, { q: "&" }, `${URL}?a=x%20y%26&b=1&c=false`],
    ["text of the URL as it stands", { url: `${URL}?a=%20&b=x:{q}` }, { q: ":" }, `${URL}?a=%20&b=x:%3A`],
    [
      "a credential in the query",
      { query: { token: "{{secret}}" } },
      {},
      `${URL}?token=s3cr%26t%3A%22%C3%BC`,
    ],
    ["a setting in the path", { url: `${URL}/{{administrationId}}/x` }, {}, `${URL}/12%2F3/x`],
    [
      "a placeholder in an argument",
      { url: `${URL}/{a}?b={a}` },
      { a: "{{secret}}" },
      `${URL}/%7B%7Bsecret%7D%7D?b=%7B%7Bsecret%7D%7D`,
    ],
    [
      "a label",
      { url: "https://{t}.Example.com.:8443/x" },
      { t: "acme-1" },
      "https://acme-1.example.com:8443/x",
    ],
    [
      "an empty path",
      { url: "https://bücher.example?q={q}" },
      { q: 1 },
      "https://xn--bcher-kva.example/?q=1",
    ],
    ["an argument named like a method of objects", { url: `${URL}?a={toString}` }, {}, URL],
  ];

for (const [what, template, args, url] of URLS) {
  Deno.test(`prepareRequest() fills ${what} into the address`, () =>
    assertEquals(sent(template, args).url, url));
}

const JSON_TYPE: [string, string] = ["Content-Type", "application/json"];
const FORM_TYPE: [string, string] = ["Content-Type", "application/x-www-form-urlencoded"];

const BODIES: readonly (readonly [
  what: string,
  template: Partial<RequestTemplate>,
  args: JsonObject,
  body: string | null,
])[] = [
  [
    "typed values",
    { body: { a: "{a}", b: "{b}", c: "{c}" } },
    { a: { x: [1] }, b: null, c: true },
    '{"a":{"x":[1]},"b":null,"c":true}',
  ],
  [
    "text inside a text",
    { body: { a: "<{a}|{b}|{c}>" } },
    { a: 'q"\n', b: 1, c: false },
    '{"a":"<q\\"\\n|1|false>"}',
  ],
  [
    "what is absent by dropping it",
    { body: { a: "{a}", b: ["{a}", 1, "x{a}"], c: { d: "{a}" } } },
    {},
    '{"b":[1],"c":{}}',
  ],
  ["a literal brace", { body: "\\{{a}}" }, { a: "x" }, '"{x}"'],
  ["one argument as the whole", { body: "{a}" }, { a: [1, { b: 2 }] }, '[1,{"b":2}]'],
  ["nothing when the whole is absent", { body: "{a}" }, {}, null],
  [
    "literals",
    { body: { a: [null, 1.5, true, "x", {}], "ü\n": 0 } },
    {},
    '{"a":[null,1.5,true,"x",{}],"ü\\n":0}',
  ],
  [
    "a credential",
    { body: { a: "{{secret}}", b: "{{secret|base64}}" } },
    {},
    '{"a":"s3cr&t:\\"ü","b":"czNjciZ0OiLDvA=="}',
  ],
  ["a placeholder in an argument", { body: { a: "{a}", b: "x{a}", c: "{d}" } }, {
    a: "{{secret}}{b}",
    d: ["{{secret}}"],
  }, '{"a":"{{secret}}{b}","b":"x{{secret}}{b}","c":["{{secret}}"]}'],
  [
    "what is used nowhere else",
    { url: `${URL}/{a}?b={b}` },
    { a: 1, b: 2, c: { d: null }, e: "x" },
    '{"c":{"d":null},"e":"x"}',
  ],
  ["an empty object when nothing is left", { url: `${URL}/{a}` }, { a: 1 }, "{}"],
  ["a key __proto__ as any other", {}, JSON.parse('{"__proto__":{"a":1}}'), '{"__proto__":{"a":1}}'],
];

for (const [what, template, args, body] of BODIES) {
  Deno.test(`prepareRequest() sends ${what} as JSON`, () => {
    const request = sent({ method: "POST", ...template }, args);
    assertEquals(request.body, body);
    assertEquals(request.headers, body === null ? [] : [JSON_TYPE]);
  });
}

const FORMS: readonly (readonly [
  what: string,
  template: Partial<RequestTemplate>,
  args: JsonObject,
  body: string | null,
])[] = [
  [
    "fields",
    { body: { "a b": "{a}", c: "x{a}", d: 1, e: [true, "{a}"] } },
    { a: "&=+é" },
    "a+b=%26%3D%2B%C3%A9&c=x%26%3D%2B%C3%A9&d=1&e=true&e=%26%3D%2B%C3%A9",
  ],
  ["lists as repeated fields", { body: { a: "{a}" } }, { a: [1, "x", false] }, "a=1&a=x&a=false"],
  ["what is absent by dropping it", { body: { a: "{a}", b: ["{a}", 1], c: "x{a}" } }, {}, "b=1"],
  [
    "credentials",
    { body: { client_secret: "{{secret}}", client_id: "{{clientId}}" } },
    {},
    "client_secret=s3cr%26t%3A%22%C3%BC&client_id=client+1",
  ],
  ["one argument as the whole", { body: "{a}" }, { a: { x: 1, y: ["a b"] } }, "x=1&y=a+b"],
  ["what is used nowhere else", { url: `${URL}/{a}` }, { a: 1, b: [1, 2] }, "b=1&b=2"],
];

for (const [what, template, args, body] of FORMS) {
  Deno.test(`prepareRequest() sends ${what} as a form`, () => {
    const request = sent({ method: "POST", body_format: "form", ...template }, args);
    assertEquals(request.body, body);
    assertEquals(request.headers, [FORM_TYPE]);
  });
}

Deno.test("prepareRequest() sends no body by GET, HEAD and DELETE unless DELETE has one written", () => {
  for (const method of ["GET", "HEAD", "DELETE"] as const) {
    assertEquals(sent({ method }, { a: 1 }).body, null);
  }
  assertEquals(sent({ method: "DELETE", body: { a: "{a}" } }, { a: 1 }).body, '{"a":1}');
});

Deno.test("prepareRequest() fills headers, drops one whose argument is absent, and keeps a content type", () => {
  const headers = {
    "X-A": "a-{a}",
    "X-B": "{b}",
    Authorization: "Basic {{secret|base64}}",
    "content-type": "text/x",
  };
  assertEquals(sent({ method: "POST", headers }, { a: 1 }).headers, [
    ["X-A", "a-1"],
    ["Authorization", "Basic czNjciZ0OiLDvA=="],
    ["content-type", "text/x"],
  ]);
});

const BAD_ARGUMENTS:
  readonly (readonly [template: Partial<RequestTemplate>, args: JsonObject, problems: readonly string[]])[] =
    [
      [{ url: `${URL}/{a}` }, { a: "" }, ['args.a: found "", which has no place in a path']],
      [{ url: `${URL}/{a}` }, { a: "." }, ['args.a: found ".", which has no place in a path']],
      [{ url: `${URL}/{a}` }, { a: ".." }, ['args.a: found "..", which has no place in a path']],
      [{ url: `${URL}/{a}` }, { a: "%2E." }, ['args.a: found "%2E.", which has no place in a path']],
      [{ url: `${URL}/.{a}` }, { a: "%2e" }, ['args.a: found "%2e", which has no place in a path']],
      [{ url: `${URL}/%2{a}` }, { a: "e" }, [
        "args.a: makes a . or .. of its piece of the path, which leads to another address",
      ]],
      [{ url: `${URL}/{a}` }, {}, ["args.a: missing; the address needs it"]],
      [{ url: `${URL}/{a}` }, { a: ["x"] }, [
        "args.a: found a list; a text, a number, true or false is wanted here",
      ]],
      [{ url: `${URL}?q={a}` }, { a: { b: 1 } }, [
        "args.a: found an object; a text, a number, true or false is wanted here",
      ]],
      [{ url: `${URL}?q={a}` }, { a: ["x", { b: 1 }] }, [
        "args.a[1]: found an object; a text, a number, true or false is wanted here",
      ]],
      [{ url: `${URL}?q=x{a}` }, { a: ["x"] }, [
        "args.a: found a list; a text, a number, true or false is wanted here",
      ]],
      [{ url: `${URL}?q={a}` }, { a: null }, [
        "args.a: found null; a text, a number, true or false is wanted here",
      ]],
      [{ url: `${URL}?q={a}` }, { a: "\ud800" }, [
        "args.a: holds half of a surrogate pair; write the whole character",
      ]],
      [{ headers: { "X-A": "{a}", "X-B": "{b}" } }, { a: "x\r\nY: z", b: "é" }, [
        "args.a: stands in a header; only printable ASCII can stand in a header: no line break, no letter outside ASCII",
        "args.b: stands in a header; only printable ASCII can stand in a header: no line break, no letter outside ASCII",
      ]],
      [{ method: "POST", body: { a: "x{a}" } }, { a: {} }, [
        "args.a: found an object; a text, a number, true or false is wanted here",
      ]],
      [{ method: "POST" }, { _method: "DELETE" }, [
        "args._method: makes another method of the call; write the method under method",
      ]],
      [{ method: "POST", body: "{a}" }, { a: { _method: "DELETE" } }, [
        "args.a._method: makes another method of the call; write the method under method",
      ]],
      [{ method: "POST", body_format: "form" }, { a: { b: 1 } }, [
        "args.a: found an object; a text, a number, true or false is wanted here",
      ]],
      [{ method: "POST", body_format: "form", body: "{a}" }, { a: [1] }, [
        "args.a: found a list; an object of form fields is wanted",
      ]],
    ];

for (const [template, args, problems] of BAD_ARGUMENTS) {
  Deno.test(`prepareRequest() refuses ${JSON.stringify(args)} in ${JSON.stringify(template)}`, () => {
    const { reason, problems: told } = refused(send(template, args));
    assertEquals(reason, "bad_arguments");
    assertEquals(told, [...problems]);
  });
}

for (
  const label of [
    "",
    "a.b",
    "-a",
    "a-",
    "A",
    "xn--bcher-kva",
    "ü",
    "a".repeat(64),
    "a/",
    "a#",
    "a@b",
    "%61",
    "a:1",
    1,
    null,
  ]
) {
  Deno.test(`prepareRequest() refuses ${JSON.stringify(label)} as a label of the host`, () => {
    const { reason, problems } = refused(send({ url: "https://{t}.example.com/" }, { t: label }));
    assertEquals(reason, "bad_arguments");
    assertEquals(problems?.length, 1);
    assertStringIncludes(problems![0]!, "one label of a host is wanted");
  });
}

Deno.test("prepareRequest() refuses a label that makes a public suffix of the host", () => {
  const template = { url: "https://{t}.amazonaws.com/" };
  assertEquals(sent(template, { t: "acme" }).url, "https://acme.amazonaws.com/");
  assertEquals(refused(send(template, { t: "s3" })).reason, "host_refused");
});

Deno.test("prepareRequest() refuses a label that makes the name too long", () => {
  const name = Array<string>(4).fill("a".repeat(55)).join(".");
  const { reason, problems } = refused(send({ url: `https://{t}.${name}.example/` }, { t: "b".repeat(40) }));
  assertEquals([reason, problems], ["bad_arguments", ["args.t: makes the host longer than 253 characters"]]);
});

const UNPLACEABLE:
  readonly (readonly [template: Partial<RequestTemplate>, value: string | null, problem: string])[] = [
    [{ headers: { "X-Api-Key": "{{secret}}" } }, null, "CONNECTOR_LEDGER: has no value"],
    [
      { headers: { "X-Api-Key": "{{secret}}" } },
      "canary-1\n",
      "CONNECTOR_LEDGER: holds a line break or another character a header cannot carry",
    ],
    [
      { headers: { "X-Api-Key": "{{secret}}" } },
      "canary-1é",
      "CONNECTOR_LEDGER: holds a line break or another character a header cannot carry",
    ],
    [
      { headers: { "X-Api-Key": "{{secret}}" } },
      " canary-1",
      "CONNECTOR_LEDGER: starts or ends with a blank",
    ],
    [{ url: `${URL}/{{secret}}` }, "..", "CONNECTOR_LEDGER: is empty, . or .., which has no place in a path"],
    [
      { query: { token: "{{secret}}" } },
      "canary-1\ud800",
      "CONNECTOR_LEDGER: holds half of a surrogate pair",
    ],
  ];

for (const [template, value, problem] of UNPLACEABLE) {
  Deno.test(`placeCredentials() refuses ${JSON.stringify(value)} in ${JSON.stringify(template)} and names the secret alone`, () => {
    const prepared = prepareRequest({ method: "GET", url: URL, ...template }, {});
    assert(prepared.ok);
    const values = new Map<CredentialKey, string>(value === null ? [] : [["secret", value]]);
    const secretNames = new Map<CredentialKey, string>([["secret", "CONNECTOR_LEDGER"]]);
    const refusal = refused(placeCredentials(prepared.value, values, { secretNames }));
    assertEquals(refusal.reason, "secret_missing");
    assertEquals(refusal.problems, [problem]);
    assert(!JSON.stringify(refusal).includes("canary"));
  });
}

Deno.test("placeCredentials() fills once: a value that reads like a placeholder is text", () => {
  const template = { headers: { "X-Api-Key": "{{secret}}" }, query: { a: "{{secret}}" } };
  const result = send(template, {}, new Map([["secret", "{{clientId}}$&"]]));
  assert(result.ok);
  assertEquals(result.value.headers, [["X-Api-Key", "{{clientId}}$&"]]);
  assertEquals(result.value.url, `${URL}?a=%7B%7BclientId%7D%7D%24%26`);
});

Deno.test("placeCredentials() refuses a request whose host is not the prepared one", () => {
  const prepared = prepareRequest({ method: "GET", url: URL }, {});
  assert(prepared.ok);
  const moved = { ...prepared.value, host: "other.example" };
  assertEquals(refused(placeCredentials(moved, VALUES)).reason, "host_refused");
});

const IDEMPOTENCY: readonly (readonly [template: Partial<RequestTemplate>, header: string | null])[] = [
  [{ method: "POST" }, "Idempotency-Key"],
  [{ method: "PATCH" }, "Idempotency-Key"],
  [{ method: "PUT" }, null],
  [{ method: "DELETE" }, null],
  [{ method: "GET" }, null],
  [{ method: "PUT", idempotency_header: "X-Request-Id" }, "X-Request-Id"],
  [{ method: "POST", idempotency_header: null }, null],
];

for (const [template, header] of IDEMPOTENCY) {
  Deno.test(`placeCredentials() carries the idempotency key of ${JSON.stringify(template)} in ${header}`, () => {
    const prepared = prepareRequest({ method: "GET", url: URL, ...template }, {});
    assert(prepared.ok);
    assertEquals(prepared.value.idempotencyHeader, header);
    const withKey = placeCredentials(prepared.value, VALUES, { idempotencyKey: "a1.0" });
    assert(withKey.ok);
    assertEquals(
      withKey.value.headers.filter(([, value]) => value === "a1.0").map(([name]) => name),
      header === null ? [] : [header],
    );
    const without = placeCredentials(prepared.value, VALUES);
    assert(without.ok && !JSON.stringify(without.value.headers).includes("a1.0"));
  });
}

const HOSTS: readonly (readonly [url: string, host: string])[] = [
  ["https://Ledger.Example", "ledger.example"],
  ["HTTPS://ledger.example.:443/x?y", "ledger.example"],
  ["https://ledger.example:8443/x", "ledger.example:8443"],
  ["https://bücher.example/", "xn--bcher-kva.example"],
  ["https://{Tenant}.Bücher.example:8443/{id}?q={q}", "{Tenant}.xn--bcher-kva.example:8443"],
  ["https://api.{tenant}.example.com", "api.{tenant}.example.com"],
  ["https://[2606:4700::1]/", "[2606:4700::1]"],
  ["https://a。b.{t}.example.com/", "a.b.{t}.example.com"],
  ["https://xx.{t}.x.xxx.example.com/", "xx.{t}.x.xxx.example.com"],
];

for (const [url, host] of HOSTS) {
  Deno.test(`hostOf() reads ${host} from ${url}`, () => assertEquals(hostOf(url), host));
}
