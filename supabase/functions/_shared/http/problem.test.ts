import { assert, assertEquals } from "@std/assert";
import { type Reason, REASONS } from "../outcome/reason.ts";
import { problemBody } from "../outcome/problem-body.ts";
import { problemResponse } from "./problem.ts";

Deno.test("problemResponse() answers every reason with its own status and title, as problem+json", async () => {
  for (const reason of Object.keys(REASONS) as Reason[]) {
    const response = problemResponse({ reason }, "req_1");
    assertEquals(response.status, REASONS[reason].status);
    assertEquals(response.headers.get("content-type"), "application/problem+json");
    assertEquals(response.headers.get("retry-after"), null);
    assertEquals(await response.json(), {
      ok: false,
      reason,
      status: REASONS[reason].status,
      title: REASONS[reason].title,
      request_id: "req_1",
    });
  }
});

Deno.test("problemBody() holds what the refusal says and no key of what it does not", () => {
  const said = { detail: "Found that.", hint: "Do this.", problems: ["slug: is taken"] };
  assertEquals(problemBody({ reason: "bad_request", ...said }, "req_1"), {
    ok: false,
    reason: "bad_request",
    status: 400,
    title: REASONS.bad_request.title,
    ...said,
    request_id: "req_1",
  });
  assert(!("detail" in problemBody({ reason: "bad_request" }, "req_1")));
});

Deno.test("problemResponse() says when to come back, and passes headers on", () => {
  const refusal = { reason: "rate_limited", retryAfterSeconds: 7 } as const;
  const { headers } = problemResponse(refusal, "req_1", { allow: "GET" });
  assertEquals([headers.get("retry-after"), headers.get("allow")], ["7", "GET"]);
});
