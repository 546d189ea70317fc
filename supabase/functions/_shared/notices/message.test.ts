import { assertEquals } from "@std/assert";
import { messageBody } from "./message.ts";

const madeAt = new Date("2026-11-30T12:00:00.250Z");
const workspaceId = "7b1f7a0e-4c5d-4c8e-9a55-0f3f6a1f2b3c";
const consoleUrl = "https://console.example";

Deno.test("messageBody() says what waits, how much and where to look, and nothing else", () => {
  const table = [
    ["approval_waiting", "approvals.waiting", "tasks"],
    ["follow_ups_waiting", "follow_ups.waiting", "catch-up"],
  ] as const;
  for (const [kind, type, page] of table) {
    assertEquals(JSON.parse(messageBody({ workspaceId, kind, madeAt, count: 3 }, { consoleUrl })), {
      type,
      timestamp: "2026-11-30T12:00:00.250Z",
      data: {
        workspace_id: workspaceId,
        count: 3,
        review_url: `https://console.example/${page}?workspace_id=${workspaceId}`,
      },
    });
  }
});
