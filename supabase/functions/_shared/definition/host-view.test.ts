import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { checkFramedTool, readFramedTool } from "../framed-tool.ts";
import type { FramedTool, RequestTool } from "./format.ts";
import { hostViews, workspaceNotes } from "./host-view.ts";
import { FILES } from "./testdata/files.ts";

function tool(name: string): FramedTool {
  const result = readFramedTool(FILES.valid.find((file) => file.name === name)!.bytes);
  assert(result.ok, name);
  return result.tool;
}

const fixtureTool = tool("shortest-slug");
const mcpTool = tool("issue-tracker-mcp");

Deno.test("hostViews() shows a live read as the system would answer it, and says whose the rows are", () => {
  const [view, other] = hostViews(tool("quick-start-ledger"));
  assertEquals(view, {
    fixture: 0,
    label: "two open",
    example: { supplier: "Acme" },
    does: "runs",
    needs: null,
    live: true,
    rows: 2,
    firstRow: { id: 1 },
    keeps: "rows",
    status: 200,
    sees: {
      ok: true,
      tool: "ledger_open_invoices",
      tool_name: "Open invoices",
      ran: true,
      answers_with: "live system",
      result: { rows: [{ id: 1 }, { id: 2 }] },
      kept: { kept: true, rows: 2, read_at: "…" },
      truncated: false,
      audit: "connector=ledger_open_invoices capability=- operation=- mode=live ok=true truncated=false",
    },
    notes: ["What is shown is the fixture's answer; a call answers with the live system's."],
  });
  assertEquals([other!.rows, other!.firstRow, other!.keeps], [0, null, "rows"]);
});

Deno.test("hostViews() marks a fixture tool's answers as examples, and keeps none", () => {
  const [view] = hostViews(tool("stock-capabilities-fixture"));
  assertEquals([view!.live, view!.keeps, view!.rows], [false, "nothing", null]);
  assertEquals(view!.sees.answers_with, "configured example");
  assertEquals(view!.sees.kept, { kept: false });
  assertEquals(
    view!.sees.audit,
    "connector=stock capability=article.read operation=get mode=fixture ok=true truncated=false",
  );
  assert(String(view!.sees.note).includes("inventing"));
});

Deno.test("hostViews() shows a call that waits as the answer with status 202", () => {
  const [view] = hostViews(tool("delete-write"));
  assertEquals([view!.does, view!.needs, view!.status, view!.rows], ["waits", "member", 202, null]);
  assertEquals(view!.sees, {
    ok: true,
    ran: false,
    job_id: "…",
    approval_id: "…",
    status: "awaiting_approval",
    tool: "shop_remove_coupon",
    tool_name: "Remove a coupon",
    review_url: "https://www.framed.dev/tasks",
    note: "Nothing has been sent. A person decides about it under review_url.",
  });
});

Deno.test("hostViews() says why a call waits where the file alone does not", () => {
  const cases: [string, number, string, RegExp][] = [
    ["search-by-post", 0, "member", /marks it as one that only reads/],
    ["sensitive-wage", 0, "admin", /administrator/],
    ["mcp-read-with-fixtures", 1, "member", /server marks/],
  ];
  for (const [name, at, needs, note] of cases) {
    const view = hostViews(tool(name))[at]!;
    assertEquals([view.does, view.needs], ["waits", needs], name);
    assert(view.notes.some((line) => note.test(line)), name);
  }
  assertEquals(
    hostViews(tool("read-with-confirm"))[0]!.notes,
    [
      "Not a whole call: args.month: missing; text is wanted. What is shown is for a call that gives the rest.",
    ],
  );
});

Deno.test("hostViews() shows the refusal of an example that a rule denies", () => {
  const denied = tool("put-write");
  const fixtures = [{ example: { article: "A-1", price: 0.5 }, response: null }];
  const [view] = hostViews({ ...denied, fixtures } as FramedTool);
  assertEquals([view!.does, view!.status], ["refused", 403]);
  assertEquals(view!.sees, {
    ok: false,
    reason: "rule_denied",
    status: 403,
    title: "A rule of the tool refuses these arguments",
    detail: "Nothing is given away.",
    request_id: "…",
  });
});

