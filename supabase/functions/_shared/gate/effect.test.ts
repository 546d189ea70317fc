import { assertEquals } from "@std/assert";
import type { FramedTool } from "../definition/format.ts";
import type { JsonObject } from "../definition/json.ts";
import { type Caller, decideEffect, type EffectQuestion, type InnerTool, runsOnCall } from "./effect.ts";

const common = { format: "framed-tool/1", slug: "a_tool", name: "A tool", description: "Does." } as const;
const empty = { type: "object" } as const;

function requestTool(access: "read" | "write" | "sensitive", method: string, more: object = {}): FramedTool {
  return {
    ...common,
    kind: "request",
    access,
    arguments: empty,
    request: { method, url: "https://a.example/" },
    fixtures: [{ response: null }],
    ...more,
  } as FramedTool;
}

function fixtureTool(access: "read" | "write" | "sensitive", more: object = {}): FramedTool {
  return { ...common, kind: "fixture", access, arguments: empty, fixtures: [{ response: null }], ...more };
}

function mcpTool(more: object = {}): FramedTool {
  return { ...common, kind: "mcp", mcp: { url: "https://mcp.a.example/" }, ...more };
}

const runs = "runs";
const member = "waits for a member";
const admin = "waits for an administrator";
const refused = "refused: approval_required";

function effectOf(tool: FramedTool, more: Partial<EffectQuestion> = {}): string {
  const effect = decideEffect({ tool, call: { args: {} }, caller: "person", ...more });
  if (effect.does === "refused") return `refused: ${effect.reason}`;
  if (effect.does === "waits") return effect.needs === "admin" ? admin : member;
  return runs;
}

Deno.test("decideEffect() answers each row of the table, for a person, a host and a worker", () => {
  const call: JsonObject = { action: "call", tool: "x" };
  const reads: InnerTool = { readOnlyHint: true, quarantined: false };
  const rows: [string, FramedTool, Partial<EffectQuestion>, string, string][] = [
    ["read by GET", requestTool("read", "GET"), {}, runs, runs],
    ["read by HEAD", requestTool("read", "HEAD"), {}, runs, runs],
    ["read of a fixture tool", fixtureTool("read"), {}, runs, runs],
    ["read with confirm", requestTool("read", "GET", { confirm: true }), {}, member, refused],
    ["read with confirm: false", requestTool("read", "GET", { confirm: false }), {}, runs, runs],
    ["fixture read with confirm", fixtureTool("read", { confirm: true }), {}, member, refused],
    ["read by POST", requestTool("read", "POST"), {}, member, refused],
    ["read by POST, marked", requestTool("read", "POST"), { runsAsRead: true }, runs, runs],
    [
      "read by POST with confirm, marked",
      requestTool("read", "POST", { confirm: true }),
      { runsAsRead: true },
      member,
      refused,
    ],
    [
      "read by DELETE, which no file may say",
      requestTool("read", "DELETE"),
      { runsAsRead: true },
      member,
      refused,
    ],
    ["write", requestTool("write", "POST"), {}, member, refused],
    ["write by GET, marked", requestTool("write", "GET"), { runsAsRead: true }, member, refused],
    ["write of a fixture tool", fixtureTool("write"), {}, member, refused],
    ["sensitive", requestTool("sensitive", "GET"), {}, admin, refused],
    ["sensitive fixture tool", fixtureTool("sensitive"), {}, admin, refused],
    ["mcp list", mcpTool(), { call: { args: { action: "list" } } }, runs, runs],
    ["mcp call of a read", mcpTool(), { call: { args: call }, inner: reads }, runs, runs],
    [
      "mcp call of a read that says it destroys",
      mcpTool(),
      { call: { args: call }, inner: { ...reads, destructiveHint: true } },
      member,
      refused,
    ],
    [
      "mcp call of a read that says it does not destroy",
      mcpTool(),
      { call: { args: call }, inner: { ...reads, destructiveHint: false } },
      runs,
      runs,
    ],
    [
      "mcp call of a tool with a text for a hint",
      mcpTool(),
      { call: { args: call }, inner: { readOnlyHint: "true", quarantined: false } },
      member,
      refused,
    ],
    [
      "mcp call of a tool that says nothing",
      mcpTool(),
      { call: { args: call }, inner: { quarantined: false } },
      member,
      refused,
    ],
    [
      "mcp call of a read in quarantine",
      mcpTool(),
      { call: { args: call }, inner: { ...reads, quarantined: true } },
      member,
      refused,
    ],
    ["mcp call of an unknown tool", mcpTool(), { call: { args: call } }, member, refused],
    [
      'mcp file with access "write", a read',
      mcpTool({ access: "write" }),
      { call: { args: call }, inner: reads },
      member,
      refused,
    ],
    [
      "mcp file with confirm, a read",
      mcpTool({ confirm: true }),
      { call: { args: call }, inner: reads },
      member,
      refused,
    ],
    [
      'mcp file with access "read", a read',
      mcpTool({ access: "read" }),
      { call: { args: call }, inner: reads },
      runs,
      runs,
    ],
    [
      "sensitive mcp file, a read",
      mcpTool({ access: "sensitive" }),
      { call: { args: call }, inner: reads },
      admin,
      refused,
    ],
    [
      "sensitive mcp file, its list",
      mcpTool({ access: "sensitive", confirm: true }),
      { call: { args: { action: "list" } } },
      runs,
      runs,
    ],
  ];
  for (const [name, tool, more, person, worker] of rows) {
    const effects = (["person", "host", "worker"] as Caller[]).map((caller) =>
      effectOf(tool, { ...more, caller })
    );
    assertEquals(effects, [person, person, worker], name);
  }
});

