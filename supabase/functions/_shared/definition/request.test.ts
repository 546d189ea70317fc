import { assertEquals, assertStringIncludes } from "@std/assert";
import type { CredentialKey } from "./credentials.ts";
import type { JsonObject } from "./json.ts";
import { formatProblem } from "./problem.ts";
import { checkRequest, type RequestTemplate, usedCredentials } from "./request.ts";

const CONTEXT = {
  names: new Set(["tenant", "id", "q", "data", "ids"]),
  required: new Set(["tenant", "id"]),
  credentials: new Set<CredentialKey>([
    "secret",
    "clientId",
    "clientSecret",
    "administrationId",
    "redirectUri",
    "accessToken",
  ]),
};

const URL = "https://ledger.example/api";

function check(request: JsonObject, context = CONTEXT): string[] {
  return checkRequest({ method: "GET", url: URL, ...request }, { path: ["request"], context }).map(
    formatProblem,
  );
}

const GOOD: readonly (readonly [what: string, request: JsonObject])[] = [
  ["a bearer", { headers: { Authorization: "Bearer {{secret}}" } }],
  ["basic authentication", { headers: { Authorization: "Basic {{secret|base64}}" } }],
  ["a scheme with a name", { headers: { Authorization: "Token token={{secret}}" } }],
  ["a scheme with a quoted name", { headers: { authorization: 'MediaBrowser Token="{{secret}}"' } }],
  ["two credentials in one header", { headers: { Authorization: "token {{clientId}}:{{clientSecret}}" } }],
  ["a bare credential", { headers: { "X-Api-Key": "{{secret}}", "X-Auth-Token": "{{accessToken}}" } }],
  ["an argument in an ordinary header", { headers: { "X-Tenant": "t-{tenant}", "Idempotency-Key": "{id}" } }],
  ["a literal brace in a header", { headers: { "X-Filter": "\\{a}" } }],
  ["a credential in an ordinary header", {
    headers: { "X-A": "{{administrationId}}", "X-B": "Bearer {{secret}}", "X-C": "Basic plan" },
  }],
  ["an argument in the path", { url: `${URL}/{id}.json` }],
  ["a setting in the path", { url: `${URL}/{{administrationId}}/{{clientId}}/{{redirectUri}}/x` }],
  ["arguments in the query", {
    url: `${URL}?q={q}&since=2024&a=%20`,
    query: { page: 1, all: true, q: "x{q}" },
  }],
  ["a credential in the query", { url: `${URL}?token={{secret}}`, query: { api_key: "{{clientId}}" } }],
  ["an argument under a credential's name", { query: { key: "{q}" } }],
  ["semicolons of a filter and of a list", {
    url: `${URL}?filter=name==x;key==ABC;token=gt=5&$select=id;key;token&q={q};token={{secret}};key={q}`,
    query: { sort: "a;api_key=1;_method=DELETE" },
  }],
  ["a label of the host", { url: "https://{tenant}.example.com/x" }],
  ["a label of the host beside others", { url: "https://{tenant}.eu.example.com:8443/x" }],
  ["a label between others", { url: "https://api.{tenant}.example.com/x" }],
  ["a label below a registered private suffix", { url: "https://{tenant}.acme.github.io/x" }],
  ["a host outside ASCII", { url: "https://{tenant}.Bücher-straße-ｎａｍｅ.例え.jp/x" }],
  ["a body of any JSON", {
    method: "POST",
    body: { a: ["{q}", 1, null, { b: "{{secret}}" }], "d e": "\\{q} {id}" },
  }],
  ["a body that is one argument", { method: "PUT", body: "{data}" }],
  ["a body on DELETE", { method: "DELETE", body: { id: "{id}" } }],
  ["a form", { method: "POST", body_format: "form", body: { a: "{q}", b: [1, "{ids}"], c: true } }],
  ["a form that is one argument", { method: "POST", body_format: "form", body: "{data}" }],
  ["a form of what is left", { method: "POST", body_format: "form" }],
  ["its own idempotency header", { method: "POST", idempotency_header: "X-Request-Id" }],
  ["no idempotency header", {
    method: "POST",
    idempotency_header: null,
    headers: { "Idempotency-Key": "{id}" },
  }],
];

