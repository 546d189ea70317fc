/** `deno task build:console` as an operator runs it, and what becomes of a build that cannot be. */

import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { readTree } from "../check/tree.ts";
import { runProgram } from "../testing/run-program.ts";
import { BuildProblem } from "./build.ts";
import { keptBuild } from "./kept-build.ts";
import { ASKED_EACH_TIME, KEPT_FOR_EVER, pageHeaders } from "./page-headers.ts";
import { readConsoleSources } from "./sources.ts";

const CHECKOUT = fileURLToPath(new URL("../..", import.meta.url));
const SCRIPT = join(CHECKOUT, "scripts", "build-console.ts");

const API = "https://abcdefghijklmnopqrst.supabase.co/functions/v1/api";
const SUPABASE = "https://abcdefghijklmnopqrst.supabase.co";
const KEY = "sb_publishable_key-of_the-project";
const ADDRESSES = ["--api", API, "--supabase", SUPABASE, "--key", KEY];

function buildConsole(...args: string[]) {
  const env = { NO_COLOR: "1", ...cacheOf() };
  return runProgram(Deno.execPath(), ["run", "--no-lock", "--no-check", "--allow-all", SCRIPT, ...args], {
    env,
  });
}

/** Where the machine's stacks keep their builds too, so that no two of them build the same. */
function cacheOf(): Record<string, string> {
  const named = Deno.env.get("FRAMED_CACHE_DIR");
  return named === undefined ? {} : { FRAMED_CACHE_DIR: named };
}

