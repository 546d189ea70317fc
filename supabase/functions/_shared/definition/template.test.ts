import { assertEquals } from "@std/assert";
import fc from "fast-check";
import { checkTemplate, type Piece, readTemplate, soleArgument } from "./template.ts";

const text = (text: string): Piece => ({ kind: "text", text });
const argument = (name: string): Piece => ({ kind: "argument", name });
const secret: Piece = { kind: "credential", key: "secret", base64: false };

const READ: readonly (readonly [source: string, pieces: readonly Piece[]])[] = [
  ["", []],
  ["plain }", [text("plain }")]],
  ["{name}", [argument("name")]],
  ["a{_b1}c", [text("a"), argument("_b1"), text("c")]],
  ["Bearer {{secret}}", [text("Bearer "), secret]],
  ["{{secret|base64}}", [{ kind: "credential", key: "secret", base64: true }]],
  ["{{clientId}}{id}", [{ kind: "credential", key: "clientId", base64: false }, argument("id")]],
  ["query \\{ a(n: {n}) \\{ id } }", [text("query { a(n: "), argument("n"), text(") { id } }")]],
  ["\\{{secret}}", [text("{"), argument("secret"), text("}")]],
  ["\\\\{name}", [text("\\{name}")]],
];

for (const [source, pieces] of READ) {
  Deno.test(`readTemplate() reads ${JSON.stringify(source)}`, () => {
    assertEquals(readTemplate(source), { pieces: [...pieces], faults: [] });
  });
}

const PLACEHOLDERS =
  "write {name} for an argument, {{secret}} for a credential, or \\{ for a brace as text where one may stand";
const KNOWN =
  "known are {{secret}}, {{clientId}}, {{clientSecret}}, {{redirectUri}}, {{accessToken}}, {{administrationId}}, each also with |base64";

const noName = (at: number) => `what {…} at character ${at} holds is no name; ${PLACEHOLDERS}`;
const noCredential = (at: number) => `what {{…}} at character ${at} holds is no credential; ${KNOWN}`;
const noPlaceholder = (at: number) => `the brace { at character ${at} opens no placeholder; ${PLACEHOLDERS}`;

const MALFORMED: readonly (readonly [source: string, ...faults: string[]])[] = [
  ["{", noPlaceholder(1)],
  ["a {b", noPlaceholder(3)],
  ["{}", noName(1)],
  ['{"a":1}', noName(1)],
  ["{a.b}", noName(1)],
  ["{1a}", noName(1)],
  ["{a b} {ok} {c d}{", noName(1), noName(12), noPlaceholder(17)],
  ["🥖\\{ {my-actual-s3cret-value}", noName(5)],
  ["{{ secret }}", noCredential(1)],
  ["{{password}}", noCredential(1)],
  ["{{secret|hex}}", noCredential(1)],
  ["{{secret|base64|base64}} {{args.id}}", noCredential(1), noCredential(26)],
  ["{{{secret}}}", noPlaceholder(1)],
];

for (const [source, ...faults] of MALFORMED) {
  Deno.test(`readTemplate() says what is wrong with ${JSON.stringify(source)}, and where`, () => {
    assertEquals(readTemplate(source).faults, faults);
  });
}

Deno.test("readTemplate() tells the place in the text that its part begins in, and no end of faults", () => {
  assertEquals(readTemplate("{a b}", 30).faults, [noName(31)]);
  assertEquals(readTemplate("{ ".repeat(10_000)).faults.length, 50);
});

Deno.test("readTemplate() never throws, and what it reads is written the same way again", () => {
  const part = fc.constantFrom("{", "}", "{{", "}}", "\\", "\\{", "|base64", "secret", "name", " ");
  fc.assert(
    fc.property(fc.array(part, { maxLength: 12 }), (parts) => {
      const template = readTemplate(parts.join(""));
      if (template.faults.length > 0) return;
      const written = template.pieces.map((piece) => {
        if (piece.kind === "text") return piece.text.replaceAll("{", "\\{");
        return piece.kind === "argument"
          ? `{${piece.name}}`
          : `{{${piece.key}${piece.base64 ? "|base64" : ""}}}`;
      }).join("");
      assertEquals(readTemplate(written), template);
    }),
    { numRuns: 2_000 },
  );
});

const CONTEXT = {
  names: new Set(["supplier"]),
  required: new Set<string>(),
  credentials: new Set(["secret"] as const),
};

Deno.test("checkTemplate() tells undeclared arguments and credentials that are not given, each once", () => {
  const template = readTemplate(
    "{suplier} {other} {other} {supplier} {{secret}} {{clientId}} {{clientId|base64}}",
  );
  assertEquals(checkTemplate(template, { context: CONTEXT }), [
    "{suplier} is no declared argument; did you mean {supplier}?",
    "{other} is no declared argument; declare it under arguments.properties",
    "{{clientId}} is used but not given; name its secret in auth.env.clientId",
  ]);
  assertEquals(
    checkTemplate(readTemplate("{{secret}}"), { context: { ...CONTEXT, credentials: new Set() } }),
    [
      "{{secret}} is used but not given; name its secret in auth.secret",
    ],
  );
});

Deno.test("checkTemplate() repeats no name that could be a value, and none where a credential may stand", () => {
  const undeclared = "is no declared argument; declare it under arguments.properties";
  const cases: [text: string, secretive: boolean, found: string][] = [
    ["{year2}", false, "{year2}"],
    ["{a9f8b7c6d5e4f3a2b1c0}", false, "what {…} holds"],
    ["{hunter2}", true, "what {…} holds"],
  ];
  for (const [text, secretive, found] of cases) {
    assertEquals(checkTemplate(readTemplate(text), { context: CONTEXT, secretive }), [
      `${found} ${undeclared}`,
    ]);
  }
});

Deno.test("checkTemplate() gives no advice that an mcp file cannot follow", () => {
  const context = { ...CONTEXT, credentials: new Set<never>(), server: true };
  assertEquals(checkTemplate(readTemplate("{supplier} {other} {{secret}} {{clientId}}"), { context }), [
    "no call fills anything in here; write the value out instead of {…}",
    "{{secret}} is used but not given; name its secret in mcp.auth.secret",
    "{{clientId}} is used but not given; an MCP server is sent {{secret}} and nothing else",
  ]);
});

Deno.test("soleArgument() is the argument a text is nothing but", () => {
  assertEquals(soleArgument([argument("a")]), "a");
  assertEquals(soleArgument([argument("a"), text(" ")]), null);
  assertEquals(soleArgument([secret]), null);
  assertEquals(soleArgument([]), null);
});