for (const [what, request] of GOOD) {
  Deno.test(`checkRequest() takes ${what}`, () => assertEquals(check(request), []));
}

const BY_NAME =
  "carries a credential by its name; only a scheme word and placeholders are wanted, such as Bearer {{secret}}, never the value and never {name}";
const WRITTEN_OUT =
  "a credential is written out behind its scheme word; a placeholder such as {{secret}} is wanted";
const CONNECTION = "is a header that only the connection itself may set; leave it out";
const OVERRIDE = "makes another method of the call; write the method under method";
const ASCII = "only printable ASCII can stand in a header: no line break, no letter outside ASCII";
const PLACEHOLDERS =
  "write {name} for an argument, {{secret}} for a credential, or \\{ for a brace as text where one may stand";
const ANYBODY =
  "a placeholder stands where anybody can own what it names; it stands left of a domain of its own, as in {tenant}.example.com";
const PARTIAL =
  "a placeholder stands for a part of a label; it stands for one whole label, as in {tenant}.example.com";

function byParameter(name: string): string {
  return `the parameter "${name}" carries a credential by its name; a placeholder such as {{secret}} is wanted, never the value`;
}

const BAD: readonly (readonly [what: string, request: JsonObject, problems: readonly string[]])[] = [
  ["an undeclared argument everywhere", {
    method: "POST",
    url: `${URL}?a={x}`,
    query: { b: "{x}" },
    headers: { "X-A": "{x}" },
    body: { c: ["{x}"] },
  }, [
    'request.headers["X-A"]: {x} is no declared argument; declare it under arguments.properties',
    "request.url: {x} is no declared argument; declare it under arguments.properties",
    "request.query.b: {x} is no declared argument; declare it under arguments.properties",
    "request.body.c[0]: {x} is no declared argument; declare it under arguments.properties",
  ]],
  ["an optional argument in the path", { url: `${URL}/{q}/{q}` }, [
    "request.url: {q} stands in the path; add it to arguments.required",
  ]],
  ["a credential in the path", { url: `${URL}/{{secret}}/{{clientSecret}}/{{accessToken}}` }, [
    "request.url: {{secret}} may not stand in the path; put it in a header, the query or the body",
    "request.url: {{clientSecret}} may not stand in the path; put it in a header, the query or the body",
    "request.url: {{accessToken}} may not stand in the path; put it in a header, the query or the body",
  ]],
  ["a placeholder for the whole host", { url: "https://{tenant}/x" }, [`request.url: ${ANYBODY}`]],
  ["a placeholder left of a public suffix", { url: "https://{tenant}.co.uk/x" }, [`request.url: ${ANYBODY}`]],
  ["a placeholder left of a private suffix", { url: "https://{tenant}.github.io/x" }, [
    `request.url: ${ANYBODY}`,
  ]],
  ["a placeholder left of a top-level name", { url: "https://{tenant}.example/x" }, [
    `request.url: ${ANYBODY}`,
  ]],
  ["a placeholder left of a wildcard suffix", { url: "https://{tenant}.kawasaki.jp/x" }, [
    `request.url: ${ANYBODY}`,
  ]],
  ["a placeholder for the domain", { url: "https://api.{tenant}/x" }, [`request.url: ${ANYBODY}`]],
  ["a placeholder for part of a label", { url: "https://a{tenant}.example.com/x" }, [
    `request.url: ${PARTIAL}`,
  ]],
  ["an optional argument in the host", { url: "https://{q}.example.com/x" }, [
    "request.url: {q} stands in the host; add it to arguments.required",
  ]],
  ["an undeclared argument in the host", { url: "https://{x}.example.com/x" }, [
    "request.url: {x} is no declared argument; declare it under arguments.properties",
  ]],
  ["more colons than a port has", { url: "https://ledger.example:1:{id}/x" }, [
    "request.url: a placeholder stands for the port; write the port out",
  ]],
  ["what a host is read as more dots for", { url: "https://a。b．c｡{tenant}.example.com/x" }, [
    "request.url: in the host `。` is read as a dot; write a plain dot, or another name",
    "request.url: in the host `．` is read as a dot; write a plain dot, or another name",
    "request.url: in the host `｡` is read as a dot; write a plain dot, or another name",
    `request.url: ${PARTIAL}`,
  ]],
  ["what is dropped from a host", { url: "https://b\u00fc\tc\u00adher\u200b\ufe0f.example/" }, [
    "request.url: in the host U+0009 is dropped; leave it out",
    "request.url: in the host U+00AD is dropped; leave it out",
    "request.url: in the host U+200B is dropped; leave it out",
    "request.url: in the host U+FE0F is dropped; leave it out",
  ]],
  ["two placeholders in the host", { url: "https://{tenant}.{id}.example.com/x" }, [
    "request.url: more than one placeholder stands in the host; at most one label may be one",
  ]],
  ["a credential in the host", { url: "https://{{clientId}}.example.com/x" }, [
    "request.url: a credential may not stand in the host; write the host out",
  ]],
  ["a placeholder for the port", { url: "https://ledger.example:{id}/x" }, [
    "request.url: a placeholder stands for the port; write the port out",
  ]],
  ["a placeholder for everything", { url: "{q}" }, [
    "request.url: an address that starts with https:// is wanted",
  ]],
  ["a placeholder for the scheme", { url: "{q}://ledger.example/" }, [
    "request.url: an address that starts with https:// is wanted",
  ]],
  ["credentials as userinfo", { url: "https://{{clientId}}:{{secret}}@ledger.example/" }, [
    "request.url: a credential may not stand in the host; write the host out",
  ]],
  ["a fragment", { url: `${URL}#{q}` }, ["request.url: a fragment (#…) is never sent; leave it out"]],
  ["a backslash", { url: `${URL}\\{q}` }, [
    "request.url: a backslash has no place in an address; a brace as text is written %7B",
  ]],
  ["dots in the path", { url: `${URL}/../{id}` }, [
    "request.url: the path has a . or .. piece, which leads to another address; write that address",
  ]],
  ["a lone closing brace in the path", { url: `${URL}/}` }, [
    "request.url: in the path `}` is sent as %7D; write what is sent",
  ]],
  ["http", { url: "http://ledger.example/" }, [
    "request.url: an address that starts with https:// is wanted",
  ]],
  ["the host and the path at once", { url: "https://{tenant}.co.uk/{q}/a b" }, [
    `request.url: ${ANYBODY}`,
    "request.url: {q} stands in the path; add it to arguments.required",
    "request.url: in the path U+0020 is sent as %20; write what is sent",
  ]],
  ["everything at once", {
    url: "https://user@10.0.0.1:22/a b/{bad name}/{zz}?token=abc&$filter=x eq 'y'#frag",
    headers: {},
  }, [
    `request.url: what {…} at character 30 holds is no name; ${PLACEHOLDERS}`,
    "request.url: {zz} is no declared argument; declare it under arguments.properties",
    "request.url: a user name or password stands in front of the host; leave it out",
    "request.url: a fragment (#…) is never sent; leave it out",
    "request.url: in the path U+0020 is sent as %20; write what is sent",
    "request.url: in the query U+0020 is sent as %20, `'` is sent as %27; write what is sent",
    "request.url: the host is an IP address, and it is not a public address (private)",
    "request.url: port 22 is not taken: use 443, or a port from 1024 up",
    'request.url: the parameter "token" carries a credential by its name; a placeholder such as {{secret}} is wanted, never the value',
  ]],
  ["http, a local host and two bad placeholders at once", { url: "http://localhost/{bad name}/{zz}" }, [
    `request.url: what {…} at character 18 holds is no name; ${PLACEHOLDERS}`,
    "request.url: {zz} is no declared argument; declare it under arguments.properties",
    "request.url: an address that starts with https:// is wanted",
    "request.url: the host is a single label; a full name such as api.ledger.example is wanted",
  ]],
  ["a placeholder as a parameter's name", { url: `${URL}?{q}=1`, query: { "{q}": "1" } }, [
    "request.url: a placeholder stands for a query parameter's name; it may stand for a value: name={name}",
    'request.query["{q}"]: a placeholder stands for a query parameter\'s name; it may stand for a value: name={name}',
  ]],
  ["a _method parameter", { url: `${URL}?_method=DELETE&%5fMETHOD={q}`, query: { _method: "{q}" } }, [
    `request.url: the parameter "_method" ${OVERRIDE}`,
    `request.url: the parameter "_METHOD" ${OVERRIDE}`,
    `request.query._method: the parameter "_method" ${OVERRIDE}`,
  ]],
  ["what stands behind a semicolon of the URL", {
    url: `${URL}?a=1;_method=DELETE&b=1;api_key=hunter2hunter2;c&_method;d=1;token=x{q}`,
  }, [
    `request.url: the parameter "_method" ${OVERRIDE}`,
    `request.url: ${byParameter("api_key")}`,
    `request.url: the parameter "_method" ${OVERRIDE}`,
    `request.url: ${byParameter("token")}`,
  ]],
  ["malformed braces", { query: { a: "{" }, headers: { "X-A": "{}" } }, [
    'request.headers["X-A"]: what {…} at character 1 holds is no name; write {name} for an argument, {{secret}} for a credential, or \\{ for a brace as text where one may stand',
    "request.query.a: the brace { at character 1 opens no placeholder; write {name} for an argument, {{secret}} for a credential, or \\{ for a brace as text where one may stand",
  ]],
  ["a credential there is not", { headers: { Authorization: "Bearer {{secrets}}" } }, [
    "request.headers.Authorization: what {{…}} at character 8 holds is no credential; known are {{secret}}, {{clientId}}, {{clientSecret}}, {{redirectUri}}, {{accessToken}}, {{administrationId}}, each also with |base64",
  ]],
  ["a value behind a scheme", {
    headers: {
      Authorization: "Bearer abc123",
      "X-A": "Bearer abc123",
      "X-B": "bearer {{secret}}abc",
      "X-C": "Basic dXNlcjpwYXNz",
    },
  }, [
    `request.headers.Authorization: ${BY_NAME}`,
    `request.headers["X-A"]: ${WRITTEN_OUT}`,
    `request.headers["X-B"]: ${WRITTEN_OUT}`,
    `request.headers["X-C"]: ${WRITTEN_OUT}`,
  ]],
  ["a value beside the placeholder", { headers: { Authorization: "Bearer {{secret}} abc" } }, [
    `request.headers.Authorization: ${BY_NAME}`,
  ]],
  ["an argument in a credential's header", {
    headers: { Authorization: "Bearer {id}", "X-Auth-Token": "{id}{{secret}}" },
  }, [
    `request.headers.Authorization: ${BY_NAME}`,
    `request.headers["X-Auth-Token"]: ${BY_NAME}`,
  ]],
  ["a header given twice", { headers: { Accept: "a", accept: "b" } }, [
    "request.headers.accept: is given twice, in another case; keep one of them",
  ]],
  ["a name that is no header", { headers: { "X A": "a", "": "b", "X:": "c" } }, [
    'request.headers["X A"]: no header has this name; letters, digits and hyphens are wanted',
    'request.headers[""]: no header has this name; letters, digits and hyphens are wanted',
    'request.headers["X:"]: no header has this name; letters, digits and hyphens are wanted',
  ]],
  ["a header outside ASCII", { headers: { "X-A": "é", "X-B": "a\r\nX-C: d", "X-C": "\t" } }, [
    `request.headers["X-A"]: ${ASCII}`,
    `request.headers["X-B"]: ${ASCII}`,
    `request.headers["X-C"]: ${ASCII}`,
  ]],
  ["a body on GET", { body: {} }, ["request.body: GET sends no body; leave it out, or write POST"]],
  ["a body on HEAD", { method: "HEAD", body: null }, [
    "request.body: HEAD sends no body; leave it out, or write POST",
  ]],
  [
    "a _method in the body",
    { method: "POST", body: { _method: "DELETE", "X-HTTP-Method-Override": "{q}" } },
    [
      `request.body._method: ${OVERRIDE}`,
      `request.body["X-HTTP-Method-Override"]: ${OVERRIDE}`,
    ],
  ],
  ["a placeholder as a key of the body", { method: "POST", body: { a: { "{q}": 1 } } }, [
    'request.body.a["{q}"]: a placeholder stands for a key; it may stand for a value: "name": "{name}"',
  ]],
  ["a credential written into the body", {
    method: "POST",
    body: { a: [{ clientSecret: "hunter2" }], password: "x" },
  }, [
    'request.body.a[0].clientSecret: the field "clientSecret" carries a credential by its name; a placeholder such as {{secret}} is wanted',
    'request.body.password: the field "password" carries a credential by its name; a placeholder such as {{secret}} is wanted',
  ]],
  ["a form with more than fields", {
    method: "POST",
    body_format: "form",
    body: { a: { b: 1 }, c: [["d"]], e: null, f: [null] },
  }, [
    "request.body.a: found an object; a form field is a text, a number, true, false, or a list of these",
    "request.body.c[0]: found a list; a form field is a text, a number, true, false, or a list of these",
    "request.body.e: found null; a form field is a text, a number, true, false, or a list of these",
    "request.body.f[0]: found null; a form field is a text, a number, true, false, or a list of these",
  ]],
  ["a form that is no object", { method: "POST", body_format: "form", body: ["{q}"] }, [
    "request.body: found a list; a form is an object of fields",
  ]],
  ["a form that is a text", { method: "POST", body_format: "form", body: "a={q}" }, [
    "request.body: found text; a form is an object of fields",
  ]],
  ["an idempotency header that is none", { method: "POST", idempotency_header: "Host" }, [
    `request.idempotency_header: ${CONNECTION}; a name such as Idempotency-Key is wanted, or null for none`,
  ]],
  ["an idempotency header with another meaning", { method: "POST", idempotency_header: "Authorization" }, [
    "request.idempotency_header: is a header with a meaning of its own; a name such as Idempotency-Key is wanted, or null for none",
  ]],
  ["an idempotency header that the file also writes", {
    method: "PATCH",
    headers: { "idempotency-key": "{id}" },
  }, [
    "request.idempotency_header: is also one of headers, but Framed sets it; leave one of the two out, or write null here",
  ]],
];

