import { assertEquals } from "@std/assert";
import { fileURLToPath } from "node:url";
import { loadedPackages, unversioned } from "./loaded-packages.ts";

const FUNCTIONS = fileURLToPath(new URL("../../supabase/functions", import.meta.url));

const EVERY = ["hono", "hono/cors", "postgres", "zod"];
/** What a file is checked with, and what a call fills its request with. */
const DEFINITIONS = ["re2js", "tldts"];
const EGRESS = ["undici/lib/core/connect.js", "undici/lib/dispatcher/pool.js"];

/** What each function needs before its first answer, and no more: all of it is time that a cold start takes. */
const NEEDED: Readonly<Record<string, readonly string[]>> = {
  api: [...EVERY, ...DEFINITIONS, ...EGRESS],
  approval: [...EVERY, ...DEFINITIONS, ...EGRESS],
  connect: [...EVERY, ...EGRESS],
  cron: [...EVERY, ...DEFINITIONS, ...EGRESS],
  define: [...EVERY, ...DEFINITIONS],
  "read-back": EVERY,
  secrets: EVERY,
  "tool-call": [...EVERY, ...DEFINITIONS, ...EGRESS],
  workspace: EVERY,
};

for await (const { name } of Deno.readDir(FUNCTIONS)) {
  const index = `${FUNCTIONS}/${name}/index.ts`;
  if (!await Deno.stat(index).then(() => true, () => false)) continue;
  Deno.test(`loadedPackages() of the function ${name} are those it needs`, async () => {
    const { atStart, later } = await loadedPackages(index);
    assertEquals(atStart.map(unversioned), [...NEEDED[name] ?? []].sort());
    // For a session; for traces, which take the domain of a host apart, where they are wanted; where calls are, for a call
    // of an outside MCP server; and for Connect's endpoint, which calls tools, all of it with its first request.
    const atSomeTime = ["@opentelemetry/api", "@supabase/auth-js", "tldts"];
    if (name === "connect") atSomeTime.splice(2, 0, "re2js");
    if (name === "connect" || name === "api") atSomeTime.unshift("@modelcontextprotocol/server");
    if (name === "connect") atSomeTime.unshift("@modelcontextprotocol/client");
    if (NEEDED[name]?.includes("re2js")) atSomeTime.unshift("@modelcontextprotocol/client");
    assertEquals(later.map(unversioned), atSomeTime.filter((wanted) => !NEEDED[name]?.includes(wanted)));
  });
}
