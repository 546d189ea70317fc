import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { bookingFile, fixtureFile, ledgerFile, mcpFile } from "../../../../scripts/testing/files.ts";
import type { Principal } from "../auth/principal.ts";
import type { JsonObject } from "../definition/json.ts";
import { checkFramedTool, hostOfTool, secretsOf } from "../framed-tool.ts";
import { judgeReplacement } from "./replacement.ts";
import type { Tool } from "./tool.ts";

const ACCOUNT = "5f2c9a53-0e0a-4e0e-9d0c-0d0c5c0e6a00";
const NOOR: Principal = {
  kind: "session",
  id: "5f2c9a53-0e0a-4e0e-9d0c-0d0c5c0e6a01",
  name: "Noor",
  user_id: "5f2c9a53-0e0a-4e0e-9d0c-0d0c5c0e6a01",
  account_id: ACCOUNT,
  workspace: null,
};
const NOORS_KEY: Principal = { ...NOOR, kind: "raw_key", id: "5f2c9a53-0e0a-4e0e-9d0c-0d0c5c0e6a02" };
const SAM: Principal = {
  ...NOOR,
  id: "5f2c9a53-0e0a-4e0e-9d0c-0d0c5c0e6a03",
  user_id: "5f2c9a53-0e0a-4e0e-9d0c-0d0c5c0e6a03",
};
const PARTNER: Principal = {
  ...NOOR,
  kind: "reseller_key",
  id: "5f2c9a53-0e0a-4e0e-9d0c-0d0c5c0e6a04",
  user_id: null,
};
const OTHER_PARTNER: Principal = { ...PARTNER, account_id: "5f2c9a53-0e0a-4e0e-9d0c-0d0c5c0e6a05" };

const NOORS = { user_id: NOOR.user_id, key_kind: null, account_id: ACCOUNT };
const PARTNERS = { user_id: null, key_kind: "reseller", account_id: ACCOUNT } as const;
const NOBODYS = { user_id: null, key_kind: null, account_id: null };

function read(file: JsonObject) {
  const checked = checkFramedTool(file);
  assert(checked.ok, checked.ok ? "" : checked.problems.join("\n"));
  return checked.tool;
}

/** The tool that `file` became, Noor's own unless `more` says otherwise. */
function standing(file: JsonObject, more: Partial<Tool> = {}): Tool {
  const tool = read(file);
  return {
    id: "5f2c9a53-0e0a-4e0e-9d0c-0d0c5c0e6a06",
    workspace_id: "5f2c9a53-0e0a-4e0e-9d0c-0d0c5c0e6a07",
    slug: tool.slug,
    version: 1,
    kind: tool.kind,
    file: tool,
    host: hostOfTool(tool),
    origin: "file",
    shared_across_account: false,
    partner_provided: false,
    runs_as_read: false,
    from_file: true,
    owner: NOORS,
    owner_name: "Noor",
    uses: [],
    ...more,
  };
}

/** The uses of a file's secrets with a value stored under each. */
function holding(file: JsonObject): Pick<Tool, "uses"> {
  const tool = read(file);
  const host = hostOfTool(tool)!;
  return {
    uses: secretsOf(tool).map(({ key, name }) => ({
      credential_key: key,
      name,
      host,
      set: true,
      allowed: true,
    })),
  };
}

function judge(existing: Tool, { file, caller = NOOR }: { file: JsonObject; caller?: Principal }): string {
  const tool = read(file);
  const result = judgeReplacement(existing, {
    incoming: { tool, host: hostOfTool(tool), secrets: secretsOf(tool) },
    caller,
  });
  if (result.ok) return "replaces";
  assert(result.refusal.hint !== undefined, "every refusal says what to do");
  return result.refusal.reason;
}

const OTHER_SECRET = { auth: { secret: "CONNECTOR_OTHER" } };
const OTHER_HOST = {
  request: {
    method: "GET",
    url: "https://other.example/api/invoices?supplier={supplier}",
    headers: { Authorization: "Bearer {{secret}}" },
  },
};
const RULE = { path: "supplier", op: "equals", value: "Acme", then: "admin", say: "Acme is decided above." };
const RULED = ledgerFile({ rules: [RULE] });