for (const [what, request, problems] of BAD) {
  Deno.test(`checkRequest() refuses ${what}`, () => assertEquals(check(request), [...problems]));
}

for (
  const name of [
    "token",
    "access_token",
    "api_key",
    "apikey",
    "key",
    "secret",
    "sig",
    "signature",
    "password",
    "auth",
    "API-Key",
    "accessToken",
  ]
) {
  Deno.test(`checkRequest() refuses a literal under the parameter ${name}`, () => {
    assertEquals(check({ url: `${URL}?${name}=abc`, query: { [name]: "abc", page: 1 } }), [
      `request.url: ${byParameter(name)}`,
      `request.query${/-/.test(name) ? `["${name}"]` : `.${name}`}: ${byParameter(name)}`,
    ]);
    assertEquals(check({ query: { [name]: "abc{{secret}}" } }).length, 1);
    assertEquals(check({ query: { [name]: 123 } }).length, 1);
  });
}

for (
  const name of [
    "Host",
    "Content-Length",
    "Transfer-Encoding",
    "Connection",
    "Cookie",
    "Proxy-Authorization",
    "Proxy-Anything",
    "Expect",
    "Upgrade",
    "TE",
    "Trailer",
    "Keep-Alive",
    "Sec-Fetch-Site",
    "Forwarded",
    "X-Forwarded-For",
    "x-forwarded-host",
    "X-Original-URL",
    "X-Rewrite-URL",
  ]
) {
  Deno.test(`checkRequest() refuses the header ${name}`, () => {
    const problems = check({ headers: { [name]: "{{secret}}" } });
    assertEquals(problems.length, 1);
    assertStringIncludes(problems[0]!, CONNECTION);
  });
}

