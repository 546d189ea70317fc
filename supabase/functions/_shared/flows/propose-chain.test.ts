/** Chains and previews through the front door, against real other systems on loopback. */

import { assert, assertEquals } from "@std/assert";
import type { JsonObject } from "../definition/json.ts";
import { databaseTest } from "../../../../scripts/testing/database.ts";
import { type ReceivedRequest, startUpstream } from "../../../../scripts/testing/upstream.ts";
import { openTestWorkspace } from "../../../../scripts/testing/workspace.ts";

let answer: (request: ReceivedRequest) => Response = () => Response.json({});
const ledger = startUpstream((request) => answer(request));
const bank = startUpstream((request) => answer(request));
const workspace = await openTestWorkspace({
  upstreams: new Map([["ledger.example", ledger.url], ["bank.example", bank.url]]),
});

function writes(slug: string, more: JsonObject = {}, host = "ledger.example"): JsonObject {
  return {
    format: "framed-tool/1",
    slug,
    name: `Tool ${slug}`,
    description: "Writes.",
    kind: "request",
    access: "write",
    arguments: {
      type: "object",
      properties: { id: { type: "integer" }, text: { type: "string", maxLength: 40 } },
    },
    request: { method: "POST", url: `https://${host}/${slug}` },
    fixtures: [{ response: {} }],
    ...more,
  };
}
const READS = writes("state", {
  access: "read",
  request: { method: "GET", url: "https://ledger.example/state?id={id}" },
});
for (
  const tool of [
    writes("first"),
    writes("second"),
    writes("pay", {}, "bank.example"),
    writes("secretive", { access: "sensitive" }),
    writes("capped", {
      rules: [{ path: "id", op: "gt", value: 100, then: "deny", say: "Ids above 100 are refused." }],
    }),
    writes("checked", {
      rules: [{ path: "id", op: "gt", value: 100, then: "admin", say: "Ids above 100 need care." }],
    }),
    writes("named", {
      rules: [{ path: "id", op: "equals", value: 101, then: "admin", say: "101 needs care." }],
    }),
    writes("noted", { rules: [{ path: "text", op: "exists", then: "admin", say: "A text needs care." }] }),
    writes("nested", {
      arguments: {
        type: "object",
        properties: {
          lines: {
            type: "array",
            items: { type: "object", properties: { id: { type: "integer" }, text: { type: "string" } } },
          },
        },
      },
      rules: [{ path: "lines.id", op: "equals", value: 7, then: "admin", say: "Lines of 7 need care." }],
    }),
    READS,
    writes("guarded", {
      preview: { tool: "state", args: { id: "{{args.id}}" }, compare: ["open", "items.total"] },
    }),
    writes("shown", { preview: { tool: "state", args: { id: "{{args.id}}" } } }),
    writes("also_shown", { preview: { tool: "state", args: { id: 5 } } }),
  ]
) {
  const defined = await workspace.define(tool);
  assertEquals(defined.status, 200, defined.text);
}

function sent(): string[] {
  return [...ledger.requests, ...bank.requests].filter(({ method }) => method === "POST").map((
    { target, body },
  ) => `${target} ${body}`);
}
function forget(): void {
  (ledger.requests as ReceivedRequest[]).length = 0;
  (bank.requests as ReceivedRequest[]).length = 0;
}

async function proposeChain(calls: JsonObject[], as: "member" | "admin_key" = "member") {
  return await workspace.ask("/tools/calls", { as, body: { workspace_id: workspace.id, calls } });
}
async function decide(id: string, as: "member" | "admin" = "member", decision = "approve") {
  const { body: { digest } } = await workspace.ask(`/approvals/${id}`, { as });
  return await workspace.ask(`/approvals/${id}/decision`, { as, body: { decision, digest } });
}