Deno.test("judgeReplacement() asks its rules in one order: each is the answer until it is kept", () => {
  // Everything is wrong at first; each step puts right what the step before was refused for.
  const existing = standing(RULED, {
    ...holding(RULED),
    origin: "seeded",
    shared_across_account: true,
    from_file: false,
  });
  const steps: readonly [string, Partial<Tool>, { file?: JsonObject; caller?: Principal }][] = [
    ["seeded_or_installed", {}, { file: fixtureFile({ slug: "ledger_open_invoices" }), caller: SAM }],
    ["shared_across_account", { origin: "file" }, {}],
    ["not_from_file", { shared_across_account: false }, {}],
    ["other_owner", { from_file: true }, {}],
    ["live_fixture_swap", {}, { caller: NOOR }],
    ["approval_removed", {}, { file: ledgerFile({ ...OTHER_HOST, ...OTHER_SECRET }) }],
    ["secret_moved", {}, { file: ledgerFile({ ...OTHER_HOST, ...OTHER_SECRET, rules: [RULE] }) }],
    ["host_moved", {}, { file: ledgerFile({ ...OTHER_HOST, rules: [RULE] }) }],
    ["replaces", {}, { file: RULED }],
  ];
  let tool = existing;
  let incoming = { file: RULED, caller: NOOR };
  for (const [reason, repaired, changed] of steps) {
    tool = { ...tool, ...repaired };
    incoming = { ...incoming, ...changed };
    assertEquals(judge(tool, incoming), reason);
  }
});

Deno.test("judgeReplacement() lets nobody replace what came with Framed", () => {
  for (const origin of ["seeded", "installed"] as const) {
    assertEquals(judge(standing(RULED, { origin }), { file: RULED }), "seeded_or_installed");
  }
  assertEquals(judge(standing(RULED, { origin: "blueprint" }), { file: RULED }), "replaces");
});

/** Whose a tool is, whether a file defined it, who comes, and what they are told. */
const OWNERS: readonly [string, Partial<Tool>, Principal, string][] = [
  ["a person's, by that person's key", { owner: NOORS }, NOORS_KEY, "replaces"],
  ["a person's, by another person", { owner: NOORS }, SAM, "other_owner"],
  ["a person's, by a reseller key", { owner: NOORS }, PARTNER, "other_owner"],
  ["what a person's key defined, by that person", { owner: { ...NOORS, key_kind: "raw" } }, NOOR, "replaces"],
  ["a partner's, by a key of that account", { owner: PARTNERS }, PARTNER, "replaces"],
  ["a partner's, by a key of another account", { owner: PARTNERS }, OTHER_PARTNER, "other_owner"],
  ["a partner's, by a person", { owner: PARTNERS }, NOOR, "other_owner"],
  ["nobody's, by a person", { owner: NOBODYS }, NOOR, "other_owner"],
  ["nobody's, by a reseller key", { owner: NOBODYS }, PARTNER, "other_owner"],
  ["unmarked and the caller's own", { owner: NOORS, from_file: false }, NOOR, "replaces"],
  ["unmarked and another person's", { owner: NOORS, from_file: false }, SAM, "not_from_file"],
  ["unmarked and nobody's", { owner: NOBODYS, from_file: false }, NOOR, "not_from_file"],
  [
    "unmarked and a partner's, by a key of that account",
    { owner: { ...NOORS, account_id: ACCOUNT }, partner_provided: true, from_file: false },
    PARTNER,
    "replaces",
  ],
  [
    "unmarked and a partner's, by a key of another account",
    { owner: { ...NOORS, account_id: ACCOUNT }, partner_provided: true, from_file: false },
    OTHER_PARTNER,
    "not_from_file",
  ],
  [
    "unmarked and a partner's, by a person of that account",
    { owner: PARTNERS, partner_provided: true, from_file: false },
    NOOR,
    "not_from_file",
  ],
];

for (const [name, existing, caller, expected] of OWNERS) {
  Deno.test(`judgeReplacement() of a tool that is ${name}: ${expected}`, () => {
    assertEquals(judge(standing(RULED, existing), { file: RULED, caller }), expected);
  });
}