Deno.test("hostViews() shows what a part of a call stands for, and leaves out rules about what it does not give", () => {
  const rules = [
    { path: "amount", op: "gt", value: 100, then: "deny", say: "Too much." },
    { path: "to", op: "equals", value: "all", then: "deny", say: "Not to all." },
  ];
  const fixtures = [{ example: { to: "me" }, response: 1 }, { example: { to: "all" }, response: 2 }, {
    response: 3,
  }];
  const file = {
    ...fixtureTool,
    arguments: {
      type: "object",
      properties: { amount: { type: "number" }, to: { type: "string" } },
      required: ["amount"],
    },
    rules,
    fixtures,
  };
  const read = checkFramedTool(file);
  assert(read.ok);
  const views = hostViews(read.tool);
  assertEquals(views.map(({ does, status }) => [does, status]), [["runs", 200], ["refused", 403], [
    "runs",
    200,
  ]]);
  for (const { notes } of views) assert(notes.some((note) => note.includes("args.amount: missing")));
});

Deno.test("hostViews() shows nothing of a sensitive tool as kept", () => {
  const read = checkFramedTool({
    ...mcpTool,
    access: "sensitive",
    fixtures: [{ example: { action: "list" }, response: { tools: [{ name: "a" }] } }],
  });
  assert(read.ok);
  const [view] = hostViews(read.tool);
  assertEquals([view!.does, view!.keeps, view!.sees.kept], ["runs", "nothing", { kept: false }]);
});

Deno.test("hostViews() lets only the fields of the file leave, by capability where it has its own", () => {
  const [list] = hostViews(tool("ledger-list-booked"));
  assertEquals(list!.sees.result, {
    data: { items: [{ id: "1", invoice_number: "PI-2041", contact: { name: "Harbour Bakery" } }] },
  });
  assertEquals([list!.rows, list!.firstRow], [1, {
    id: "1",
    invoice_number: "PI-2041",
    contact: { name: "Harbour Bakery" },
  }]);
  const [contacts, contact] = hostViews(tool("contacts-capabilities"));
  assertEquals(contacts!.rows, 1);
  assertEquals([contact!.rows, contact!.keeps], [null, "when asked"]);
});

Deno.test("hostViews() hands a host nothing of the request, the secrets or the other fixtures", () => {
  for (const { name } of FILES.valid) {
    for (const view of hostViews(tool(name))) {
      assert(
        !/CONNECTOR_|\{\{|https:\/\/(?!www\.framed\.dev)(?!handbook\.example\/leave)/.test(
          JSON.stringify(view.sees),
        ),
        name,
      );
    }
  }
});

Deno.test("workspaceNotes() tells what only the workspace can", () => {
  assertEquals(workspaceNotes(tool("shortest-slug")), []);
  assertEquals(workspaceNotes(tool("confirm-false")), []);
  assertEquals(workspaceNotes(tool("ledger-book-invoice")).length, 3);
  assertEquals(workspaceNotes(tool("issue-tracker-mcp")).length, 2);
  const order = tool("follow-up-every-op");
  assertEquals(workspaceNotes(order).length, 2);
  assertEquals(workspaceNotes({ ...order, access: "sensitive" } as FramedTool).length, 3);
});

Deno.test("workspaceNotes() tells of an argument that no request names, and of nothing that is sent", () => {
  const invoices = tool("quick-start-ledger") as RequestTool;
  const notes = (changed: object) => workspaceNotes({ ...invoices, ...changed } as FramedTool);
  const [told, ...others] = notes({
    request: { ...invoices.request, url: "https://ledger.example/api/invoices" },
  });
  assertStringIncludes(told!, "The argument supplier stands nowhere in the request");
  assertEquals(others, workspaceNotes(invoices));
  const post = { method: "POST", url: "https://ledger.example/api/invoices" };
  assertEquals(notes({ request: post, auth: undefined }), []);
  assertEquals(notes({ request: { ...post, body: { name: "x{supplier}" } }, auth: undefined }), []);
  assertEquals(notes({ request: { ...post, body: {} }, auth: undefined }).length, 1);
  const capabilities = [{
    id: "invoice.read",
    operations: ["list"],
    requests: { list: { method: "GET", url: "https://ledger.example/api?q={supplier}" } },
  }];
  assertEquals(notes({ request: { ...post, method: "GET" }, auth: undefined, capabilities }), []);
});

Deno.test("workspaceNotes() tells that a body written as a text goes out as JSON, unless it is one argument", () => {
  const request = { method: "POST", url: "https://ledger.example/api" };
  const notes = (body: unknown, more = {}) =>
    workspaceNotes({
      ...tool("quick-start-ledger"),
      auth: undefined,
      request: { ...request, body, ...more },
    } as FramedTool);
  assertStringIncludes(notes("<Envelope>{supplier}</Envelope>").join(), "XML and plain text cannot be sent");
  assertEquals(notes("{supplier}"), []);
  assertEquals(notes({ text: "<Envelope>{supplier}</Envelope>" }), []);
});