databaseTest("a chain is sent in its order, each call with what earlier ones answered", async () => {
  forget();
  answer = ({ target }) =>
    Response.json(target === "/first" ? { data: { id: 7, name: "Seven" } } : { ok: true });
  const proposed = await proposeChain([
    { tool: "first", args: { text: "a" } },
    { tool: "second", args: { id: "{{calls.0.result.data.id}}", text: "is {{calls.0.result.data.name}}" } },
  ]);
  assertEquals([proposed.status, proposed.body.ran], [202, false], proposed.text);
  assertEquals(proposed.body.calls.map((call: JsonObject) => call.tool), ["first", "second"]);
  const shown = await workspace.ask(`/approvals/${proposed.body.approval_id}`, { as: "member" });
  assertEquals(shown.body.calls[1].from_calls, [
    { path: "id", call: 0, result_path: "data.id" },
    { path: "text", call: 0, result_path: "data.name" },
  ]);
  assertEquals(sent(), []);
  const decided = await decide(proposed.body.approval_id);
  assertEquals([decided.status, decided.body.status], [200, "applied"], decided.text);
  assertEquals(sent(), ['/first {"text":"a"}', '/second {"id":7,"text":"is Seven"}']);
  assertEquals(decided.body.calls[1].sent_args, { id: 7, text: "is Seven" });
  assertEquals(
    ledger.requests.map(({ headers }) => headers.get("idempotency-key")),
    [`${proposed.body.approval_id}.0`, `${proposed.body.approval_id}.1`],
  );
});

databaseTest("a chain stops at the first call that does not land, and says of each what ran", async () => {
  const table: [status: number, call: string, approval: string][] = [
    [422, "failed", "failed"],
    [500, "unknown", "unknown"],
  ];
  for (const [status, call, approval] of table) {
    forget();
    answer = ({ target }) => new Response("{}", { status: target === "/second" ? status : 200 });
    const proposed = await proposeChain([{ tool: "first", args: { id: status } }, { tool: "second" }, {
      tool: "first",
    }]);
    const decided = await decide(proposed.body.approval_id);
    assertEquals(decided.body.status, approval, decided.text);
    assertEquals(decided.body.calls.map((each: JsonObject) => each.status), ["applied", call, "not_sent"]);
    assertEquals(sent().length, 2);
  }
});

databaseTest("a value that does not fit when it is there stops the chain before its call", async () => {
  const table: [answered: unknown, args: JsonObject, tool: string, reason: string][] = [
    [{ data: {} }, { id: "{{calls.0.result.data.id}}" }, "second", "bad_arguments"],
    [{ data: { id: "seven" } }, { id: "{{calls.0.result.data.id}}" }, "second", "bad_arguments"],
    [{ data: { id: { deep: 1 } } }, { id: "{{calls.0.result.data.id}}" }, "second", "bad_arguments"],
    [{ data: { id: "x".repeat(50) } }, { text: "{{calls.0.result.data.id}}" }, "second", "bad_arguments"],
    [{ data: { id: 101 } }, { id: "{{calls.0.result.data.id}}" }, "capped", "rule_denied"],
  ];
  for (const [at, [answered, args, tool, reason]] of table.entries()) {
    forget();
    answer = () => Response.json(answered);
    const proposed = await proposeChain([{ tool: "first", args: { id: at } }, { tool, args }]);
    assertEquals(proposed.status, 202, proposed.text);
    const decided = await decide(proposed.body.approval_id);
    assertEquals(decided.body.status, "failed", decided.text);
    const [first, second] = decided.body.calls;
    assertEquals([first.status, second.status, second.reason], ["applied", "not_sent", reason], decided.text);
    assertEquals(sent().length, 1);
  }
});

