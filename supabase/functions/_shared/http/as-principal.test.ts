import { assertEquals } from "@std/assert";
import { databaseTest } from "../../../../scripts/testing/database.ts";
import { NO_LIMITS } from "../../../../scripts/testing/limits.ts";
import { type CallerName, openTestWorkspace } from "../../../../scripts/testing/workspace.ts";
import { requireConnectorGrant } from "../auth/principal.ts";
import { ok, refuse } from "../outcome/result.ts";
import { answerJson, answerResult, createHttpApp, createRoutes } from "./app.ts";
import { asPerson, asPrincipal } from "./as-principal.ts";
import { createServices } from "./services.ts";

const workspace = await openTestWorkspace();
const services = {
  ...await createServices({
    databaseUrl: workspace.database.url,
    supabaseUrl: "http://127.0.0.1:1",
    publishableKey: "unused",
    consoleUrl: "https://console.example",
    consoleOrigins: [],
    limits: NO_LIMITS,
  }),
  verifySession: (token: string) =>
    Promise.resolve(token.startsWith("session.") ? token.slice("session.".length) : null),
};
globalThis.addEventListener("unload", async () => {
  await services.close();
  await workspace.close();
});

let looks = 0;
function shape() {
  looks++;
  return refuse("bad_request", { detail: "A fault that only who may ask is told." });
}

const app = createHttpApp("shaped", services, [() =>
  createRoutes()
    .get("/here", async (c) =>
      answerResult(
        c,
        await asPrincipal(c, {
          services,
          workspaceId: workspace.id,
          authority: requireConnectorGrant,
          shape,
          work: () => Promise.resolve(ok(true)),
        }),
        (value) => answerJson(c, { value }),
      ))
    .get("/own", async (c) =>
      answerResult(
        c,
        await asPerson(c, { services, shape, work: () => Promise.resolve(ok(true)) }),
        (value) => answerJson(c, { value }),
      ))]);

databaseTest("who may not ask is refused before the shape of what they ask is looked at", async () => {
  const { people, keys } = workspace;
  const cases: [path: string, credentials: Record<string, string>, reason: string, looks: number][] = [
    ["/here", {}, "unauthenticated", 0],
    ["/here", { "x-framed-api-key": "frk_live_no" }, "unauthenticated", 0],
    ["/here", session("bare_member"), "grant_missing", 0],
    ["/here", session("member"), "bad_request", 1],
    ["/own", {}, "unauthenticated", 0],
    ["/own", { "x-framed-api-key": keys.admin_key }, "person_required", 0],
    ["/own", session("stranger"), "bad_request", 1],
  ];
  for (const [path, headers, reason, looked] of cases) {
    looks = 0;
    const { body } = await ask(path, headers);
    assertEquals([body.reason, looks], [reason, looked], path);
  }

  function session(caller: CallerName & keyof typeof people) {
    return { authorization: `Bearer session.${people[caller]}` };
  }
});

async function ask(path: string, headers: Record<string, string>) {
  const response = await app.request(`/shaped${path}`, { headers });
  return { body: await response.json() };
}
