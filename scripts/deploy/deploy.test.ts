/** The functions as the real Supabase CLI deploys them: what it uploads, and each started from exactly that. */

import { assert, assertEquals } from "@std/assert";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { generateKeyRing } from "../../supabase/functions/_shared/secrets/key-ring.ts";
import { startOtlpReceiver } from "../testing/otlp-receiver.ts";
import { startStackProcess } from "../testing/stack-process.ts";
import { bundle } from "./bundle.ts";
import { startManagementApi, type Upload } from "./management-api.ts";
import { runSupabase } from "./supabase-cli.ts";
import { startUploaded } from "./uploaded-function.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const PROJECT_REF = "abcdefghijklmnopqrst";
/** What the platform takes of a function's bundle, which travels compressed. */
const MAX_BUNDLE_BYTES = 5_000_000;
const CRON_SECRET = "an-operators-own-secret";

const home = await Deno.makeTempDir({ prefix: "framed-deploy-" });
const uploads = await deploy();
globalThis.addEventListener("unload", () => Deno.removeSync(home, { recursive: true }));

async function deploy(): Promise<ReadonlyMap<string, Upload>> {
  const api = startManagementApi();
  try {
    const { code, stderr } = await runSupabase([
      "functions",
      "deploy",
      "--use-api",
      `--remote=${PROJECT_REF}`,
    ], {
      project: ROOT,
      home,
      apiUrl: api.url,
    });
    assertEquals(code, 0, stderr);
    return api.uploads;
  } finally {
    await api.close();
  }
}

Deno.test("supabase functions deploy uploads every function, with the import map and without a JWT asked for", () => {
  const functions = [...Deno.readDirSync(join(ROOT, "supabase/functions"))].map(({ name }) => name)
    .filter((name) => name !== "_shared" && exists(join(ROOT, "supabase/functions", name, "index.ts")));
  assertEquals([...uploads.keys()].sort(), functions.sort());
  for (const [name, { metadata }] of uploads) {
    assertEquals(
      { ...metadata },
      {
        name,
        entrypoint_path: `supabase/functions/${name}/index.ts`,
        import_map_path: "deno.json",
        static_patterns: [],
        verify_jwt: false,
      } as Upload["metadata"],
    );
  }
});

Deno.test("supabase functions deploy uploads the import map and modules of the functions, and no test, script or example", () => {
  for (const [name, { files }] of uploads) {
    const odd = [...files.keys()].filter((path) =>
      path !== "deno.json" &&
      !(/^supabase\/functions\/[\w/-]+\.ts$/.test(path) && !/testdata|testing|\.test\./.test(path))
    );
    assertEquals(odd, [], name);
  }
});

Deno.test("each function with its packages stays under what the platform takes, and far under as it travels", async () => {
  for (const [name, { files }] of uploads) {
    const bundled = await bundle(join(ROOT, "supabase/functions", name, "index.ts"));
    const compressed = await new Response(
      new Blob([bundled]).stream().pipeThrough(new CompressionStream("gzip")),
    ).bytes();
    const sizes = {
      uploaded: [...files.values()].reduce((sum, { byteLength }) => sum + byteLength, 0),
      bundled: bundled.length,
      compressed: compressed.length,
    };
    const shown = Object.entries(sizes).map(([what, bytes]) => `${Math.round(bytes / 1000)} kB ${what}`);
    console.log(`${name}: ${files.size} files, ${shown.join(", ")}`);
    assert(sizes.bundled > sizes.uploaded / 10, `${name} is hardly bundled`);
    assert(sizes.bundled < MAX_BUNDLE_BYTES, `${name} is ${sizes.bundled} bytes`);
    assert(sizes.compressed < MAX_BUNDLE_BYTES / 4, `${name} is ${sizes.compressed} bytes compressed`);
  }
});

