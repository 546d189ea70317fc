/** The servers that the bench of a call compares, each in a process of its own: `call-servers.ts <name> <options>`. */

import { fileURLToPath } from "node:url";
import { createMcpHandler, McpServer } from "@modelcontextprotocol/server";
import { Hono } from "hono";
import { Pool } from "undici";
import * as z from "zod";
import { openDatabase } from "../../supabase/functions/_shared/db/client.ts";
import { createEgress } from "../../supabase/functions/_shared/egress/guarded-fetch.ts";
import { NO_LIMITS } from "../testing/limits.ts";
import { type CallServices, createServices } from "../../supabase/functions/_shared/http/services.ts";
import { createApp as createConnect } from "../../supabase/functions/connect/app.ts";
import { createApp } from "../../supabase/functions/tool-call/app.ts";

/**
 * The function itself, a bare proxy, and that proxy with two transactions or two statements a call; the same read through
 * Connect, and a bare MCP server whose tool does nothing.
 */
export type ServerName = "tool-call" | "proxy" | "proxy-begin" | "proxy-select" | "connect" | "mcp";

export interface ServerOptions {
  readonly databaseUrl: string;
  readonly keyRingText: string;
  /** Where the upstream really is. */
  readonly upstream: string;
}

export interface Served {
  readonly url: string;
  readonly pid: number;
  stop(): Promise<void>;
}

/** Starts the server of that name as a process of the program `deno`, and returns when it listens. */
export async function startBenchServer(
  name: ServerName,
  { deno, ...options }: ServerOptions & { deno: string },
): Promise<Served> {
  const child = new Deno.Command(deno, {
    args: [
      "run",
      "-A",
      "--no-check",
      "--no-lock",
      "--node-modules-dir=none",
      fileURLToPath(import.meta.url),
      name,
      JSON.stringify(options),
    ],
    stdin: "piped",
    stdout: "piped",
    stderr: "inherit",
  }).spawn();
  const reader = child.stdout.pipeThrough(new TextDecoderStream()).getReader();
  const { value } = await reader.read();
  if (value === undefined) throw new Error(`${name} ended before it listened`);
  return {
    url: value.trim(),
    pid: child.pid,
    // It ends with its standard input, so that it cannot outlive the bench.
    async stop() {
      await child.stdin.close();
      await child.status;
      await reader.cancel();
    },
  };
}

type Handler = (request: Request) => Response | Promise<Response>;

async function callServices({ databaseUrl, keyRingText, upstream }: ServerOptions): Promise<CallServices> {
  const services = await createServices({
    databaseUrl,
    keyRingText,
    supabaseUrl: "http://127.0.0.1:1",
    publishableKey: "unused",
    consoleUrl: "https://console.example",
    consoleOrigins: [],
    limits: NO_LIMITS,
  });
  const egress = createEgress({ upstreams: new Map([["ledger.example", new URL(upstream)]]) });
  return { ...services, egress };
}

function mcp(): Handler {
  const tool = z.object({ supplier: z.string() });
  const handler = createMcpHandler(() => {
    const server = new McpServer({ name: "bare", version: "1.0.0" });
    server.registerTool("framed_read", { inputSchema: z.object({ tool: z.string(), args: tool }) }, () => ({
      content: [{ type: "text" as const, text: "trivial" }],
      structuredContent: { number: "2026-0019" },
    }));
    return server;
  });
  return (request) => handler.fetch(request);
}

function proxy(upstream: string, around: () => Promise<unknown> = () => Promise.resolve()): Handler {
  const pool = new Pool(new URL(upstream).origin, { connections: 8 });
  const app = new Hono();
  app.post("/tool-call/tools/:slug/call", async (c) => {
    const { args } = await c.req.json();
    await around();
    const { body } = await pool.request({
      path: `/api/invoices?supplier=${encodeURIComponent(args.supplier)}`,
      method: "GET",
    });
    const answer = await body.json();
    await around();
    return c.json({ ok: true, result: answer });
  });
  return app.fetch as Handler;
}

async function handlerOf(name: ServerName, options: ServerOptions): Promise<Handler> {
  switch (name) {
    case "tool-call":
      return createApp(await callServices(options)).fetch;
    case "connect":
      return createConnect(await callServices(options)).fetch;
    case "mcp":
      return mcp();
    case "proxy":
      return proxy(options.upstream);
    case "proxy-begin": {
      const db = openDatabase(options.databaseUrl);
      return proxy(options.upstream, () => db.begin((tx) => tx`select 1`));
    }
    case "proxy-select": {
      const db = openDatabase(options.databaseUrl);
      return proxy(options.upstream, () => db`select 1`);
    }
    default:
      name satisfies never;
      throw new TypeError("unknown server");
  }
}

if (import.meta.main) {
  const [name, options] = Deno.args;
  const handler = await handlerOf(name as ServerName, JSON.parse(options!));
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen() {} }, handler);
  console.log(`http://127.0.0.1:${server.addr.port}`);
  for await (const _ of Deno.stdin.readable);
  Deno.exit(0);
}
