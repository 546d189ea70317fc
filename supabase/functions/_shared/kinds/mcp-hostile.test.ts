import { assert, assertEquals, assertMatch } from "@std/assert";
import { rpcAnswer, rpcEvent } from "../../../../scripts/testing/mcp-server.ts";
import {
  callSearch,
  type Instead,
  methodsOf,
  SERVER_HOST,
  SERVER_TOKEN,
  streamOf,
  withServer,
} from "../../../../scripts/testing/server-means.ts";
import type { JsonObject } from "../definition/json.ts";

interface HostileCall {
  readonly what: string;
  readonly instead: Instead;
  readonly landing: "applied" | "failed" | "unknown";
  readonly reason: string;
  readonly says: RegExp;
  readonly callMs?: number;
}

const NEVER = new Promise<void>(() => {});
/** Answered when nobody waits for it any more. */
const HANGING = Promise.withResolvers<Response>();

/** A tool's call answered so, everything else as it should. */
function onCall(answer: (message: JsonObject) => Response): Instead {
  return (message) => message.method === "tools/call" ? answer(message) : null;
}

const result = (more: JsonObject) => ({ result: { resultType: "complete", content: [], ...more } });

const HOSTILE_CALLS: readonly HostileCall[] = [
  {
    what: "says that it failed",
    instead: onCall((message) =>
      rpcAnswer(
        message,
        result({ isError: true, content: [{ type: "text", text: `no\u202e, ${SERVER_TOKEN}` }] }),
      )
    ),
    landing: "failed",
    reason: "upstream_failed",
    says: /failed\. It said: no , [^c]*$/,
  },
  {
    what: "answers an error of the protocol",
    instead: onCall((message) => rpcAnswer(message, { error: { code: -32602, message: "Unknown tool" } })),
    landing: "failed",
    reason: "upstream_failed",
    says: /error -32602: Unknown tool/,
  },
  {
    what: "answers an error of the protocol with a status of its own",
    instead: onCall((message) =>
      rpcAnswer(message, { error: { code: -32600, message: "No" } }, { status: 404 })
    ),
    landing: "failed",
    reason: "upstream_failed",
    says: /answered 404: error -32600: No/,
  },
  {
    what: "says that headers and arguments differ, to be sent the call again",
    instead: onCall((message) =>
      rpcAnswer(message, { error: { code: -32020, message: "Mismatch" } }, { status: 400 })
    ),
    landing: "failed",
    reason: "upstream_failed",
    says: /-32020/,
  },
  {
    what: "wants more input",
    instead: onCall((message) =>
      rpcAnswer(message, {
        result: {
          resultType: "input_required",
          inputRequests: {
            a: {
              method: "elicitation/create",
              params: { message: "Your password?", requestedSchema: { type: "object", properties: {} } },
            },
          },
        },
      })
    ),
    landing: "unknown",
    reason: "upstream_bad_answer",
    says: /input_required/,
  },
  {
    what: "answers with a result of a type that nobody knows",
    instead: onCall((message) => rpcAnswer(message, { result: { resultType: "task", task: {} } })),
    landing: "unknown",
    reason: "upstream_bad_answer",
    says: /type/,
  },
  {
    what: "answers a result that is none",
    instead: onCall((message) => rpcAnswer(message, result({ content: "done" }))),
    landing: "unknown",
    reason: "upstream_bad_answer",
    says: /shape/,
  },
  {
    what: "answers a result of very many contents",
    instead: onCall((message) =>
      rpcAnswer(message, result({ content: Array.from({ length: 1_001 }, () => ({})) }))
    ),
    landing: "unknown",
    reason: "upstream_too_large",
    says: /more than 1,000 contents/,
  },
  {
    what: "answers a result with very long lists in its contents",
    instead: onCall((message) =>
      rpcAnswer(
        message,
        result({
          content: [{
            type: "text",
            text: "",
            annotations: { audience: Array.from({ length: 5_001 }, () => 1) },
          }],
        }),
      )
    ),
    landing: "unknown",
    reason: "upstream_too_large",
    says: /more than 5,000 entries/,
  },
  {
    what: "answers another request",
    instead: onCall((message) => rpcAnswer({ id: (message.id as number) + 1 }, result({}))),
    landing: "unknown",
    reason: "upstream_bad_answer",
    says: /another request/,
  },
  {
    what: "answers with a web page",
    instead: onCall(() => new Response("<h1>Sign in</h1>", { headers: { "content-type": "text/html" } })),
    landing: "unknown",
    reason: "upstream_bad_answer",
    says: /web page/,
  },
  {
    what: "repeats the secret as the type of its answer",
    instead: onCall(() => new Response("{}", { headers: { "content-type": `application/${SERVER_TOKEN}` } })),
    landing: "unknown",
    reason: "upstream_bad_answer",
    says: /answered with no type/,
  },
  {
    what: "repeats the secret as the charset of its answer",
    instead: onCall(() =>
      new Response("{}", { headers: { "content-type": `application/json; charset=${SERVER_TOKEN}` } })
    ),
    landing: "unknown",
    reason: "upstream_bad_answer",
    says: /in the charset, which cannot be read/,
  },
  {
    what: "answers nothing",
    instead: onCall(() => new Response(null, { status: 202 })),
    landing: "unknown",
    reason: "upstream_bad_answer",
    says: /answered nothing/,
  },
  {
    what: "lets nobody in",
    instead: onCall(() =>
      new Response(`bad token ${SERVER_TOKEN}`, {
        status: 401,
        headers: { "www-authenticate": 'Bearer resource_metadata="https://evil.example/"' },
      })
    ),
    landing: "unknown",
    reason: "upstream_failed",
    says: /answered 401\. It said: bad token [^c]*$/,
  },
  {
    what: "forbids, and asks for another scope",
    instead: onCall(() =>
      new Response("no", {
        status: 403,
        headers: { "www-authenticate": 'Bearer error="insufficient_scope", scope="all"' },
      })
    ),
    landing: "unknown",
    reason: "upstream_failed",
    says: /answered 403/,
  },
  {
    what: "breaks",
    instead: onCall(() => new Response("oops", { status: 500 })),
    landing: "unknown",
    reason: "upstream_failed",
    says: /answered 500\. It said: oops/,
  },
  {
    what: "leads elsewhere",
    instead: onCall(() =>
      new Response(null, { status: 307, headers: { location: "https://evil.example/mcp" } })
    ),
    landing: "unknown",
    reason: "upstream_refused_redirect",
    says: /another place/,
  },
  {
    what: "answers far too much",
    instead: onCall((message) =>
      rpcAnswer(message, result({ content: [{ type: "text", text: "x".repeat(1024 * 1024) }] }))
    ),
    landing: "unknown",
    reason: "upstream_too_large",
    says: /1048576 bytes/,
  },
  {
    what: "hangs",
    instead: (message) => message.method === "tools/call" ? HANGING.promise : null,
    landing: "unknown",
    reason: "upstream_timed_out",
    says: /in full within/,
    callMs: 1_000,
  },
  {
    what: "streams without an end",
    instead: onCall((message) =>
      streamOf(rpcEvent({ id: `not ${message.id}` }, result({})), { until: NEVER })
    ),
    landing: "unknown",
    reason: "upstream_timed_out",
    says: /in full within/,
    callMs: 1_000,
  },
  {
    what: "sends half of its answer",
    instead: onCall((message) =>
      streamOf(JSON.stringify(message).slice(0, 20), { until: NEVER, type: "application/json" })
    ),
    landing: "unknown",
    reason: "upstream_timed_out",
    says: /in full within/,
    callMs: 1_000,
  },
  {
    what: "asks back in its stream",
    instead: onCall((message) =>
      new Response(
        `data: ${
          JSON.stringify({ jsonrpc: "2.0", id: message.id!, method: "sampling/createMessage", params: {} })
        }\n\n`,
        {
          headers: { "content-type": "text/event-stream" },
        },
      )
    ),
    landing: "unknown",
    reason: "upstream_bad_answer",
    says: /asked something back/,
  },
];

for (const { what, instead, landing, reason, says, callMs } of HOSTILE_CALLS) {
  for (const era of ["modern", "legacy"] as const) {
    // The earlier revisions know no result but the one, and no types of it.
    if (era === "legacy" && /input|type that/.test(what)) continue;
    Deno.test(`executeMcp() sends a call once and tells what became of it where the server ${what} (${era})`, async () => {
      await withServer({ era, instead }, async (means, requests) => {
        const { landing: landed, answered } = await callSearch(means, era);
        assert(!answered.ok, JSON.stringify(answered));
        assertEquals([landed, answered.refusal.reason], [landing, reason], answered.refusal.detail);
        assertMatch(answered.refusal.detail ?? "", says);
        assert(!JSON.stringify(answered).includes(SERVER_TOKEN));
        assertEquals(methodsOf(requests).filter((method) => method === "tools/call").length, 1);
        for (const { headers } of requests) assertEquals(headers.get("host"), SERVER_HOST);
        if (what === "hangs" && era === "legacy") HANGING.resolve(new Response());
      }, { fresh: true, ...(callMs === undefined ? {} : { callMs }) });
    });
  }
}