databaseTest("a rule about a late value asks an administrator before the chain begins", async () => {
  const late = "{{calls.0.result.data.id}}";
  const table: [tool: string, args: JsonObject, says: string[], answered: unknown, sent: string][] = [
    ["checked", { id: late }, ["Ids above 100 need care."], 101, '{"id":101}'],
    ["named", { id: late }, ["101 needs care."], 101, '{"id":101}'],
    // Asked for nothing, as it turns out.
    ["named", { id: late }, ["101 needs care."], 7, '{"id":7}'],
    ["noted", { text: `is ${late}` }, ["A text needs care."], 7, '{"text":"is 7"}'],
    [
      "nested",
      { lines: [{ id: 1 }, { id: late }] },
      ["Lines of 7 need care."],
      7,
      '{"lines":[{"id":1},{"id":7}]}',
    ],
    [
      "nested",
      { lines: [{ id: 7, text: late }] },
      ["Lines of 7 need care."],
      "a",
      '{"lines":[{"id":7,"text":"a"}]}',
    ],
  ];
  for (const [n, [tool, args, says, answered, body]] of table.entries()) {
    forget();
    answer = () => Response.json({ data: { id: answered } });
    const proposed = await proposeChain([{ tool: "first", args: { text: `rule ${n}` } }, { tool, args }]);
    const { approval_id: id } = proposed.body;
    const { body: shown } = await workspace.ask(`/approvals/${id}`, { as: "member" });
    assertEquals(shown.needs, "admin", proposed.text);
    assertEquals(shown.rules, says.map((say) => ({ call: 1, then: "admin", say })));
    const asMember = await decide(id);
    assertEquals([asMember.status, asMember.body.reason, sent()], [403, "admin_required", []]);
    const decided = await decide(id, "admin");
    assertEquals(decided.body.status, "applied", decided.text);
    assertEquals(sent()[1], `/${tool} ${body}`);
  }
});

databaseTest("a rule about anything else is held to what a call with late values will send", async () => {
  const late = "{{calls.0.result.data.id}}";
  answer = () => Response.json({ data: { id: "a" } });
  const chain = (tool: string, args: JsonObject) => proposeChain([{ tool: "first" }, { tool, args }]);
  const free = await chain("nested", { lines: [{ id: 8, text: late }] });
  const decided = await decide(free.body.approval_id);
  assertEquals(decided.body.status, "applied", decided.text);
  for (const args of [{ id: 101, text: late }, { text: late }] as JsonObject[]) {
    forget();
    const denied = await chain("capped", args);
    assertEquals([denied.status, denied.body.reason, sent()], [403, "rule_denied", []], denied.text);
  }
});

databaseTest("a chain is refused for what can never be filled, naming the call", async () => {
  const table: [calls: JsonObject[], said: string][] = [
    [[{ tool: "first", args: { text: "{{calls.0.result.id}}" } }], "calls[0]"],
    [[{ tool: "first" }, { tool: "second", args: { text: "{{calls.1.result.id}}" } }], "calls[1]"],
    [[{ tool: "first" }, { tool: "second", args: { text: "{{calls.5.result.id}}" } }], "calls[1]"],
    [[{ tool: "first" }, { tool: "second", args: { text: "{{secret}}" } }], "calls[1]"],
    [[{ tool: "secretive" }, { tool: "second", args: { text: "{{calls.0.result.id}}" } }], "calls[1]"],
    [[{ tool: "first" }, { tool: "second", args: { nope: "{{calls.0.result.id}}" } }], "calls[1]"],
    [[{ tool: "first" }, { tool: "second", args: { id: "three" } }], "calls[1]"],
  ];
  for (const [calls, said] of table) {
    const before = await workspace.database.sql`select count(*)::int as n from framed.v2_approvals`;
    const refused = await proposeChain(calls);
    assertEquals([refused.status, refused.body.reason], [400, "bad_arguments"], refused.text);
    assert(refused.body.problems.every((line: string) => line.startsWith(said)), refused.text);
    const after = await workspace.database.sql`select count(*)::int as n from framed.v2_approvals`;
    assertEquals(after, before);
  }
  const missing = await proposeChain([{ tool: "first" }, { tool: "not_there" }]);
  assertEquals([missing.status, missing.body.reason], [404, "not_found"]);
  const tooMany = await proposeChain(Array.from({ length: 21 }, () => ({ tool: "first" })));
  assertEquals([tooMany.status, tooMany.body.reason], [400, "bad_request"]);
  const none = await proposeChain([]);
  assertEquals([none.status, none.body.reason], [400, "bad_request"]);
});

