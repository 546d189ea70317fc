import { assert, assertEquals } from "@std/assert";
import type { RequestTool } from "../definition/format.ts";
import type { JsonValue } from "../definition/json.ts";
import { answerOfRead, answerOfWaiting, EXAMPLE_NOTE, WAITING_NOTE } from "./answer.ts";
import { leavingFrom, leavingOf, resultFormatOf } from "./leaving.ts";

const tool: RequestTool = {
  format: "framed-tool/1",
  slug: "crm",
  name: "CRM",
  description: "Contacts.",
  kind: "request",
  access: "read",
  arguments: { type: "object" },
  request: { method: "GET", url: "https://crm.example/contacts" },
  result: { fields: ["id"] },
  capabilities: [
    { id: "contact.read", operations: ["list"], result: { rows: "items", fields: ["name"] } },
    { id: "deal.read", operations: ["list"] },
  ],
  fixtures: [{ response: [] }],
};
const call = { args: {}, capability: "deal.read", operation: "list" };
const answer: JsonValue = [{ id: 1, iban: "hidden" }, { id: 2 }];
const read = {
  call,
  leaving: leavingOf(tool, { call, answer }),
  answersWith: "live system",
  kept: { kept: true, rows: 2, read_at: "2026-03-02T09:00:00.000Z" },
  resultHandle: "h-1",
} as const;

Deno.test("answerOfRead() has the shape a host knows, and only the fields the file lets out", () => {
  assertEquals(answerOfRead(tool, read), {
    ok: true,
    tool: "crm",
    tool_name: "CRM",
    ran: true,
    answers_with: "live system",
    result: [{ id: 1 }, { id: 2 }],
    kept: { kept: true, rows: 2, read_at: "2026-03-02T09:00:00.000Z" },
    truncated: false,
    audit: "connector=crm capability=deal.read operation=list mode=live ok=true truncated=false",
  });
});

Deno.test("answerOfRead() carries a handle only when it is clipped, and a note only on an example", () => {
  const long = Array.from({ length: 9_000 }, (_, id) => ({ id }));
  const clipped = answerOfRead(tool, { ...read, leaving: leavingFrom(long) });
  assertEquals([clipped.truncated, clipped.result_handle], [true, "h-1"]);
  assert(String(clipped.audit).endsWith("truncated=true"));
  const example = answerOfRead(tool, {
    ...read,
    answersWith: "configured example",
    kept: { kept: false },
  });
  assertEquals([example.note, example.kept], [EXAMPLE_NOTE, { kept: false }]);
  assert(String(example.audit).includes("mode=fixture"));
});

Deno.test("resultFormatOf() is the capability's own, else the tool's", () => {
  assertEquals(resultFormatOf(tool, { args: {}, capability: "contact.read" }), {
    rows: "items",
    fields: ["name"],
  });
  assertEquals(resultFormatOf(tool, { args: {}, capability: "deal.read" }), { fields: ["id"] });
  assertEquals(resultFormatOf(tool, { args: {}, capability: "deal.read", operation: "get" }), {
    fields: ["id"],
    single: true,
  });
  assertEquals(resultFormatOf({ ...tool, result: undefined }, { args: {} }), {});
});

Deno.test("leavingOf() has the rows that leave, and none of a single answer", () => {
  assertEquals(leavingOf(tool, { call, answer }).rows, [{ id: 1 }, { id: 2 }]);
  const single = leavingOf(tool, { call, answer: { id: 1, iban: "hidden" } });
  assertEquals([single.rows, single.json], [null, '{"id":1}']);
});

Deno.test("answerOfRead() of a kept read has the shape of the live one, and says when it was read", () => {
  const live = answerOfRead(tool, { ...read, next: { page: 2 } });
  const kept = answerOfRead(tool, { ...read, next: { page: 2 }, answersWith: "kept read" });
  assertEquals(kept, { ...live, answers_with: "kept read", read_at: read.kept.read_at });
  assertEquals([live.next, answerOfRead(tool, { ...read, next: null }).next], [{ page: 2 }, null]);
});

Deno.test("answerOfWaiting() is the answer with status 202", () => {
  assertEquals(answerOfWaiting(tool, { id: "a-1", reviewUrl: "https://www.framed.dev/tasks" }), {
    ok: true,
    ran: false,
    job_id: "a-1",
    approval_id: "a-1",
    status: "awaiting_approval",
    tool: "crm",
    tool_name: "CRM",
    review_url: "https://www.framed.dev/tasks",
    note: WAITING_NOTE,
  });
});
