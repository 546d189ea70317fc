/** Walks the way of docs/operate.md from an empty project to a first tool, with the commands that stand there. */

import { assertEquals, assertStringIncludes } from "@std/assert";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { openTerminal } from "../docs/terminal.ts";
import { databaseTest, openTestDatabase } from "../testing/database.ts";
import { startManagementApi } from "./management-api.ts";
import { prepareSupabase, SUPABASE_CLI_VERSION } from "./supabase-cli.ts";
import { startUploaded } from "./uploaded-function.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const page = await Deno.readTextFile(join(ROOT, "docs/operate.md"));
/** The commands by the number of their step; the markers of what runs here stand before them. */
const steps = new Map(
  [...page.matchAll(/<!-- test: (\d) -->\n\n```sh\n(.*?)\n```/gs)].map((
    [, number, block],
  ) => [Number(number), block!]),
);
const FUNCTIONS_ADDRESS = "https://$PROJECT_REF.supabase.co/functions/v1";

databaseTest("docs/operate.md leads from an empty project to a first tool that answers", async () => {
  assertEquals([...steps.keys()], [1, 2, 3, 5, 6]);
  assertStringIncludes(page, `npm install --global supabase@${SUPABASE_CLI_VERSION}`);
  const home = await Deno.makeTempDir({ prefix: "framed-operate-" });
  const database = await openTestDatabase({ migrated: false });
  const api = startManagementApi();
  const platform = startPlatform();
  const cli = await prepareSupabase({ home, apiUrl: api.url });
  const words = [cli.program, ...cli.args, "--workdir", ROOT].map((word) => `'${word}'`).join(" ");
  const env = {
    ...cli.env,
    PROJECT_REF: "abcdefghijklmnopqrst",
    SUPABASE_DB_URL: database.url,
    ADMIN_ID: crypto.randomUUID(),
    ADMIN_EMAIL: "noor.admin@framed.example",
  };
  const terminal = await openTerminal(env, { programs: { supabase: words } });
  const walk = async (...numbers: number[]) => {
    const commands = numbers.map((number) => steps.get(number)!).join("\n");
    const { code, stdout, stderr } = await terminal.run(commands.replaceAll(FUNCTIONS_ADDRESS, platform.url));
    assertEquals(code, 0, stdout + stderr);
    return stdout;
  };
  try {
    await walk(1, 2, 3);
    assertEquals([...api.secrets.keys()].sort(), [
      "FRAMED_CONSOLE_ORIGINS",
      "FRAMED_CONSOLE_URL",
      "FRAMED_CRON_SECRET",
      "FRAMED_SECRET_KEYS",
    ]);
    const file = await Deno.stat(join(terminal.folder, ".env.deploy"));
    assertEquals(file.mode! & 0o077, 0, "nobody else reads what was made up");

    await platform.start(api.uploads.get("api")!, {
      folder: join(home, "api"),
      env: {
        ...Object.fromEntries(api.secrets),
        SUPABASE_URL: "http://127.0.0.1:1",
        SUPABASE_DB_URL: database.url,
        SUPABASE_ANON_KEY: "sb_publishable_of_nobody",
      },
    });
    const said = await walk(5, 6);
    const answer = JSON.parse(said.split("\n").findLast((line) => line.startsWith("{"))!);
    assertEquals(answer.result, { rows: [{ day: "Monday", from: "07:00", to: "18:00" }] });
    assertEquals([answer.ran, answer.answers_with], [true, "configured example"]);
  } finally {
    await terminal.close();
    await platform.close();
    await api.close();
    await database.drop();
    await Deno.remove(home, { recursive: true });
  }
});

/** The address that all functions stand under, with those behind it that were started. */
function startPlatform() {
  const started = new Map<string, Awaited<ReturnType<typeof startUploaded>>>();
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen() {} }, (request) => {
    const { pathname, search } = new URL(request.url);
    const path = pathname.replace(/^\/functions\/v1/, "");
    const to = started.get(path.split("/")[1]!);
    return to === undefined ? new Response(null, { status: 404 }) : fetch(to.origin + path + search, {
      method: request.method,
      headers: request.headers,
      body: request.body,
    });
  });
  return {
    url: `http://127.0.0.1:${server.addr.port}/functions/v1`,
    async start(...[upload, options]: Parameters<typeof startUploaded>) {
      await Deno.mkdir(options.folder);
      started.set(upload.slug, await startUploaded(upload, options));
    },
    async close() {
      await server.shutdown();
      for (const one of started.values()) assertEquals(await one.stop(), "");
    },
  };
}
