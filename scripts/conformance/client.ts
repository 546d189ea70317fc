/**
 * The client that the official conformance suite tests: our kind `mcp`, over the guarded way out, which is led to
 * loopback. It lists a server's tools and calls them, as a call of a tool does, and nothing else: what a scenario wants
 * beyond that stands in the baseline. What the suite starts once a scenario is `client-relay.ts`.
 */

import type { McpTool } from "../../supabase/functions/_shared/definition/format.ts";
import {
  isJsonObject,
  type JsonObject,
  type JsonValue,
} from "../../supabase/functions/_shared/definition/json.ts";
import { createEgress } from "../../supabase/functions/_shared/egress/guarded-fetch.ts";
import type { ToldTool } from "../../supabase/functions/_shared/inner-tools/inner-tool.ts";
import type { Means } from "../../supabase/functions/_shared/kinds/kind.ts";
import { executeMcp } from "../../supabase/functions/_shared/kinds/mcp.ts";
import { listServerTools } from "../../supabase/functions/_shared/kinds/mcp-list.ts";
import { ok, type Refusal } from "../../supabase/functions/_shared/outcome/result.ts";
import { serve, type Served } from "./servers.ts";

/** One call of a tool that the server lists. */
interface InnerCall {
  readonly name: string;
  readonly arguments: JsonObject;
}

/** What the suite says of a scenario in its environment. */
interface Scenario {
  readonly name: string;
  /** The calls it asks for by itself; null where it leaves them to its documentation. */
  readonly calls: readonly InnerCall[] | null;
}

const HOST = "scenario.example";
const TIMEOUT_MS = 20_000;

/** Lists and calls what is at `url`; what was refused, in order. */
async function playScenario(url: URL, scenario: Scenario): Promise<Refusal[]> {
  const tool: McpTool = {
    format: "framed-tool/1",
    slug: "conformance",
    name: "Conformance",
    description: "The server of a scenario.",
    kind: "mcp",
    mcp: { url: `https://${HOST}${url.pathname}` },
  };
  const egress = createEgress({ upstreams: new Map([[HOST, new URL(`http://127.0.0.1:${url.port}`)]]) });
  const means: Means = {
    egress,
    openCredentials: () => Promise.resolve(ok(NO_CREDENTIALS)),
    timeLeftMs: () => TIMEOUT_MS,
    now: () => new Date(),
  };
  try {
    const listed = await listServerTools(tool, means);
    if (!listed.ok) return [listed.refusal];
    const { era, tools } = listed.value;
    const refused: Refusal[] = [];
    for (const { name, arguments: args } of scenario.calls ?? callsOf(scenario.name, tools)) {
      const inputSchema = tools.find((told) => told.name === name)?.inputSchema;
      // No call goes out of a tool that its server does not list.
      if (inputSchema === undefined) continue;
      const { answered } = await executeMcp(tool, {
        call: { args: { action: "call", tool: name, arguments: args } },
        means,
        server: { era, inputSchema },
      });
      if (!answered.ok) refused.push(answered.refusal);
    }
    return refused;
  } finally {
    await egress.close();
  }
}

const NO_CREDENTIALS = {
  values: new Map(),
  names: new Map(),
  redact: { text: (text: string) => text, json: <T>(value: T) => value },
};

/** Every tool once, with arguments that its schema asks for. */
function callsOf(scenario: string, tools: readonly ToldTool[]): InnerCall[] {
  if (scenario === "json-schema-2020-12-preservation") {
    // The server is to see what became of the first tool's schema on its way here.
    const schema = tools.find(({ name }) => name === "json_schema_2020_12_tool")?.inputSchema ?? {};
    return [{ name: "json_schema_echo", arguments: { schema } }];
  }
  return tools.map(({ name, inputSchema }) => ({ name, arguments: sampleOf(inputSchema) }));
}

const SAMPLES: Readonly<Record<string, JsonValue>> = {
  string: "one",
  number: 1,
  integer: 1,
  boolean: true,
  array: [],
  object: {},
  null: null,
};

function sampleOf({ properties, required }: JsonObject): JsonObject {
  const wanted = Array.isArray(required) ? required.map(String) : [];
  return Object.fromEntries(wanted.map((name) => {
    const schema = isJsonObject(properties) ? properties[name] : undefined;
    const type = isJsonObject(schema ?? null) ? String((schema as JsonObject).type) : "string";
    return [name, SAMPLES[type] ?? "one"];
  }));
}

/** What the program that the suite starts passes on of its start. */
export interface Started {
  /** Of the scenario's server. */
  readonly url: string;
  readonly scenario: string;
  /** JSON, empty where the suite says nothing. */
  readonly context: string;
}

/** Plays every scenario that is posted to it, each at once and on a way out of its own, and answers what was refused. */
export function serveClient(): Served {
  return serve(async (request) => {
    const { url, scenario, context }: Started = await request.json();
    const calls = JSON.parse(context || "{}").toolCalls ?? null;
    return Response.json(await playScenario(new URL(url), { name: scenario, calls }));
  });
}
