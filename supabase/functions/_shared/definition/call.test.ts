import { assert, assertEquals } from "@std/assert";
import fc from "fast-check";
import { checkFramedTool, secretsOf } from "../framed-tool.ts";
import { REASONS } from "../outcome/reason.ts";
import { argumentsOf, checkCall, prepareCall, type ToolCall } from "./call.ts";
import { requestOf } from "./call-request.ts";
import { exampleAsCall } from "./fixtures.ts";
import type { FramedTool, RequestTool } from "./format.ts";
import type { JsonObject, JsonValue } from "./json.ts";
import { placeCredentials } from "./request.ts";
import { FILES } from "./testdata/files.ts";
import { GOOD, mutatedFile } from "./testdata/mutated.ts";

function tool(name: string): FramedTool {
  const result = checkFramedTool(GOOD[FILES.valid.findIndex((file) => file.name === name)]);
  assert(result.ok, name);
  return result.tool;
}

function problemsOf(name: string, args: JsonValue): readonly string[] {
  const checked = checkCall(tool(name), { args: args as JsonObject });
  if (checked.ok) return [];
  assertEquals(checked.refusal.reason, "bad_arguments");
  return checked.refusal.problems!;
}

function pathsOf(name: string, args: JsonValue): string[] {
  return problemsOf(name, args).map((line) => line.slice(0, line.indexOf(":")));
}

Deno.test("checkCall() takes what the schema takes, and names every argument that is wrong", () => {
  const invoice = { invoice_number: "PI-2041", supplier: "Harbour Bakery", amount: "12.50" };
  const cases: [JsonValue, string[]][] = [
    [invoice, []],
    [{ ...invoice, due_on: "2026-03-04" }, []],
    [{ ...invoice, invoice_number: "2041", amount: 12.5 }, ["args.invoice_number", "args.amount"]],
    [{ ...invoice, colour: "red" }, ["args.colour"]],
    [{ supplier: "Harbour Bakery", amount: "1.00" }, ["args.invoice_number"]],
    [[], ["args"]],
    [null, ["args"]],
    ["args", ["args"]],
  ];
  for (const [args, paths] of cases) {
    assertEquals(pathsOf("ledger-book-invoice", args), paths, JSON.stringify(args));
  }
});

Deno.test("checkCall() takes at most 64 KiB of arguments, counted in UTF-8", () => {
  const room = 64 * 1024 - JSON.stringify({ form: "" }).length;
  assertEquals(problemsOf("open-arguments", { form: "x".repeat(room) }), []);
  assertEquals(pathsOf("open-arguments", { form: "x".repeat(room + 1) }), ["args"]);
  assertEquals(pathsOf("open-arguments", { form: "é".repeat(room / 2 + 1) }), ["args"]);
  const inner = { action: "call", tool: "x", arguments: { q: "x".repeat(64 * 1024) } };
  assertEquals(pathsOf("issue-tracker-mcp", inner), ["args"]);
});

Deno.test("checkCall() takes two shapes of an mcp call, and holds the inner arguments against the file", () => {
  const north = { company: "north", more: 1 };
  const cases: [JsonValue, string[]][] = [
    [{ action: "list" }, []],
    [{ action: "call", tool: "x", arguments: north }, []],
    [{ action: "list", tool: "x" }, ["args.tool"]],
    [{}, ["args.action"]],
    [{ action: "run" }, ["args.action"]],
    [{ action: "call", arguments: north }, ["args.tool"]],
    [{ action: "call", tool: "", arguments: north }, ["args.tool"]],
    [{ action: "call", tool: "x", arguments: [] }, ["args.arguments"]],
    [{ action: "call", tool: "x", arguments: { company: "south" } }, ["args.arguments.company"]],
    [{ action: "call", tool: "x" }, ["args.arguments.company"]],
    [{ action: "call", tool: "x", arguments: north, args: {} }, ["args.args"]],
  ];
  for (const [args, paths] of cases) assertEquals(pathsOf("mcp-stricter", args), paths, JSON.stringify(args));
  assertEquals(problemsOf("issue-tracker-mcp", { action: "call", tool: "x" }), []);
  assertEquals(problemsOf("issue-tracker-mcp", { action: "call", tool: "x", arguments: { q: [1] } }), []);
});

Deno.test("requestOf() is the capability's own request for the operation, else the tool's", () => {
  const crm = tool("contacts-capabilities") as RequestTool;
  const urls = (capability: string, operation: string) =>
    requestOf(crm, { args: {}, capability, operation }).url;
  assertEquals(urls("contact.read", "get"), "https://crm.example/v2/contacts/{id}.json");
  assertEquals(urls("contact.read", "list"), "https://crm.example/v2/contacts.json");
  assertEquals(urls("deal.read", "list"), "https://crm.example/v2/deals.json?page={page}");
  assertEquals(urls("deal.read", "toString"), "https://crm.example/v2/contacts.json");
});

