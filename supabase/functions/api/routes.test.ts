/** What holds of every route there is, found by asking the app which ones it has: a new one is held to it too. */

import { assert, assertEquals, assertNotEquals } from "@std/assert";
import { openBookingFile } from "../../../scripts/testing/approvals.ts";
import { databaseTest } from "../../../scripts/testing/database.ts";
import { openFile } from "../../../scripts/testing/files.ts";
import { startUpstream } from "../../../scripts/testing/upstream.ts";
import { CRON_SECRET, openTestWorkspace } from "../../../scripts/testing/workspace.ts";
import { MAX_BODY_BYTES } from "../_shared/http/body.ts";
import { createApp } from "./app.ts";

const rows = Array.from({ length: 1_000 }, (_, id) => ({ id, supplier: "A supplier with a name" }));
const upstream = startUpstream(() => Response.json({ rows }));
const workspace = await openTestWorkspace({ upstreams: new Map([["rates.example", upstream.url]]) });
globalThis.addEventListener("unload", () => {
  workspace.close();
  upstream.close();
});
await workspace.define(openFile());
const called = await workspace.call("rates", { args: {} }, "admin");
await workspace.define(openBookingFile());
const proposed = await workspace.call("book", { args: { number: "2026-1" } }, "admin");

// Routes ask for nothing until they are asked.
const routes = createApp({} as never).routes
  // Connect's own speak OAuth and MCP, which have other forms than these: tests of theirs hold them.
  .filter(({ method, path }) => method !== "ALL" && !path.startsWith("/api/connect/"));

/** A route's path with a value in each place, under the base. */
function pathOf(route: string): string {
  const values: Record<string, string> = {
    slug: "rates",
    name: "CONNECTOR_RATES",
    workspace: workspace.id,
    user: workspace.people.second_admin,
    key: crypto.randomUUID(),
    token: crypto.randomUUID(),
    version: "1",
    handle: called.body.result_handle,
    id: proposed.body.approval_id,
  };
  return route.replace(/^\/api/, "").replace(/:(\w+)/g, (_, name) => {
    const value = values[name];
    assert(value, `${route}: this test knows no value for :${name}`);
    return value;
  });
}

/** The member of an answer that is a list, by what lists are called. */
const LISTS = [
  "tools",
  "versions",
  "reads",
  "approvals",
  "events",
  "findings",
  "workspaces",
  "members",
  "keys",
  "connect_tokens",
];

databaseTest(
  "every list that can be read has a cursor for its next page, and shows no more than it is asked",
  async () => {
    const seen: string[] = [];
    for (const { method, path } of routes) {
      // An export is one stream.
      // Nor is a tool's server one that this one has.
      if (method !== "GET" || path.endsWith("/export") || path.endsWith("/inner-tools")) continue;
      const target = pathOf(path);
      const query = /\/(workspaces|results)\b|\/approvals\/./.test(target)
        ? ""
        : `?workspace_id=${workspace.id}`;
      const { status, body, text } = await workspace.ask(target + query, { as: "admin" });
      assertEquals(status, 200, `${target}: ${text.slice(0, 300)}`);
      if (path.endsWith("/results/:handle")) {
        assert("next_offset" in body);
        continue;
      }
      const list = LISTS.find((name) => Array.isArray(body[name]));
      if (list === undefined) continue;
      seen.push(list);
      assert("next_cursor" in body, `${path} lists ${list} without next_cursor`);
      const one =
        (await workspace.ask(`${target}${query}${query === "" ? "?" : "&"}limit=1`, { as: "admin" })).body;
      assertEquals([path, one[list].length], [path, Math.min(1, body[list].length)]);
      if (body[list].length > 1) assertNotEquals(one.next_cursor, null, path);
    }
    assert(
      ["tools", "reads", "events", "workspaces", "members", "keys", "connect_tokens"].every((list) =>
        seen.includes(list)
      ),
      String(seen),
    );
  },
);

const takesBody = routes.filter(({ method }) => ["POST", "PUT", "PATCH"].includes(method));

/** Sends `body` to each route that takes one, as who may. */
function toEach(body: string) {
  return takesBody.map(({ method, path }) => ({
    path,
    ask: () =>
      workspace.ask(pathOf(path), {
        as: path.endsWith("/cron/tick") ? "nobody" : "admin",
        method,
        body,
        headers: path.endsWith("/cron/tick") ? { authorization: `Bearer ${CRON_SECRET}` } : {},
      }),
  }));
}

databaseTest("every route that takes a body refuses one over 1 MiB", async () => {
  const start = `{"workspace_id":"${workspace.id}","x":"`;
  const body = `${start}${"x".repeat(MAX_BODY_BYTES - start.length)}"}`;
  for (const { path, ask } of toEach(body)) {
    const { status, body } = await ask();
    assertEquals([path, status, body.reason], [path, 413, "body_too_large"]);
  }
});

databaseTest(
  "every route that takes a body refuses what is nested too deep, in words: 200 levels, and around a file one more",
  async () => {
    for (const levels of [201, 100_000]) {
      const deep = `{"workspace_id":"${workspace.id}","x":${"[".repeat(levels)}${"]".repeat(levels)}}`;
      for (const { path, ask } of toEach(deep)) {
        const { status, body } = await ask();
        assertEquals([path, status], [path, 400]);
        assert(
          body.problems.some((line: string) => /20[01] levels/.test(line)),
          `${path}: ${JSON.stringify(body)}`,
        );
      }
    }
  },
);
