import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { fileURLToPath } from "node:url";
import { type Ended, runProgram } from "../testing/run-program.ts";
import { openTestWorkspace } from "../testing/workspace.ts";

const CONFIG = fileURLToPath(new URL("../../deno.json", import.meta.url));
const RUNNER = fileURLToPath(new URL("../framed-tool.ts", import.meta.url));
const TESTDATA = fileURLToPath(new URL("./testdata", import.meta.url));

const workspace = await openTestWorkspace();
const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen() {} }, workspace.fetch);
globalThis.addEventListener("unload", () => {
  server.shutdown();
  workspace.close();
});
const { admin_key, stranger_key } = workspace.keys;

Deno.test("--push defines the file on a real workspace, and says that nothing changed when it is pushed again", async () => {
  const first = await push(admin_key);
  assertStringIncludes(first.stdout, "Defined ledger_open_invoices, version 1, new on the workspace.\n");
  assertMatch(
    first.stdout,
    /^ {2}waits for {2}CONNECTOR_LEDGER\n {2}paste at {3}https:\/\/console\.example\/\S+\n/m,
  );
  assertEquals(first.code, 0);
  const again = await push(admin_key);
  assertStringIncludes(again.stdout, "Unchanged: ledger_open_invoices, version 1, is this very file.\n");
  assertEquals(again.code, 0);
});

Deno.test("--push --json shows the host views that the API answers", async () => {
  const { stdout } = await push(admin_key, { more: ["--json"] });
  const answer = await workspace.define(JSON.parse(await Deno.readTextFile(`${TESTDATA}/ledger.json`)));
  assertEquals(JSON.parse(stdout).host_sees, answer.body.host_sees);
});

Deno.test("--push says a wrong key and a workspace out of reach in one line each", async () => {
  const wrongKey = await push("frk_live_nosuchkey");
  assertMatch(lastLine(wrongKey), /^Not defined\. .+ Check FRAMED_API_KEY\.$/);
  const outOfReach = await push(stranger_key);
  const missing = await push(admin_key, { workspaceId: crypto.randomUUID() });
  for (const ended of [outOfReach, missing]) {
    assertMatch(lastLine(ended), /^Not defined\. .+ Check --workspace: it is none that this key reaches\.$/);
  }
  assertEquals([wrongKey.code, outOfReach.code, missing.code], [1, 1, 1]);
  const noId = await push(admin_key, { workspaceId: "mine" });
  assertMatch(lastLine(noId), /workspace_id/);
  assertEquals(noId.code, 1);
});

function lastLine({ stdout }: Ended): string {
  return stdout.trimEnd().split("\n").at(-1) ?? "";
}

/** Pushes the ledger with the real command; no output of it ever holds the key. */
async function push(
  key: string,
  { workspaceId = workspace.id, more = [] }: { workspaceId?: string; more?: string[] } = {},
): Promise<Ended> {
  const command = ["run", "-A", "--no-lock", "--config", CONFIG, RUNNER, "test", "ledger.json"];
  const ended = await runProgram(
    Deno.execPath(),
    [...command, ...more, "--push", "--workspace", workspaceId],
    {
      cwd: TESTDATA,
      env: { FRAMED_API_KEY: key, FRAMED_API_BASE: `http://127.0.0.1:${server.addr.port}/api` },
    },
  );
  assertEquals(`${ended.stdout}${ended.stderr}`.includes(key), false);
  return ended;
}
