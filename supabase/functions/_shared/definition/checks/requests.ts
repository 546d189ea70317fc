/** Every request a file makes: its own, those of its capabilities, and the address of an mcp server. Pure. */

import { CREDENTIAL_KEYS, type CredentialKey } from "../credentials.ts";
import { requestFormat } from "../format-request.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "../json.ts";
import type { Path, Problem } from "../problem.ts";
import { checkRequest, findOverlong, hostOf, type RequestTemplate, usedCredentials } from "../request.ts";
import { givenCredentials } from "./auth.ts";
import { type Draft, listOf, objectOf } from "./draft.ts";

export interface RequestsCheck {
  readonly problems: Problem[];
  /** The credentials that any of the requests uses. */
  readonly used: ReadonlySet<CredentialKey>;
  /** The request of a call, `null` when the file has none for it, or one with problems. */
  readonly requestOf: (call: { capability: unknown; operation: unknown }) => RequestTemplate | null;
}

const NO_REQUESTS = { used: new Set<CredentialKey>(), requestOf: () => null };

interface DraftRequest {
  readonly path: Path;
  readonly request: JsonValue;
  /** Whether a call cannot reach this request without an `id`. */
  readonly forGet: boolean;
}

/** What is wrong with each request by itself, with its method on a read, and between their hosts. */
export function checkRequests(draft: Draft): RequestsCheck {
  switch (draft.kind) {
    case "fixture":
      return { ...NO_REQUESTS, problems: [] };
    case "mcp":
      return { ...NO_REQUESTS, problems: checkServer(draft) };
    case "request":
      return checkOwnRequests(draft);
    default:
      return draft.kind satisfies never;
  }
}

function checkOwnRequests(draft: Draft): RequestsCheck {
  const problems: Problem[] = [];
  const used = new Set<CredentialKey>();
  const own = checkOne(draft, {
    path: ["request"],
    request: draft.file.request ?? null,
    forGet: onlyGetUses(draft),
  });
  const ofCapabilities = capabilityRequests(draft).map((request) => ({
    ...request,
    ...checkOne(draft, request),
  }));
  for (const one of [own, ...ofCapabilities]) {
    for (const problem of one.problems) problems.push(problem);
    for (const key of one.used) used.add(key);
    if (one.host !== null && own.host !== null && one.host !== own.host) {
      problems.push({
        path: [...one.path, "url"],
        says: `names another host than request.url; all requests of a tool go to one host`,
      });
    }
  }
  return {
    problems,
    used,
    requestOf: (call) => {
      const one = ofCapabilities.find(({ capability, operation }) =>
        capability === call.capability && operation === call.operation
      );
      return (one ?? own).sound;
    },
  };
}

interface CheckedRequest {
  readonly path: Path;
  readonly problems: Problem[];
  readonly used: ReadonlySet<CredentialKey>;
  /** `null` when the address is not one. */
  readonly host: string | null;
  /** The request when nothing is wrong with it. */
  readonly sound: RequestTemplate | null;
}

function checkOne(draft: Draft, { path, request, forGet }: DraftRequest): CheckedRequest {
  const { names, near, required } = draft.arguments;
  const context = {
    names,
    near,
    required: forGet ? new Set([...required, "id"]) : required,
    credentials: givenCredentials(draft),
  };
  if (!isJsonObject(request)) return { path, problems: [], used: new Set(), host: null, sound: null };
  const problems = checkRequest(request, { path, context });
  const written = problems.length === 0 ? templateOf(request) : null;
  problems.push(...checkLength(written, path));
  const sound = problems.length === 0 ? written : null;
  const urlIsSound = typeof request.url === "string" &&
    !problems.some(({ path: at }) => at[path.length] === "url");
  return {
    path,
    problems: [...problems, ...checkReadMethod(draft, { path, request })],
    used: sound === null ? mentionedCredentials(request) : usedCredentials(sound),
    sound,
    host: urlIsSound ? hostOf(request.url as string) : null,
  };
}

/** `request` as a template, `null` when it has not the form of one. */
function templateOf(request: JsonObject): RequestTemplate | null {
  return requestFormat().safeParse(request).success ? request as unknown as RequestTemplate : null;
}

/** What no call of a sound request could ever send. */
function checkLength(request: RequestTemplate | null, path: Path): Problem[] {
  if (request === null) return [];
  const keys = { address: "url", headers: "headers", body: "body" } as const;
  return findOverlong(request).map(({ part, says }) => ({ path: [...path, keys[part]], says }));
}

/** A read by POST waits, or is marked by an administrator. There is no read by a method that changes things. */
function checkReadMethod(
  { access }: Draft,
  { path, request }: { path: Path; request: JsonObject },
): Problem[] {
  const { method } = request;
  if (access !== "read" || (method !== "PUT" && method !== "PATCH" && method !== "DELETE")) return [];
  return [{
    path: [...path, "method"],
    says:
      `found "${method}" with access "read"; a read is GET, HEAD or POST, anything else is access "write"`,
  }];
}

/** In a request that is wrong somewhere, what is named counts as used: the other problem comes first. */
function mentionedCredentials(request: JsonObject): ReadonlySet<CredentialKey> {
  const text = JSON.stringify(request);
  return new Set(CREDENTIAL_KEYS.filter((key) => text.includes(`{{${key}`)));
}

function capabilityRequests(draft: Draft) {
  return (draft.capabilities ?? []).flatMap((capability, at) => {
    const { id, requests: found } = objectOf(capability);
    const requests = objectOf(found);
    return (["list", "get"] as const).filter((operation) => Object.hasOwn(requests, operation)).map((
      operation,
    ) => ({
      path: ["capabilities", at, "requests", operation],
      request: requests[operation]!,
      forGet: operation === "get",
      capability: id,
      operation,
    }));
  });
}

/** Whether the tool's own request is reached by `get` alone, which never goes without an `id`. */
function onlyGetUses({ capabilities }: Draft): boolean {
  const operations = (capabilities ?? []).flatMap((capability) => {
    const { operations, requests } = objectOf(capability);
    return listOf(operations).filter((operation) =>
      typeof operation === "string" && !Object.hasOwn(objectOf(requests), operation)
    );
  });
  return operations.length > 0 && operations.every((operation) => operation === "get");
}

/** An mcp server is reached by POST and takes no arguments in its address; its headers obey the same rules. */
function checkServer(draft: Draft): Problem[] {
  const { mcp } = draft.file;
  if (!isJsonObject(mcp)) return [];
  const { url, headers } = mcp;
  const address = typeof url === "string" ? url.replace(/[{}]/g, "x") : url;
  const request = { method: "POST", body: {}, idempotency_header: null, url: address, headers };
  const context = {
    names: new Set<string>(),
    required: new Set<string>(),
    credentials: givenCredentials(draft),
    server: true,
  };
  const problems = checkRequest(request, { path: ["mcp"], context });
  if (problems.length === 0) problems.push(...checkLength(templateOf(request as JsonObject), ["mcp"]));
  if (address === url) return problems;
  return [
    { path: ["mcp", "url"], says: "found a brace; no call fills this address, write it out" },
    ...problems,
  ];
}
