/** Each promise of `deno task start`, on the real command. */

import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { createClient } from "@supabase/supabase-js";
import { join } from "node:path";
import { kill } from "node:process";
import postgres from "postgres";
import { cacheFolder, isRoot } from "./stack/places.ts";
import { findAccount } from "./stack/run-as.ts";
import { makeSettings } from "./stack/settings.ts";
import { copyForAccount } from "./testing/other-account.ts";
import { type ReadyLine, startStackProcess, withoutNews } from "./testing/stack-process.ts";

/** A folder of its own, where the stacks' temporary files are looked for too. */
async function withFolder(use: (folder: string, env: { TMPDIR: string }) => Promise<void>): Promise<void> {
  const folder = await Deno.makeTempDir({ prefix: "start-test-" });
  await Deno.chmod(folder, 0o711);
  try {
    const TMPDIR = join(folder, "tmp");
    await Deno.mkdir(TMPDIR);
    await Deno.chmod(TMPDIR, 0o777);
    await use(folder, { TMPDIR });
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

function names(folder: string): string[] {
  return [...Deno.readDirSync(folder)].map(({ name }) => name);
}

async function isListening(port: number, hostname = "127.0.0.1"): Promise<boolean> {
  try {
    (await Deno.connect({ hostname, port })).close();
    return true;
  } catch {
    return false;
  }
}

/** Looks again until it holds; a test that waits in vain fails with what it waited for. */
async function until(what: string, holds: () => boolean | Promise<boolean>): Promise<void> {
  const deadline = performance.now() + 20_000;
  while (!(await holds())) {
    assert(performance.now() < deadline, `waited in vain: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

function portOf(url: string): number {
  return Number(new URL(url).port);
}

function listTools(ready: ReadyLine, key: string, workspace = ready.workspace_id): Promise<Response> {
  return fetch(`${ready.api}/tools?workspace_id=${workspace}`, { headers: { "x-framed-api-key": key } });
}

async function query<T extends postgres.Row>(url: string, statement: string): Promise<T[]> {
  const sql = postgres(url, { max: 1, fetch_types: false });
  try {
    return [...await sql.unsafe<T[]>(statement)];
  } finally {
    await sql.end();
  }
}

Deno.test("start --ephemeral serves everything and leaves nothing", async (t) => {
  await withFolder(async (_, env) => {
    const stack = startStackProcess(["--ephemeral", "--port", "0"], { env });
    const ready = await stack.ready;
    const origin = ready.console;

    await t.step("says where on one line", () => {
      assertMatch(origin, /^http:\/\/127\.0\.0\.1:[0-9]+$/);
      assertEquals([ready.api, ready.functions, ready.auth], [
        `${origin}/api`,
        `${origin}/functions/v1`,
        `${origin}/auth/v1`,
      ]);
      assertEquals(Object.keys(ready), [
        ...["ready", "api", "functions", "auth", "console", "database", "publishable_key", "workspace_id"],
        ...["api_key", "reseller_key", "admin", "member", "cron_secret", "other"],
      ]);
    });

    await t.step("signs its people in with supabase-js, and their sessions reach the workspace", async () => {
      for (const person of [ready.admin, ready.member]) {
        const client = createClient(origin, ready.publishable_key, {
          auth: { persistSession: false, autoRefreshToken: false },
        });
        const { data, error } = await client.auth.signInWithPassword(person);
        assertEquals(error, null);
        const answer = await fetch(`${ready.api}/tools?workspace_id=${ready.workspace_id}`, {
          headers: { authorization: `Bearer ${data.session?.access_token}` },
        });
        assertEquals([answer.status, (await answer.json()).tools], [200, []]);
      }
    });

    await t.step("lets each key reach its own workspace and no other", async () => {
      const { api_key: key, reseller_key: reseller, other } = ready;
      const statuses = await Promise.all([
        listTools(ready, key),
        listTools(ready, reseller),
        listTools(ready, other.api_key, other.workspace_id),
        listTools(ready, key, other.workspace_id),
        listTools(ready, reseller, other.workspace_id),
        listTools(ready, other.api_key),
      ].map(async (pending) => {
        const answer = await pending;
        await answer.body?.cancel();
        return answer.status;
      }));
      assertEquals(statuses, [200, 200, 200, 404, 404, 404]);
    });

    await t.step("serves each function under its own name too", async () => {
      const answer = await fetch(`${ready.functions}/read-back/tools?workspace_id=${ready.workspace_id}`, {
        headers: { "x-framed-api-key": ready.api_key },
      });
      assertEquals([answer.status, (await answer.json()).ok], [200, true]);
    });

    await t.step("serves the console at its root, which is told of these addresses", async () => {
      const page = await fetch(`${origin}/tasks`, { headers: { accept: "text/html" } });
      assertEquals([page.status, page.headers.get("content-type")], [200, "text/html; charset=utf-8"]);
      const [, script] = /<script type="module"[^>]* src="(\/assets\/[^"]+)"/.exec(await page.text()) ?? [];
      const loaded = await fetch(`${origin}${script}`);
      assertEquals([loaded.status, loaded.headers.get("content-type")], [
        200,
        "text/javascript; charset=utf-8",
      ]);
      await loaded.body?.cancel();
      assertEquals(await (await fetch(`${origin}/config.json`)).json(), {
        api: ready.api,
        supabase_url: origin,
        publishable_key: ready.publishable_key,
        connect: `${ready.functions}/connect`,
      });
    });

    await t.step("answers a path it does not have with a problem", async () => {
      for (const path of ["/nothing", "/functions/v1/nothing", "/api/nothing"]) {
        const answer = await fetch(`${origin}${path}`);
        assertEquals(answer.headers.get("content-type"), "application/problem+json");
        assertEquals([answer.status, (await answer.json()).reason], [404, "not_found"]);
      }
    });

    await t.step("listens on 127.0.0.1 only", async () => {
      for (const url of [origin, ready.database]) {
        assertEquals(await isListening(portOf(url)), true);
        assertEquals(await isListening(portOf(url), "127.0.0.2"), false);
      }
    });

    await t.step("stops at SIGTERM, with exit code 0 and nothing left", async () => {
      const { code, stdout } = await stack.kill("SIGTERM");
      assertEquals(code, 0);
      assertEquals(stdout, JSON.stringify(ready) + "\n");
      assertEquals(names(env.TMPDIR), []);
      assertEquals(await isListening(portOf(ready.database)), false);
    });
  });
});

Deno.test("start --data keeps everything, for one stack at a time", async (t) => {
  await withFolder(async (folder, env) => {
    const data = join(folder, "data");
    const first = startStackProcess(["--data", data, "--port", "0"], { env });
    const ready = await first.ready;
    const again = ["--data", data, "--port", String(portOf(ready.api))];

    await t.step("stops at Ctrl-C, which reaches the whole process group", async () => {
      await query(ready.database, "create table public.kept as select 'a row' as what");
      kill(-first.pid, "SIGINT");
      assertEquals((await first.ended).code, 0);
      assertEquals(await isListening(portOf(ready.database)), false);
    });

    const second = startStackProcess(again, { env });
    await t.step("has the same addresses, people, keys and rows the next time", async () => {
      assertEquals(await second.ready, ready);
      assertEquals((await query(ready.database, "select what from public.kept")).map(({ what }) => what), [
        "a row",
      ]);
      const answer = await listTools(ready, ready.api_key);
      assertEquals([answer.status, (await answer.json()).ok], [200, true]);
    });

    await t.step("keeps what it made up for its owner's eyes only", async () => {
      assertEquals(names(data).toSorted(), ["cluster", "lock", "stack.json"]);
      assertEquals((await Deno.stat(join(data, "stack.json"))).mode! & 0o777, 0o600);
      assertEquals((await Deno.stat(join(data, "cluster"))).mode! & 0o777, 0o700);
    });

    await t.step("refuses a second start on the folder", async () => {
      const refused = await startStackProcess(["--data", data, "--port", "0"], { env }).ended;
      assertEquals(refused, {
        code: 1,
        stdout: "",
        stderr:
          `Another stack runs on the data folder ${data}. Stop it, or name another folder with --data.\n`,
      });
    });

    await t.step("refuses a port in use before it touches anything", async () => {
      const port = portOf(ready.api);
      const untouched = join(folder, "untouched");
      const refused = await startStackProcess(["--data", untouched, "--port", String(port)], { env }).ended;
      assertEquals(refused, {
        code: 1,
        stdout: "",
        stderr: `Port ${port} on 127.0.0.1 is in use. Stop what runs there, or name another with --port.\n`,
      });
      assertEquals(names(folder).includes("untouched"), false);
    });

    await t.step("starts again after it was killed", async () => {
      await second.kill("SIGKILL");
      const third = startStackProcess(again, { env });
      assertEquals(await third.ready, ready);
      assertEquals((await query(ready.database, "select what from public.kept")).length, 1);
      assertEquals((await third.kill("SIGTERM")).code, 0);
    });

    await t.step("ends with code 1 when PostgreSQL does", async () => {
      const fourth = startStackProcess(again, { env });
      await fourth.ready;
      kill(Number.parseInt(await Deno.readTextFile(join(data, "cluster", "postmaster.pid"))), "SIGINT");
      const { code, stderr } = await fourth.ended;
      assertEquals([code, withoutNews(stderr)], [1, "PostgreSQL has ended.\n"]);
      assertEquals(await isListening(portOf(ready.api)), false);
    });

    assertEquals(names(env.TMPDIR), []);
  });
});

Deno.test("start --ephemeral leaves nothing when it is killed", async () => {
  await withFolder(async (_, env) => {
    const stack = startStackProcess(["--ephemeral", "--port", "0"], { env });
    const { database } = await stack.ready;
    await stack.kill("SIGKILL");
    await until("PostgreSQL ends", async () => !(await isListening(portOf(database))));
    await until("its files go", () => names(env.TMPDIR).length === 0);
  });
});

Deno.test("start --data works below a folder that only its owner can enter", async () => {
  await withFolder(async (folder, env) => {
    const home = join(folder, "home");
    await Deno.mkdir(home, { mode: 0o700 });
    const stack = startStackProcess(["--data", join(home, "data"), "--port", "0"], { env });
    const ready = await stack.ready;
    const answer = await listTools(ready, ready.api_key);
    assertEquals([answer.status, (await answer.json()).ok], [200, true]);
    assertEquals((await stack.kill("SIGTERM")).code, 0);
  });
});

Deno.test("start works for a user without privileges", async () => {
  await withFolder(async (folder, env) => {
    // Who runs this test without being root is such a user already.
    const account = isRoot() ? await findAccount(folder) : null;
    const own = account === null ? {} : { uid: account.uid, gid: account.gid };
    const { deno, script, denoDir } = await copyForAccount(join(import.meta.dirname!, "start.ts"), {
      folder,
      account,
    });
    const stack = startStackProcess(["--ephemeral", "--port", "0"], {
      ...own,
      deno,
      script,
      env: {
        ...env,
        DENO_DIR: denoDir,
        HOME: join(folder, "no-home"),
        FRAMED_CACHE_DIR: cacheFolder(),
      },
    });
    const ready = await stack.ready;
    const [row] = await query(ready.database, "select pg_stat_get_backend_pid(1) is not null as runs");
    assertEquals(row?.runs, true);
    assertEquals((await stack.kill("SIGTERM")).code, 0);
    assertEquals(names(env.TMPDIR), []);
  });
});

Deno.test("start with a console that cannot be built says so on one line, and serves everything else", async () => {
  await withFolder(async (folder, env) => {
    const copied = await copyForAccount(join(import.meta.dirname!, "start.ts"), { folder, account: null });
    await Deno.writeTextFile(
      join(folder, "checkout", "console", "src", "main.tsx"),
      "export const broken = ;\n",
    );
    const stack = startStackProcess(["--ephemeral", "--port", "0"], {
      script: copied.script,
      env: { ...env, FRAMED_CACHE_DIR: cacheFolder() },
    });
    const ready = await stack.ready;
    const answer = await listTools(ready, ready.api_key);
    assertEquals([answer.status, (await answer.json()).ok], [200, true]);
    const page = await fetch(ready.console);
    assertEquals([page.status, page.headers.get("content-type")], [503, "text/plain; charset=utf-8"]);
    const text = await page.text();
    assertStringIncludes(text, "The console was not built. Vite does not build it: ");
    assertStringIncludes(text, "src/main.tsx:1:23");
    assertStringIncludes(text, "start it again");
    const { code, stderr } = await stack.kill("SIGTERM");
    assertEquals(code, 0);
    assertMatch(
      withoutNews(stderr),
      /^The console was not built\. Vite does not build it: .*src\/main\.tsx:1:23\n$/,
    );
  });
});

const REFUSED_FOLDERS: [what: string, prepare: (path: string) => Promise<void>, says: RegExp][] = [
  ["another major version's", async (path) => {
    await Deno.mkdir(join(path, "cluster"), { recursive: true });
    await Deno.writeTextFile(join(path, "stack.json"), JSON.stringify(await makeSettings()));
    await Deno.writeTextFile(join(path, "cluster", "PG_VERSION"), "16\n");
  }, /^\S+ was made by PostgreSQL 16, and this stack runs 17\. .*\n$/],
  ["full of something else", async (path) => {
    await Deno.mkdir(path);
    await Deno.writeTextFile(join(path, "thesis.txt"), "chapter one");
  }, /^\S+ holds something else than a stack's data\. .*\n$/],
  ["a file", async (path) => {
    await Deno.writeTextFile(path, "no folder");
  }, /^The data folder \S+ cannot be used: .*\n$/],
  ["damaged", async (path) => {
    await Deno.mkdir(path);
    await Deno.writeTextFile(join(path, "stack.json"), "{");
  }, /^\S+ is damaged: .*\n$/],
];

for (const [what, prepare, says] of REFUSED_FOLDERS) {
  Deno.test(`start --data refuses, in one line, a folder that is ${what}`, async () => {
    await withFolder(async (folder, env) => {
      const path = join(folder, "data");
      await prepare(path);
      const { code, stdout, stderr } = await startStackProcess(["--data", path, "--port", "0"], { env })
        .ended;
      assertEquals([code, stdout], [1, ""]);
      assertMatch(stderr, says);
      assertEquals(names(env.TMPDIR), []);
    });
  });
}

Deno.test("start leaves nothing when a part of it cannot start", async () => {
  await withFolder(async (_, env) => {
    const failed = await startStackProcess(["--ephemeral", "--port", "0"], {
      env: { ...env, FRAMED_LOCAL_UPSTREAMS: "ledger.example=http://192.0.2.1:80" },
    }).ended;
    assertEquals([failed.code, failed.stdout], [1, ""]);
    assertStringIncludes(failed.stderr, "FRAMED_LOCAL_UPSTREAMS, entry 1: ");
    assertEquals(names(env.TMPDIR), []);
  });
});

Deno.test("start answers a wrong option with its usage and exit code 2", async () => {
  const { code, stdout, stderr } = await startStackProcess(["--fast"]).ended;
  assertEquals([code, stdout], [2, ""]);
  assertStringIncludes(stderr, '"--fast" is not an option of start.\n\nUsage: deno task start');
});