Deno.test("judgeReplacement() keeps live and fixture apart, both ways, and lets live kinds change", () => {
  const fixture = fixtureFile({ slug: "ledger_open_invoices" });
  const mcp = mcpFile({ slug: "ledger_open_invoices" });
  assertEquals(judge(standing(ledgerFile()), { file: fixture }), "live_fixture_swap");
  assertEquals(judge(standing(mcp), { file: fixture }), "live_fixture_swap");
  assertEquals(judge(standing(fixture), { file: ledgerFile() }), "live_fixture_swap");
  assertEquals(judge(standing(fixture), { file: mcp }), "live_fixture_swap");
  assertEquals(judge(standing(ledgerFile()), { file: mcp }), "replaces");
});

const POST_READ = ledgerFile({
  request: {
    method: "POST",
    url: "https://ledger.example/api/search",
    headers: { Authorization: "Bearer {{secret}}" },
  },
});
const READ = ledgerFile();
const WRITE = bookingFile({ slug: "ledger_open_invoices" });
const SENSITIVE = bookingFile({ slug: "ledger_open_invoices", access: "sensitive" });
const CONFIRMED = ledgerFile({ confirm: true });
const MCP = mcpFile({ slug: "ledger_open_invoices" });
const MCP_CONFIRMED = mcpFile({ slug: "ledger_open_invoices", confirm: true });

/** How strict the tool is, how strict the file would be, and whether the file may take its place. */
const STRICTNESS: readonly [
  string,
  [JsonObject, Partial<Tool>?],
  JsonObject,
  "replaces" | "approval_removed",
][] = [
  ["a read becomes a write", [READ], WRITE, "replaces"],
  ["a write becomes sensitive", [WRITE], SENSITIVE, "replaces"],
  ["a write becomes a read", [WRITE], READ, "approval_removed"],
  ["a sensitive tool becomes a write", [SENSITIVE], WRITE, "approval_removed"],
  ["a sensitive tool becomes a read", [SENSITIVE], READ, "approval_removed"],
  ["a read that waits becomes one that runs", [CONFIRMED], READ, "approval_removed"],
  ["a read that waits becomes a write", [CONFIRMED], WRITE, "replaces"],
  ["a write becomes a read that waits", [WRITE], CONFIRMED, "replaces"],
  ["a search by POST becomes a read by GET", [POST_READ], READ, "approval_removed"],
  ["a search marked as a read becomes a read by GET", [POST_READ, { runs_as_read: true }], READ, "replaces"],
  ["a search marked as a read stays one", [POST_READ, { runs_as_read: true }], POST_READ, "replaces"],
  ["a read by GET becomes a search by POST", [READ], POST_READ, "replaces"],
  ["a server that always waits is trusted", [MCP_CONFIRMED], MCP, "approval_removed"],
  ["a server is trusted less", [MCP], MCP_CONFIRMED, "replaces"],
  ["a write becomes a trusted server", [WRITE], MCP, "approval_removed"],
  ["a write becomes a server that always waits", [WRITE], MCP_CONFIRMED, "replaces"],
];

for (const [name, [file, more], incoming, expected] of STRICTNESS) {
  Deno.test(`judgeReplacement() where ${name}: ${expected}`, () => {
    assertEquals(judge(standing(file, more), { file: incoming }), expected);
  });
}

/** A tool with capabilities; each operation by the method that is given for it, none for the tool's own GET. */
function contacts(methods: Record<string, "GET" | "POST">): JsonObject {
  const requests = Object.fromEntries(
    Object.entries(methods).map(([operation, method]) => [operation, {
      method,
      url: operation === "get" ? "https://ledger.example/contacts/{id}" : "https://ledger.example/contacts",
    }]),
  );
  const operations = Object.keys(methods);
  return {
    format: "framed-tool/1",
    slug: "ledger_open_invoices",
    name: "Contacts",
    description: "The contacts in the ledger.",
    access: "read",
    kind: "request",
    arguments: { type: "object", properties: { id: { type: "string" } } },
    request: { method: "GET", url: "https://ledger.example/contacts" },
    capabilities: [{ id: "contact.read", operations, requests }],
    fixtures: operations.map((operation) => ({
      example: { capability: "contact.read", operation, ...(operation === "get" ? { id: "1" } : {}) },
      response: {},
    })),
  };
}