Deno.test("prepareCall() makes the request of the quick start, with the secret still to be placed", () => {
  const ledger = tool("quick-start-ledger") as RequestTool;
  const prepared = prepareCall(ledger, { args: { supplier: "Acme & Söhne" } });
  assert(prepared.ok);
  assert(!JSON.stringify(prepared.value).includes("CONNECTOR_"));
  const placed = placeCredentials(prepared.value, new Map([["secret", "canary-0001"]]));
  assert(placed.ok);
  assertEquals(placed.value.method, "GET");
  assertEquals(placed.value.url, "https://ledger.example/api/invoices?supplier=Acme%20%26%20S%C3%B6hne");
  assertEquals(placed.value.headers.find(([name]) => name === "Authorization"), [
    "Authorization",
    "Bearer canary-0001",
  ]);
  const without = prepareCall(ledger, { args: {} });
  assert(without.ok && placeCredentials(without.value, new Map([["secret", "canary-0001"]])).ok);
});

Deno.test("prepareCall() refuses what checkCall() refuses", () => {
  const refused = prepareCall(tool("quick-start-ledger") as RequestTool, { args: { nobody: 1 } });
  assert(!refused.ok && refused.refusal.reason === "bad_arguments");
});

Deno.test("prepareCall() refuses with a reason or makes exactly one valid request, for any accepted file and any arguments", () => {
  const files = fc.oneof(fc.nat(GOOD.length - 1).map((at) => GOOD[at]!), mutatedFile);
  let made = 0;
  let refused = 0;
  fc.assert(
    fc.property(
      files,
      fc.array(argumentValue, { minLength: 8, maxLength: 8 }),
      fc.nat(3),
      (file, values, which) => {
        const result = checkFramedTool(file);
        if (!result.ok || result.tool.kind !== "request") return;
        const accepted = result.tool;
        const prepared = prepareCall(accepted, callOf(accepted, { values, which }));
        if (!prepared.ok) {
          refused++;
          assert(Object.hasOwn(REASONS, prepared.refusal.reason));
          assert(prepared.refusal.detail !== undefined);
          return;
        }
        made++;
        assertIsOneRequest(accepted, prepared.value);
      },
    ),
    { numRuns: 6_000 },
  );
  assert(made > 300 && refused > 300, `${made} made, ${refused} refused`);
});

Deno.test("prepareCall() makes one valid request of every example of a good file", () => {
  let made = 0;
  for (const file of GOOD) {
    const result = checkFramedTool(file);
    assert(result.ok);
    if (result.tool.kind !== "request") continue;
    for (const { example } of result.tool.fixtures) {
      const prepared = prepareCall(result.tool, exampleAsCall(result.tool, example ?? {}));
      if (!prepared.ok) continue;
      made++;
      assertIsOneRequest(result.tool, prepared.value);
    }
  }
  assert(made >= 20, `only ${made}`);
});

function assertIsOneRequest(accepted: RequestTool, prepared: Parameters<typeof placeCredentials>[0]): void {
  const values = new Map(secretsOf(accepted).map(({ key }) => [key, "value-0001"] as const));
  const placed = placeCredentials(prepared, values, { idempotencyKey: "approval.0" });
  assert(placed.ok, JSON.stringify(placed));
  const { method, url, headers, body } = placed.value;
  const request = new Request(url, { method, headers, ...(body === null ? {} : { body }) });
  const sent = new URL(request.url);
  assertEquals([sent.protocol, sent.username, sent.password, sent.hash], ["https:", "", "", ""]);
  assertEquals(sent.href, new URL(url).href);
  assertEquals(sent.host, prepared.host);
  assertEquals(request.method, method);
  for (const [name, value] of headers) assert(/^[\x20-\x7e]*$/.test(name + value), `${name}: ${value}`);
  assertEquals(new Set(headers.map(([name]) => name.toLowerCase())).size, headers.length);
}

/** Arguments for the names the file declares, with a capability where it has some. */
function callOf(accepted: RequestTool, { values, which }: { values: JsonValue[]; which: number }): ToolCall {
  const names = [...argumentsOf(accepted)!.names];
  const args = Object.fromEntries(names.flatMap((name, at) => {
    const value = values[at % values.length]!;
    return value === "leave out" ? [] : [[name, value]];
  }));
  const example = accepted.fixtures[which % accepted.fixtures.length]!.example ?? {};
  const call = exampleAsCall(accepted, example);
  // Half of the calls keep what the example says, so that not all are refused by the schema.
  return which % 2 === 0 ? { ...call, args: { ...args, ...call.args } } : { ...call, args };
}

const argumentValue: fc.Arbitrary<JsonValue> = fc.oneof(
  fc.constantFrom<JsonValue>(
    "leave out",
    "leave out",
    "acme",
    "north",
    "2026-03-02",
    "PI-2041",
    "12.50",
    "123456789012345678",
    1,
    7,
    ".",
    "..",
    "",
    "a/b?c#d",
    "{{secret}}",
    "{supplier}",
    "%2e%2e",
    "\r\nX-Evil: 1",
    "é☕🥖",
    "xn--a",
    "@evil.example",
    true,
    null,
    [],
    ["a", 1],
    {},
    { city: "Leiden" },
  ),
  fc.string({ unit: "grapheme", maxLength: 20 }),
  fc.integer(),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
);