Deno.test("decideEffect() looks at the request of the capability that is called", () => {
  const tool = requestTool("read", "GET", {
    capabilities: [{
      id: "deal.read",
      operations: ["list", "get"],
      requests: { list: { method: "POST", url: "https://a.example/search" } },
    }],
  });
  const call = { args: {}, capability: "deal.read" };
  assertEquals(effectOf(tool, { call: { ...call, operation: "list" } }), member);
  assertEquals(effectOf(tool, { call: { ...call, operation: "get" } }), runs);
});

Deno.test("decideEffect() lets a rule make a call stricter, never looser", () => {
  const rules = [
    { path: "amount", op: "gt", value: 100, then: "admin", say: "Above 100 an administrator decides." },
    { path: "amount", op: "gt", value: 1000, then: "deny", say: "Above 1,000 nothing goes." },
  ];
  const amounts: [FramedTool, JsonObject, string, string][] = [
    [requestTool("read", "GET", { rules }), { amount: 1 }, runs, runs],
    [requestTool("read", "GET", { rules }), { amount: 101 }, admin, refused],
    [requestTool("write", "POST", { rules }), { amount: 1 }, member, refused],
    [requestTool("write", "POST", { rules }), { amount: 101 }, admin, refused],
    [requestTool("sensitive", "GET", { rules }), { amount: 1 }, admin, refused],
    [
      requestTool("write", "POST", { rules }),
      { amount: 1001 },
      "refused: rule_denied",
      "refused: rule_denied",
    ],
    [requestTool("read", "GET", { rules }), {}, "refused: rule_denied", "refused: rule_denied"],
  ];
  for (const [tool, args, person, worker] of amounts) {
    assertEquals(effectOf(tool, { call: { args } }), person);
    assertEquals(effectOf(tool, { call: { args }, caller: "worker" }), worker);
  }
  const denied = decideEffect({ tool: amounts[0]![0], call: { args: {} }, caller: "host" });
  assertEquals(denied.does === "refused" && denied.detail, "Above 1,000 nothing goes.");
});

Deno.test("runsOnCall() tells what a call does when no rule matches", () => {
  const rules = [{ path: "a", op: "not_exists", then: "deny", say: "No." }];
  assertEquals(runsOnCall({ tool: requestTool("read", "GET", { rules }), call: { args: {} } }), true);
  assertEquals(runsOnCall({ tool: requestTool("write", "GET"), call: { args: {} } }), false);
});