async function inFolder(use: (folder: string) => Promise<void>): Promise<void> {
  const folder = await Deno.makeTempDir();
  try {
    await use(folder);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

function namesIn(folder: string): string[] {
  return [...Deno.readDirSync(folder)].map(({ name }) => name).sort();
}

Deno.test("build:console writes the site, and with addresses what a static host has to know", () =>
  inFolder(async (folder) => {
    const out = join(folder, "site");
    const read = (name: string) => Deno.readTextFile(join(out, name));
    const { code, stdout, stderr } = await buildConsole("--out", out, ...ADDRESSES);
    assertEquals([code, stdout], [0, `The console is in ${out}.\n`], stderr);
    for (const name of ["404.html", "_headers", "_redirects", "assets", "config.json", "index.html"]) {
      assert(namesIn(out).includes(name), name);
    }
    assertEquals(JSON.parse(await read("config.json")), {
      api: API,
      supabase_url: SUPABASE,
      publishable_key: KEY,
      connect: `${SUPABASE}/functions/v1/connect`,
    });
    assertEquals(await read("404.html"), await read("index.html"));
    const headers = await read("_headers");
    assertMatch(
      headers,
      /^\/\*\n( {2}[\w-]+: .+\n)* {2}content-security-policy: .*; connect-src 'self' https:\/\/abcdefghijklmnopqrst\.supabase\.co; .*\n/,
    );
    assertStringIncludes(headers, "\n/assets/*\n  cache-control: public, max-age=31536000, immutable\n");
    for (
      const path of [
        "/",
        "/index.html",
        "/config.json",
        "/theme.js",
        "/tasks",
        "/tasks/*",
        "/connect/consent",
      ]
    ) {
      assertStringIncludes(headers, `\n${path}\n  cache-control: no-cache\n`);
    }
    const redirects = (await read("_redirects")).trim().split("\n");
    for (const line of ["/tasks / 200", "/tasks/* / 200", "/connections/* / 200", "/people / 200"]) {
      assert(redirects.includes(line), line);
    }
    assertEquals(redirects.filter((line) => /^\/(?:\*|assets)/.test(line)), []);

    const alone = await buildConsole(`--out=${out}`);
    assertEquals(alone.code, 0, alone.stderr);
    assertEquals(namesIn(out).filter((name) => /^(?:_|404|config)/.test(name)), []);

    await Deno.writeTextFile(join(out, "assets", "gone-1a2b3c4d.js"), "of an earlier build");
    assertEquals((await buildConsole("--out", out)).code, 0);
    assertEquals(namesIn(join(out, "assets")).includes("gone-1a2b3c4d.js"), false);

    await Deno.writeTextFile(join(out, "diary.txt"), "mine");
    const refused = await buildConsole("--out", out);
    assertEquals(refused.code, 1);
    assertStringIncludes(refused.stderr, `${out} holds diary.txt, which is no part of the console`);
    assertEquals(await read("diary.txt"), "mine");
  }));

Deno.test("build:console names each other origin once, also that of Connect", () =>
  inFolder(async (folder) => {
    const connect = "https://connect.example/framed/";
    const { code, stderr } = await buildConsole("--out", folder, ...ADDRESSES, "--connect", connect);
    assertEquals(code, 0, stderr);
    const headers = await Deno.readTextFile(join(folder, "_headers"));
    assertStringIncludes(headers, `; connect-src 'self' ${SUPABASE} https://connect.example; `);
    const config = JSON.parse(await Deno.readTextFile(join(folder, "config.json")));
    assertEquals(config.connect, "https://connect.example/framed");
  }));

const token = (role: string) => `e30.${btoa(JSON.stringify({ role })).replaceAll("=", "")}.c2ln`;

const WRONG: [what: string, args: string[], says: string][] = [
  ["an option there is not", ["--fast"], '"--fast" is not an option of build:console.'],
  ["an option without its value", ["--out"], "--out takes a folder."],
  ["an option in the place of a value", ["--api", "--key", "x"], "--api takes the address of the API."],
  [
    "half of the addresses",
    ["--api", API],
    "--supabase and --key are missing: --api, --supabase and --key go together.",
  ],
  ["Connect's address alone", ["--connect", API], "--api and --supabase and --key are missing"],
  [
    "what is no address",
    [...ADDRESSES, "--connect", "connect.example"],
    '--connect takes the address of Connect: "connect.example" is no address',
  ],
  [
    "an address in the open",
    ["--api", "http://api.example", ...ADDRESSES.slice(2)],
    "has to begin with https://",
  ],
  [
    "an address with a query",
    ["--api", `${API}?key=1`, ...ADDRESSES.slice(2)],
    "it ends with its path, without ? and #",
  ],
  [
    "an address with a password",
    ["--api", "https://me:canary-pass@api.example", ...ADDRESSES.slice(2)],
    "it names a user",
  ],
  ["a secret key", [...ADDRESSES.slice(0, 5), "sb_secret_canary-pass"], "this one is secret"],
  ["the old secret key", [...ADDRESSES.slice(0, 5), token("service_role")], "this one is secret"],
  ["a key that is none", [...ADDRESSES.slice(0, 5), "a key"], "has characters that no key has"],
  ["an option that is there twice", [...ADDRESSES, "--api", API], "--api is there twice: give it once."],
];

for (const [what, args, says] of WRONG) {
  Deno.test(`build:console refuses ${what} with its usage and exit code 2`, async () => {
    const { code, stdout, stderr } = await buildConsole(...args);
    assertEquals([code, stdout], [2, ""]);
    assertStringIncludes(stderr, says);
    assertStringIncludes(stderr, "\n\nUsage: deno task build:console");
    assertEquals(/canary-pass/.test(stderr), false, stderr);
  });
}

Deno.test("build:console takes the old publishable key, and addresses of this machine", () =>
  inFolder(async (folder) => {
    const local = ["--api", "http://127.0.0.1:54321/api", "--supabase", "http://localhost:54321"];
    const { code, stderr } = await buildConsole("--out", folder, ...local, "--key", token("anon"));
    assertEquals(code, 0, stderr);
  }));

const OPERATE = await Deno.readTextFile(join(CHECKOUT, "docs", "operate.md"));

/** The example of docs/operate.md behind the marker. */
function exampleOf(marker: string): string {
  const [, , text] =
    new RegExp(`<!-- test: ${marker} -->\\n\\n( *)\`\`\`\\w+\\n(.*?)\\n\\1\`\`\``, "s").exec(OPERATE) ?? [];
  assert(text !== undefined, marker);
  return text;
}

Deno.test("docs/operate.md builds the console for a project with the command that stands there", () =>
  inFolder(async (cwd) => {
    const task =
      `deno() { [ "$1 $2" = "task build:console" ] && shift 2 && command "$DENO" run --no-lock --no-check -A "$SCRIPT" "$@"; }`;
    const env = {
      ...cacheOf(),
      DENO: Deno.execPath(),
      SCRIPT,
      PROJECT_REF: "abcdefghijklmnopqrst",
      FRAMED_PUBLISHABLE_KEY: KEY,
    };
    const { code, stderr } = await runProgram("bash", ["-euc", `${task}\n${exampleOf("console")}`], {
      cwd,
      env,
    });
    assertEquals(code, 0, stderr);
    const config = JSON.parse(await Deno.readTextFile(join(cwd, "dist", "site", "config.json")));
    assertEquals([config.api, config.supabase_url, config.publishable_key], [API, SUPABASE, KEY]);
  }));

Deno.test("docs/operate.md has nginx send the headers that the local stack sends", () => {
  const lines = exampleOf("nginx").split("\n");
  const sent = lines.flatMap((line) => {
    const [, name, value] = /^add_header ([\w-]+) "(.*)" always;$/.exec(line) ?? [];
    return name === undefined ? [] : [[name.toLowerCase(), value]];
  });
  assertEquals(Object.fromEntries(sent), pageHeaders([SUPABASE]));
  const caching = (value: string) => lines.some((line) => line.includes(`"${value}";`));
  assertEquals([caching(KEPT_FOR_EVER), caching(ASKED_EACH_TIME)], [true, true]);
});

/** A copy of the sources that a build reads, to be broken. */
async function withCopy(use: (copy: string, cache: string) => Promise<void>): Promise<void> {
  await inFolder(async (folder) => {
    const copy = join(folder, "checkout");
    for (const [path, bytes] of (await readConsoleSources(CHECKOUT)).files) {
      await Deno.mkdir(dirname(join(copy, path)), { recursive: true });
      await Deno.writeFile(join(copy, path), bytes);
    }
    await use(copy, join(folder, "cache"));
  });
}

function keep(checkout: string, cache: string, report: (line: string) => void = () => {}) {
  return keptBuild(checkout, { cache, signal: new AbortController().signal, report });
}

Deno.test("keptBuild() builds once for any number that want it at once, and again for other sources", () =>
  withCopy(async (copy, cache) => {
    const said: string[] = [];
    const report = (line: string) => said.push(line);
    const [first, second] = await Promise.all([keep(copy, cache, report), keep(copy, cache, report)]);
    assertEquals(
      [...first].map(([path, { tag }]) => [path, tag]),
      [...second].map(([path, { tag }]) => [path, tag]),
    );
    await keep(copy, cache, report);
    assertEquals(said, ["Building the console, once ..."]);
    assertMatch(namesIn(cache).join(), /^console-[0-9a-f]{16},console\.lock$/);

    const style = join(copy, "console", "src", "ui", "base.css");
    await Deno.writeTextFile(style, "\nbody { outline: 7px solid }\n", { append: true });
    const changed = await keep(copy, cache, report);
    assertEquals(said.length, 2);
    const styles = [...changed].filter(([path]) => path.endsWith(".css")).map(([, { bytes }]) =>
      new TextDecoder().decode(bytes)
    );
    assert(styles.some((text) => text.includes("outline:7px solid")));
  }));

Deno.test("keptBuild() says on one line what is wrong with a source and where, and leaves nothing half built", () =>
  withCopy(async (copy, cache) => {
    await Deno.writeTextFile(join(copy, "console", "src", "main.tsx"), "export const broken = ;\n");
    const error = await keep(copy, cache).then(() => null, (error) => error);
    assert(error instanceof BuildProblem, String(error));
    assertMatch(error.message, /^Vite does not build it: .*src\/main\.tsx:1:23$/);
    assertEquals(error.message.includes("\n"), false);
    assertEquals(`${error.message}${error.output}`.includes(cache), false);
    assertEquals(namesIn(cache), ["console.lock"]);
  }));

Deno.test("keptBuild() says that sources are missing, or that the cache cannot be written", () =>
  withCopy(async (copy, cache) => {
    await Deno.writeTextFile(cache, "a file");
    await keep(copy, cache).then(
      () => assert(false),
      ({ message }) => assertStringIncludes(message, `It cannot be kept in ${cache}: `),
    );
    await Deno.remove(join(copy, "console", "index.html"));
    await keep(copy, cache).then(
      () => assert(false),
      ({ message }) => assertEquals(message, `Not all of its sources are in ${join(copy, "console")}`),
    );
  }));

Deno.test("readConsoleSources() has every file of the functions that the console imports, and no other", async () => {
  const { files } = await readConsoleSources(CHECKOUT);
  const tree = await readTree(CHECKOUT);
  const shared = [...files.keys()].filter((path) => path.startsWith("supabase/"));
  assert(shared.includes("supabase/functions/_shared/framed-tool.ts"));
  const impure = shared.filter((path) =>
    !/\/outcome\//.test(path) && !/(?:^|\s)Pure[.,;]/.test(tree.files.get(path)!.slice(0, 1_000))
  );
  assertEquals(impure, []);
});
