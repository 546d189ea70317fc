/** Tools on the workspace of a local stack, put there and called by its keys, for tests of the console's pages. */

import { assertEquals } from "@std/assert";
import type { JsonObject } from "../../supabase/functions/_shared/definition/json.ts";
import type { ReadyLine } from "./stack-process.ts";

export interface StackTools {
  /** Defines a file with the administrator's raw key, or with a partner's. */
  define(tool: JsonObject, options?: { asPartner?: boolean }): Promise<void>;
  /** Calls a tool with the administrator's raw key, whatever it answers. */
  // deno-lint-ignore no-explicit-any
  call(slug: string, args: JsonObject): Promise<{ status: number; body: any }>;
  /** The whole log of the workspace, as one text. */
  log(): Promise<string>;
}

export function toolsOn(stack: ReadyLine): StackTools {
  const ask = (path: string, { key = stack.api_key, body }: { key?: string; body?: unknown } = {}) =>
    fetch(stack.api + path, {
      method: body === undefined ? "GET" : "POST",
      headers: { "x-framed-api-key": key, "content-type": "application/json" },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
  return {
    async define(tool, { asPartner = false } = {}) {
      const response = await ask("/tools/define", {
        key: asPartner ? stack.reseller_key : stack.api_key,
        body: { workspace_id: stack.workspace_id, tool },
      });
      assertEquals(response.status, 200, await response.text());
    },
    async call(slug, args) {
      const response = await ask(`/tools/${slug}/call`, { body: { workspace_id: stack.workspace_id, args } });
      return { status: response.status, body: await response.json() };
    },
    async log() {
      return await (await ask(`/log/export?workspace_id=${stack.workspace_id}`)).text();
    },
  };
}
