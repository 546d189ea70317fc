/** Connect's MCP endpoint: who asks and from where, then the host tools, for one request after the other. */

import type { Presented } from "../auth/principal.ts";
import { createDefinitions } from "../calls/definitions.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "../definition/json.ts";
import type { Problem } from "../definition/problem.ts";
import { answerRefusal, occasionOf, refusalOfError, type RequestContext } from "../http/app.ts";
import { asAnyone } from "../http/as-principal.ts";
import { MAX_BODY_LEVELS, readJson, refuseProblems } from "../http/body.ts";
import { readPresented, UNAUTHENTICATED } from "../http/presented.ts";
import type { CallServices } from "../http/services.ts";
import { challenge } from "../oauth/challenge.ts";
import type { Roof } from "../oauth/place.ts";
import { ok, type Refusal, type Result } from "../outcome/result.ts";
import { ownPlaces, refuseForeign } from "./caller-place.ts";
import { createEndpoint } from "./endpoint.ts";
import { buildHostServer, type RunCall } from "./host-server.ts";
import { isHostTool } from "./host-tools.ts";
import { forbid, refuseMessage } from "./protocol-error.ts";
import { runHostTool } from "./run-host-tool.ts";
import { type HostResult, tell } from "./tell.ts";
import { createWorkspaceFinder } from "./which-workspace.ts";

/** Answers a request of the endpoint. */
export type ServeConnect = (c: RequestContext) => Promise<Response>;

/** Arguments stand three levels deeper in a message than in the body of the API, and a batch is one more. */
const MAX_MESSAGE_LEVELS = MAX_BODY_LEVELS + 3;

/** What is known of a request while it is answered. */
interface Asking {
  readonly run: RunCall;
  readonly argumentsOf: (args: JsonValue) => Result<JsonValue>;
}

/**
 * The endpoint under a roof. It holds nothing between two requests but what any function does: definitions it saw, and
 * which workspace a key is good for.
 *
 * Refuses, in this order: a foreign Host or Origin with 403; what does not say who calls with 401, and so whatever was
 * presented that is not valid now, so that a host signs in anew; a body that is no message; what the protocol refuses. A
 * session is no way in: a token made out for another audience is none here. Everything after that is a host tool's answer.
 */