databaseTest("a value from another host's answer makes the chain need an administrator", async () => {
  answer = () => Response.json({ id: 5 });
  const within = await proposeChain([{ tool: "first", args: { id: 1 } }, {
    tool: "second",
    args: { id: "{{calls.0.result.id}}" },
  }]);
  const across = await proposeChain([{ tool: "first", args: { id: 1 } }, {
    tool: "pay",
    args: { id: "{{calls.0.result.id}}" },
  }]);
  const needs = async (id: string) => (await workspace.ask(`/approvals/${id}`, { as: "member" })).body.needs;
  assertEquals(await needs(within.body.approval_id), "member");
  assertEquals(await needs(across.body.approval_id), "admin");
  const refused = await decide(across.body.approval_id);
  assertEquals([refused.status, refused.body.reason], [403, "admin_required"]);
  assertEquals((await decide(across.body.approval_id, "admin")).body.status, "applied");
});

databaseTest("{{ in a single call is data, and is sent as it stands", async () => {
  forget();
  answer = () => Response.json({});
  const proposed = await workspace.call("first", { args: { text: "{{calls.0.result.id}}" } });
  assertEquals(proposed.status, 202, proposed.text);
  assertEquals((await decide(proposed.body.approval_id)).body.status, "applied");
  assertEquals(sent(), ['/first {"text":"{{calls.0.result.id}}"}']);
});

databaseTest(
  "a preview is shown on the approval, and sends nothing where a compared path differs",
  async () => {
    forget();
    let state: JsonObject = { open: true, items: { total: 3 }, noise: 1 };
    answer = ({ method }) => Response.json(method === "GET" ? state : {});
    const proposed = await workspace.call("guarded", { args: { id: 9 } });
    assertEquals(proposed.status, 202, proposed.text);
    const id = proposed.body.approval_id;
    const shown = await workspace.ask(`/approvals/${id}`, { as: "member" });
    assertEquals(shown.body.preview.result, state);
    assertEquals(shown.body.preview.args, { id: 9 });
    state = { open: true, items: { total: 4 }, noise: 2 };
    const refused = await decide(id);
    assertEquals([refused.status, refused.body.reason], [409, "approval_changed"], refused.text);
    assert(refused.body.detail.includes("items.total"), refused.text);
    assertEquals(sent(), []);
    const old = await workspace.ask(`/approvals/${id}`, { as: "member" });
    assertEquals(old.body.status, "superseded");
    const fresh = await workspace.ask(`/approvals/${old.body.superseded_by}`, { as: "member" });
    assertEquals([fresh.body.status, fresh.body.preview.result], ["awaiting_approval", state]);
    state = { open: true, items: { total: 4 }, noise: 3 };
    assertEquals((await decide(fresh.body.id)).body.status, "applied");
    assertEquals(sent().length, 1);
  },
);

databaseTest(
  "a preview that fails is shown as failed, and blocks only where paths are compared",
  async () => {
    forget();
    answer = ({ method }) => method === "GET" ? new Response("{}", { status: 500 }) : Response.json({});
    const loose = await workspace.call("shown", { args: { id: 1 } });
    const strict = await workspace.call("guarded", { args: { id: 1 } });
    const shown = await workspace.ask(`/approvals/${loose.body.approval_id}`, { as: "member" });
    assertEquals([shown.body.preview.ok, typeof shown.body.preview.failed], [false, "string"]);
    const blocked = await decide(strict.body.approval_id);
    assertEquals([blocked.status, blocked.body.reason], [409, "approval_changed"], blocked.text);
    const still = await workspace.ask(`/approvals/${strict.body.approval_id}`, { as: "member" });
    assertEquals(still.body.status, "awaiting_approval");
    assertEquals((await decide(loose.body.approval_id)).body.status, "applied");
    assertEquals(sent().length, 1);
  },
);