Deno.test("each function starts from what was uploaded and nothing else, and answers", async (t) => {
  const stack = startStackProcess(["--ephemeral", "--port", "0"]);
  const receiver = startOtlpReceiver();
  try {
    const ready = await stack.ready;
    const env = {
      // What traces and counts is loaded where it is wanted, so it has to have been uploaded.
      OTEL_EXPORTER_OTLP_ENDPOINT: receiver.settings.endpoint,
      SUPABASE_URL: new URL(ready.auth).origin,
      SUPABASE_DB_URL: ready.database,
      SUPABASE_ANON_KEY: ready.publishable_key,
      FRAMED_SECRET_KEYS: generateKeyRing("k1"),
      FRAMED_CRON_SECRET: CRON_SECRET,
    };
    const key = { "x-framed-api-key": ready.api_key };
    const admin = { authorization: `Bearer ${await signIn(ready.auth, ready)}` };
    const workspace = ready.workspace_id;
    /** Asked in this order. What has no line here is only asked for a path that it does not have. */
    const calls: Record<
      string,
      [method: string, path: string, headers: HeadersInit, body: unknown, status: number][]
    > = {
      define: [
        ["POST", "/define", key, { workspace_id: workspace, tool: FIXTURE }, 200],
        ["POST", "/define", key, { workspace_id: workspace, tool: LIVE }, 200],
      ],
      secrets: [
        ["PUT", "/secrets/tools/live/secrets/CONNECTOR_LIVE", admin, {
          workspace_id: workspace,
          value: "a-value-of-the-secret",
        }, 204],
      ],
      "tool-call": [["POST", "/tool-call/tools/rates/call", key, { workspace_id: workspace, args: {} }, 200]],
      approval: [["GET", `/approval/approvals?workspace_id=${workspace}`, admin, undefined, 200]],
      "read-back": [["GET", `/read-back/tools/live?workspace_id=${workspace}`, key, undefined, 200]],
      workspace: [["GET", "/workspace/workspaces", admin, undefined, 200]],
      connect: [
        ["GET", "/connect/.well-known/openid-configuration", {}, undefined, 200],
        ["POST", "/connect/register", {}, { redirect_uris: ["http://localhost/callback"] }, 201],
      ],
      cron: [["POST", "/cron/tick", { authorization: `Bearer ${CRON_SECRET}` }, undefined, 200]],
      api: [["GET", `/api/tools/live?workspace_id=${workspace}`, key, undefined, 200]],
    };
    for (const name of [...Object.keys(calls), ...[...uploads.keys()].filter((name) => !(name in calls))]) {
      await t.step(name, async () => {
        const folder = join(home, name);
        await Deno.mkdir(folder);
        const traced = receiver.nextTraces();
        const started = await startUploaded(uploads.get(name)!, { folder, env });
        try {
          for (const [method, path, headers, body, status] of calls[name] ?? []) {
            const response = await fetch(started.origin + path, {
              method,
              headers: { "content-type": "application/json", ...headers },
              ...(body === undefined ? {} : { body: JSON.stringify(body) }),
            });
            assertEquals([path, response.status, (await response.text()).slice(0, status < 300 ? 0 : 500)], [
              path,
              status,
              "",
            ]);
          }
          const nothing = await fetch(`${started.origin}/${name}/no-such-path`);
          assertEquals([nothing.status, (await nothing.json()).reason], [404, "not_found"]);
          if (name === "tool-call") {
            await traced;
            assert(receiver.spans().some((span) => span.name === "POST /tools/:slug/call"));
          }
        } finally {
          const said = await started.stop();
          assertEquals(said, "", "it said something went wrong");
        }
      });
    }
  } finally {
    await stack.kill("SIGTERM");
    await receiver.close();
  }
});

async function signIn(
  auth: string,
  { publishable_key, admin }: { publishable_key: string; admin: object },
): Promise<string> {
  const response = await fetch(`${auth}/token?grant_type=password`, {
    method: "POST",
    headers: { apikey: publishable_key, "content-type": "application/json" },
    body: JSON.stringify(admin),
  });
  return (await response.json()).access_token;
}

function exists(path: string): boolean {
  try {
    return Deno.statSync(path).isFile;
  } catch {
    return false;
  }
}

const FIXTURE = {
  format: "framed-tool/1",
  slug: "rates",
  name: "Rates",
  description: "Exchange rates, made up.",
  kind: "fixture",
  access: "read",
  arguments: { type: "object", properties: {} },
  fixtures: [{ response: { rows: [{ id: 1 }] } }],
};
const LIVE = {
  ...FIXTURE,
  slug: "live",
  kind: "request",
  request: {
    method: "GET",
    url: "https://rates.example/all",
    headers: { Authorization: "Bearer {{secret}}" },
  },
  auth: { secret: "CONNECTOR_LIVE" },
};