for (const name of ["Connection", "TE", "Trailer", "Keep-Alive"]) {
  Deno.test(`checkRequest() refuses ${name} as the idempotency header`, () => {
    const problems = check({ method: "POST", idempotency_header: name });
    assertEquals(problems.length, 1);
    assertStringIncludes(problems[0]!, CONNECTION);
  });
}

for (const value of ["gzip, deflate, br", "gzip", "identity", "*", "{q}"]) {
  Deno.test(`checkRequest() refuses Accept-Encoding: ${value}`, () => {
    const says =
      "asks for answers packed in a way of its own; leave it out: answers are decoded by themselves";
    assertEquals(check({ headers: { "Accept-Encoding": value } }), [
      `request.headers["Accept-Encoding"]: ${says}`,
    ]);
    assertEquals(check({ headers: { accept_encoding: value } }), [
      `request.headers.accept_encoding: ${says}`,
    ]);
  });
}

Deno.test("checkRequest() refuses a body that is said to be packed", () => {
  assertEquals(check({ method: "POST", headers: { "Content-Encoding": "gzip" }, body: {} }), [
    'request.headers["Content-Encoding"]: says that the body is packed, and it is sent as it is; leave it out',
  ]);
});

for (const name of ["X-HTTP-Method-Override", "X-HTTP-Method", "x-method-override"]) {
  Deno.test(`checkRequest() refuses the header ${name}`, () => {
    assertEquals(check({ headers: { [name]: "{q}" } }), [`request.headers["${name}"]: ${OVERRIDE}`]);
  });
}