databaseTest("a preview without compare holds all of its answer against what was shown", async () => {
  forget();
  let total = 1;
  answer = ({ method }) => Response.json(method === "GET" ? { total } : {});
  const proposed = await workspace.call("shown", { args: { id: 77 } });
  total = 2;
  const refused = await decide(proposed.body.approval_id);
  assertEquals([refused.status, refused.body.reason], [409, "approval_changed"]);
  assertEquals(sent(), []);
});

databaseTest("what a later call of a chain shows is looked at again right before it is sent", async () => {
  forget();
  let state: JsonObject = { open: true, items: { total: 1 } };
  answer = ({ method, target }) => {
    if (method === "GET") return Response.json(state);
    // The first call changes what the second one was shown beside.
    if (target === "/first") state = { open: false, items: { total: 1 } };
    return Response.json({});
  };
  const proposed = await proposeChain([{ tool: "first", args: { text: "opens" } }, {
    tool: "guarded",
    args: { id: 4 },
  }]);
  const decided = await decide(proposed.body.approval_id);
  const [first, second] = decided.body.calls;
  assertEquals(decided.body.status, "failed", decided.text);
  assertEquals([first.status, second.status, second.reason], ["applied", "not_sent", "approval_changed"]);
  assertEquals(sent().length, 1);
});

databaseTest("a chain whose own call would hold a later one back is refused, and says which", async () => {
  forget();
  // As a system does that counts what was done to it.
  answer = ({ method }) => Response.json(method === "GET" ? { open: true, total: sent().length } : { id: 5 });
  const late = { id: "{{calls.0.result.id}}" };
  const call = (tool: string, args: JsonObject = { id: 5 }) => ({ tool, args });
  const refused = [
    [call("shown"), call("shown")],
    [call("also_shown", { id: 1 }), call("shown")],
    [call("guarded"), call("shown")],
    [call("first"), call("also_shown", late), call("shown")],
  ];
  for (const calls of refused) {
    const { status, body, text } = await proposeChain(calls);
    assertEquals([status, body.reason], [400, "bad_arguments"], text);
    const [earlier, later] = [calls.length - 2, calls.length - 1];
    assert(body.detail.startsWith(`Call ${later} of the chain: shown shows what state answers`), text);
    assert(body.detail.includes(`call ${earlier} of this chain`), text);
    assertEquals(sent(), []);
  }
  const passing = [
    [call("shown"), call("shown", { id: 6 })],
    [call("first"), call("shown")],
    [call("shown"), call("shown", late)],
    [call("shown"), call("guarded")],
  ];
  for (const calls of passing) {
    const { status, text } = await proposeChain(calls);
    assertEquals(status, 202, text);
  }
});

databaseTest("values that come later are looked up nowhere, and compared with nothing", async () => {
  forget();
  answer = ({ method }) => method === "GET" ? Response.json({ open: true }) : Response.json({ id: 4 });
  const late = { id: "{{calls.0.result.id}}" };
  const refused = await proposeChain([{ tool: "first" }, { tool: "guarded", args: late }]);
  assertEquals([refused.status, refused.body.reason], [400, "bad_arguments"], refused.text);
  const proposed = await proposeChain([{ tool: "first" }, { tool: "shown", args: late }]);
  const shown = await workspace.ask(`/approvals/${proposed.body.approval_id}`, { as: "member" });
  assertEquals([shown.body.preview.ok, shown.body.preview.args], [false, null]);
  assertEquals((await decide(proposed.body.approval_id)).body.status, "applied");
  assertEquals(ledger.requests.filter(({ method }) => method === "GET"), []);
});