Deno.test("judgeReplacement() looks at each operation by itself", () => {
  const existing = standing(contacts({ list: "POST", get: "GET" }));
  assertEquals(judge(existing, { file: contacts({ list: "POST", get: "POST" }) }), "replaces");
  assertEquals(judge(existing, { file: contacts({ list: "GET", get: "POST" }) }), "approval_removed");
  assertEquals(
    judge(standing(contacts({ list: "POST" })), { file: contacts({ list: "POST", get: "GET" }) }),
    "replaces",
    "an operation that was not there let nothing wait",
  );
  assertEquals(judge(existing, { file: READ }), "approval_removed", "the whole tool would run");
  assertEquals(
    judge(standing(POST_READ), { file: contacts({ list: "POST", get: "GET" }) }),
    "approval_removed",
    "the whole tool waited",
  );
});

Deno.test("judgeReplacement() lets rules be added and made stricter, not dropped or loosened", () => {
  const ruled = (...rules: JsonObject[]) => ledgerFile({ rules });
  const deny = { ...RULE, then: "deny" };
  const cases: readonly [JsonObject, JsonObject, string][] = [
    [READ, ruled(RULE), "replaces"],
    [ruled(RULE), ruled({ ...RULE, say: "In other words." }), "replaces"],
    [ruled(RULE), ruled(deny), "replaces"],
    [ruled(deny), ruled(RULE), "approval_removed"],
    [ruled(RULE), READ, "approval_removed"],
    [ruled(RULE), ruled({ ...RULE, value: "Other" }), "approval_removed"],
    [ruled(RULE), ruled({ ...RULE, op: "not_equals" }), "approval_removed"],
    [ruled(RULE, deny), ruled(deny), "replaces"],
  ];
  for (const [file, incoming, expected] of cases) {
    assertEquals(
      judge(standing(file), { file: incoming }),
      expected,
      JSON.stringify([file.rules, incoming.rules]),
    );
  }
});

Deno.test("judgeReplacement() holds a tool to its secret and its host only while a value is stored", () => {
  const empty = standing(ledgerFile(), {
    uses: holding(ledgerFile()).uses.map((use) => ({ ...use, set: false })),
  });
  assertEquals(judge(empty, { file: ledgerFile(OTHER_SECRET) }), "replaces");
  assertEquals(judge(empty, { file: ledgerFile(OTHER_HOST) }), "replaces");

  const held = standing(ledgerFile(), holding(ledgerFile()));
  assertEquals(judge(held, { file: ledgerFile({ name: "Another name" }) }), "replaces");
  assertEquals(judge(held, { file: ledgerFile(OTHER_SECRET) }), "secret_moved");
  assertEquals(judge(held, { file: ledgerFile(OTHER_HOST) }), "host_moved");
});

Deno.test("judgeReplacement() takes a secret that stands in another place for a moved one", () => {
  const env = { accessToken: "CONNECTOR_LEDGER" };
  const asAccessToken = ledgerFile({
    request: {
      method: "GET",
      url: "https://ledger.example/api/invoices?supplier={supplier}",
      headers: { Authorization: "Bearer {{accessToken}}" },
    },
    auth: { env },
  });
  assertEquals(judge(standing(ledgerFile(), holding(ledgerFile())), { file: asAccessToken }), "secret_moved");
});

Deno.test("judgeReplacement() names the secret that is held, and never more of it", () => {
  const tool = read(ledgerFile(OTHER_SECRET));
  const result = judgeReplacement(standing(ledgerFile(), holding(ledgerFile())), {
    incoming: { tool, host: hostOfTool(tool), secrets: secretsOf(tool) },
    caller: NOOR,
  });
  assert(!result.ok);
  assertStringIncludes(result.refusal.detail!, "CONNECTOR_LEDGER");
});