export function serveConnect(services: CallServices, { roof }: { roof: Roof }): ServeConnect {
  const { connect, telemetry, egress } = services;
  const places = ownPlaces({
    urls: [connect.issuer, ...Object.values(connect.roofs), services.consoleUrl],
    consoleOrigins: services.consoleOrigins,
  });
  const means = {
    ...services,
    egress: telemetry?.traceEgress(egress) ?? egress,
    definitions: createDefinitions(),
    findOnlyWorkspace: createWorkspaceFinder(services),
  };
  const askings = new WeakMap<Request, Asking>();
  const endpoint = createEndpoint({
    build(request) {
      const asking = askings.get(request);
      if (asking === undefined) throw new Error("a request that nobody let in");
      return buildHostServer(asking.run, asking.argumentsOf);
    },
    streams: hearsProgress,
  });

  const refuse = (c: RequestContext, refusal: Refusal, { invalid }: { invalid: boolean }) =>
    answerRefusal(
      c,
      refusal,
      refusal.reason === "unauthenticated"
        ? { "www-authenticate": challenge(connect.roofs[roof], { invalid }) }
        : {},
    );

  const findSomebody = (presented: Presented) =>
    asAnyone(presented, { services, work: () => Promise.resolve(ok(null)) });

  return async function serve(c) {
    const request = c.req.raw;
    const foreign = refuseForeign(request, places);
    if (foreign !== null) return forbid(foreign);

    const presented = await readPresented(request.headers, services);
    if (!presented.ok || "user_id" in presented.value) {
      const invalid = ["x-framed-api-key", "authorization"].some((name) => request.headers.has(name));
      return refuse(c, UNAUTHENTICATED.refusal, { invalid });
    }
    const body = await readJson(request, { maxLevels: MAX_MESSAGE_LEVELS });
    if (!body.ok) return refuseMessage(body.refusal);
    const { value: message, problems } = body.value;
    const isCall = isHostCall(message);
    const ambiguous = problems.length === 0 ? null : refuseProblems(problems);
    if (ambiguous !== null && !(isCall && problems.every(isOfArguments))) {
      return refuseMessage(ambiguous.refusal, message);
    }
    // A call asks the store by itself who calls, at no round trip of its own.
    if (!isCall) {
      const known = await findSomebody(presented.value);
      if (!known.ok) return refuse(c, known.refusal, { invalid: true });
    }

    const told = { unauthenticated: false };
    const running: Promise<HostResult>[] = [];
    const letIn = Promise.withResolvers<void>();
    askings.set(request, {
      argumentsOf: (args) => ambiguous ?? ok(args),
      run({ onAdmitted, ...asked }) {
        const result = runToWords(c, {
          means,
          presented: presented.value,
          told,
          asked: {
            ...asked,
            onAdmitted() {
              letIn.resolve();
              onAdmitted?.();
            },
          },
        });
        running.push(result);
        return result.finally(letIn.resolve);
      },
    });
    const response = await endpoint.answer(request, message);
    // The caller is gone: what was under way is ended in order before this process may be.
    if (response.status === 499) await Promise.allSettled(running);
    const held = isCall ? await holdBack(response, letIn.promise) : response;
    // What the protocol refused by itself has asked nobody who calls.
    const known = isCall && running.length === 0 ? await findSomebody(presented.value) : ok(null);
    const refused = told.unauthenticated ? UNAUTHENTICATED : known;
    if (refused.ok) return held;
    await held.body?.cancel();
    return refuse(c, refused.refusal, { invalid: true });
  };
}

/** A stream only once `until` has settled, or it says something by itself: what has begun cannot be taken back. */
async function holdBack(response: Response, until: Promise<void>): Promise<Response> {
  const { body, headers } = response;
  if (body === null || !headers.get("content-type")?.startsWith("text/event-stream")) return response;
  const [watched, passed] = body.tee();
  const reader = watched.getReader();
  await Promise.race([until, reader.read()]);
  reader.cancel().catch(() => {});
  return new Response(passed, response);
}

type Means = Parameters<typeof runHostTool>[0];
type AskedOf = Parameters<RunCall>[0];

async function runToWords(
  c: RequestContext,
  { means, presented, asked: { tool, args, ...waiting }, told }: {
    means: Means;
    presented: Presented;
    asked: AskedOf;
    told: { unauthenticated: boolean };
  },
): Promise<HostResult> {
  const call = { presented, occasion: occasionOf(c), ...waiting };
  const answered = await runHostTool(means, { tool, args, call })
    // An error that nobody expected would be told to the host by its message.
    .catch((error) => ({ ok: false as const, refusal: refusalOfError(c, error) }));
  if (!answered.ok) {
    c.set("refused", answered.refusal.reason);
    if (answered.refusal.reason === "unauthenticated") told.unauthenticated = true;
  }
  return tell(answered, { requestId: c.get("requestId"), tool });
}

/** One call of a host tool, which is decided in the order every request is. */
function isHostCall(message: JsonValue): boolean {
  if (!isJsonObject(message) || message.method !== "tools/call") return false;
  const { params } = message;
  return isJsonObject(params ?? null) && isHostTool(String((params as JsonObject).name));
}

/** Of the arguments of a call, so that its answer can say so; anything else leaves open what the message is. */
function isOfArguments({ path: [first, second] }: Problem): boolean {
  return first === "params" && second === "arguments";
}

/** Whether a call in it asks to hear of its progress. */
function hearsProgress(body: unknown): boolean {
  return (Array.isArray(body) ? body : [body]).some((message) => {
    const params = isJsonObject(message) ? message.params : null;
    const meta = isJsonObject(params) ? params._meta : null;
    return isJsonObject(meta) && meta.progressToken !== undefined;
  });
}