for (
  const name of [
    "Authorization",
    "X-Api-Key",
    "Api-Key",
    "X-Auth-Token",
    "X-Shop-Api-Key",
    "X-Client-Secret",
    "X-Auth",
  ]
) {
  Deno.test(`checkRequest() takes only placeholders in ${name}`, () => {
    assertEquals(check({ headers: { [name]: "{{secret}}" } }), []);
    for (const value of ["abc123", "{q}", "", "Bearer", "Bearer {q}", "{{secret}}{q}", "\\{secret}"]) {
      assertStringIncludes(check({ headers: { [name]: value } }).join(), BY_NAME);
    }
  });
}

Deno.test("checkRequest() refuses a credential that auth does not give, once a place", () => {
  const context = { ...CONTEXT, credentials: new Set<CredentialKey>(["secret"]) };
  assertEquals(check({ url: `${URL}/{{administrationId}}`, headers: { "X-A": "{{clientId}}" } }, context), [
    "request.url: {{administrationId}} is used but not given; name its secret in auth.env.administrationId",
    'request.headers["X-A"]: {{clientId}} is used but not given; name its secret in auth.env.clientId',
  ]);
});

Deno.test("checkRequest() refuses an argument _method that only the default body would carry", () => {
  const context = { ...CONTEXT, names: new Set(["_method", "id"]) };
  assertEquals(check({ method: "POST" }, context), [
    "request.body: would send the argument _method, which makes another method of the call; rename the argument",
  ]);
  assertEquals(check({ method: "POST", headers: { "X-A": "{_method}" } }, context), []);
  assertEquals(check({ method: "DELETE" }, context), []);
});

Deno.test("checkRequest() passes over what the format tells", () => {
  for (
    const request of [null, 1, "x", [], {
      url: 1,
      headers: [],
      query: "x",
      body_format: 3,
      idempotency_header: {},
    }]
  ) {
    assertEquals(checkRequest(request, { path: [], context: CONTEXT }), []);
  }
});

Deno.test("usedCredentials() finds every placeholder, in whatever place", () => {
  const request: RequestTemplate = {
    method: "POST",
    url: "https://ledger.example/{{administrationId}}?a={{clientId}}",
    headers: { Authorization: "Basic {{secret|base64}}" },
    query: { b: "{{accessToken}}", c: 1 },
    body: { d: [{ e: "x{{clientSecret}}" }], "{{redirectUri}}": "\\{{redirectUri}}" },
  };
  assertEquals([...usedCredentials(request)], [
    "secret",
    "clientId",
    "clientSecret",
    "accessToken",
    "administrationId",
  ]);
});
