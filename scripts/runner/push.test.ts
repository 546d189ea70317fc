import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { fileURLToPath } from "node:url";
import { type Ended, runProgram } from "../testing/run-program.ts";

const CONFIG = fileURLToPath(new URL("../../deno.json", import.meta.url));
const RUNNER = fileURLToPath(new URL("../framed-tool.ts", import.meta.url));
const TESTDATA = fileURLToPath(new URL("./testdata", import.meta.url));
const LEDGER = await Deno.readTextFile(`${TESTDATA}/ledger.json`);
const WORKSPACE = "0199f0c0-0000-7000-8000-000000000001";
const KEY = "frk_live_canary";
const COMMAND = ["run", "-A", "--no-lock", "--config", CONFIG, RUNNER];
const PUSH = ["--push", "--workspace", WORKSPACE];

const DEFINED = {
  ok: true,
  tool: "ledger_open_invoices",
  version: 1,
  replaced: false,
  status: "waits_for_secret",
  waits_for: ["CONNECTOR_LEDGER"],
  manage_url: "https://console.example/connections/ledger_open_invoices",
};

/** What the API of a test was asked. */
interface Asked {
  readonly path: string;
  readonly key: string | null;
  readonly body: string;
}

Deno.test("--push posts the file as it is written and prints what waits for a value, and where to paste it", async () => {
  const { ended, asked } = await push(() => Response.json(DEFINED));
  assertEquals(asked, [
    { path: "/api/tools/define", key: KEY, body: `{"workspace_id":"${WORKSPACE}","tool":${LEDGER}}` },
  ]);
  assertMatch(ended.stdout, /^ledger\.json: fine\n/);
  const said = [
    "Defined ledger_open_invoices, version 1, new on the workspace.",
    "  status     waits for the value of a secret",
    "  waits for  CONNECTOR_LEDGER",
    "  paste at   https://console.example/connections/ledger_open_invoices",
  ];
  assertStringIncludes(ended.stdout, `\n${said.join("\n")}\n`);
  assertEquals(ended.code, 0);
});

Deno.test("--push says that a tool was replaced and waits for nothing", async () => {
  const answer = { ...DEFINED, version: 3, replaced: true, status: "ready", waits_for: [] };
  const { ended } = await push(() => Response.json(answer));
  const said =
    "Defined ledger_open_invoices, version 3, in the place of the one before.\n  status  ready to be called\n";
  assertEquals(ended.stdout.endsWith(said), true, ended.stdout);
});

Deno.test("--push says that the very file stood there, and not that it was put there", async () => {
  const { ended } = await push(() =>
    Response.json({ ...DEFINED, version: 3, replaced: true, unchanged: true })
  );
  assertStringIncludes(ended.stdout, "\nUnchanged: ledger_open_invoices, version 3, is this very file.\n");
});

Deno.test("--push advises on the address where nothing of the API is at it, and on the workspace where that is", async () => {
  for (
    const [detail, advice] of [
      ["No such path.", "Check FRAMED_API_BASE: "],
      ["Nothing by that name is here for this caller.", "Check --workspace: "],
    ] as const
  ) {
    const refusal = { ok: false, reason: "not_found", title: "There is no such thing here", detail };
    const { ended } = await push(() => Response.json(refusal, { status: 404 }));
    assertStringIncludes(ended.stdout.replaceAll(/\s+/g, " "), advice);
  }
});

Deno.test("--push --json adds what the API said", async () => {
  const { ended } = await push(() => Response.json(DEFINED), ["--json"]);
  const { ok, pushed } = JSON.parse(ended.stdout);
  assertEquals(ok, true);
  assertEquals(pushed, DEFINED);
});

Deno.test("--push --json is not ok when the API refuses, and joins its problems to the file's", async () => {
  const refusal = {
    ok: false,
    reason: "bad_definition",
    title: "The file has problems",
    problems: ["slug: taken"],
  };
  const { ended } = await push(() => Response.json(refusal, { status: 400 }), ["--json"]);
  const { ok, problems, pushed } = JSON.parse(ended.stdout);
  assertEquals([ok, problems], [false, ["slug: taken"]]);
  assertEquals(pushed, { ok: false, reason: "bad_definition", says: "The file has problems." });
  assertEquals(ended.code, 1);
});

Deno.test("--push sends nothing for a file with problems, nor for a good one beside it", async () => {
  for (
    const files of [["problems.json"], ["ledger.json", "problems.json"], ["missing.json", "ledger.json"]]
  ) {
    const { ended, asked } = await push(() => Response.json(DEFINED), [], { files });
    assertEquals([asked, ended.code, ended.stderr], [[], 1, ""]);
    const held = ended.stdout.includes("Not defined. Nothing was sent: another of the files has problems.\n");
    assertEquals(held, files.length > 1);
  }
});

Deno.test("--push --json says of each file whether it was sent", async () => {
  const files = ["ledger.json", "problems.json"];
  const { ended } = await push(() => Response.json(DEFINED), ["--json"], { files });
  const { ok, files: [ledger, problems] } = JSON.parse(ended.stdout);
  assertEquals([ok, ledger.ok, ledger.problems, problems.ok], [false, false, [], false]);
  const says = "Nothing was sent: another of the files has problems.";
  assertEquals([ledger.pushed, problems.pushed], [{ ok: false, reason: null, says }, undefined]);
});

function problem(
  status: number,
  body: Record<string, unknown>,
  headers: Record<string, string> = {},
): () => Response {
  return () =>
    new Response(JSON.stringify({ ok: false, status, ...body }), {
      status,
      headers: { "content-type": "application/problem+json", ...headers },
    });
}

const UNSAID =
  /^Not defined\. http:\S+ answered 200 without saying that it defined ledger_open_invoices: it may be of another version\.$/;
const REFUSALS: [name: string, answer: () => Response, says: RegExp][] = [
  [
    "a wrong key",
    problem(401, { reason: "unauthenticated", title: "The call carries no valid key, token or session" }),
    /^Not defined\. The call carries no valid key, token or session\. Check FRAMED_API_KEY\.$/,
  ],
  [
    "a wrong workspace",
    problem(404, { reason: "not_found", title: "There is no such thing here" }),
    /^Not defined\. There is no such thing here\. Check --workspace: it is none that this key reaches\.$/,
  ],
  [
    "a tool of another owner",
    problem(409, {
      reason: "other_owner",
      title: "The tool belongs to someone else",
      hint: "Choose another slug.",
    }),
    /^Not defined\. The tool belongs to someone else\. Choose another slug\.$/,
  ],
  [
    "how long to wait",
    problem(429, { reason: "rate_limited", title: "Too many calls" }, { "retry-after": "12" }),
    /^Not defined\. Too many calls\. Try again in 12 s\.$/,
  ],
  [
    "how long to wait once",
    problem(429, { reason: "rate_limited", title: "Too many calls", hint: "Try again in 12 s." }, {
      "retry-after": "12",
    }),
    /^Not defined\. Too many calls\. Try again in 12 s\.$/,
  ],
  [
    "no other wait than one in seconds",
    problem(503, { reason: "store_unavailable", title: "Not now" }, { "retry-after": "1e9" }),
    /^Not defined\. Not now\.$/,
  ],
  [
    "a page in the place of the API",
    () => new Response("<!doctype html><title>Welcome</title>", { headers: { "content-type": "text/html" } }),
    /^Not defined\. http:\S+ is not the API of Framed: it answered 200 with text\/html\. Check FRAMED_API_BASE\.$/,
  ],
  [
    "JSON of something else",
    () => Response.json({ message: "Not Found" }, { status: 404 }),
    /^Not defined\. http:\S+ is not the API of Framed: it answered 404 with application\/json\. Check FRAMED_API_BASE\.$/,
  ],
  ["200 without a tool", () => Response.json({ ok: true }), UNSAID],
  ["200 that is not ok", () => Response.json({ ...DEFINED, ok: false }), UNSAID],
  ["200 without ok", () => Response.json({ ...DEFINED, ok: undefined }), UNSAID],
  ["200 of another tool", () => Response.json({ ...DEFINED, tool: "ledger" }), UNSAID],
  ["200 without a version", () => Response.json({ ...DEFINED, version: "1" }), UNSAID],
  [
    "a redirect",
    () => new Response(null, { status: 307, headers: { location: "https://elsewhere.example/" } }),
    /^Not defined\. http:\S+ answers with a redirect, which is not followed/,
  ],
  [
    "a refusal that repeats the key and moves the cursor",
    problem(400, { reason: "bad_request", title: `What is \x1b[2J${KEY}?` }),
    /^Not defined\. What is \\u\{1b\}\[2J\[the key\]\?$/,
  ],
];

for (const [name, answer, says] of REFUSALS) {
  Deno.test(`--push says ${name} in one line`, async () => {
    const { ended } = await push(answer);
    const [, last = ""] = ended.stdout.split(/\n\n(?=[^\n]*\n$)/);
    assertMatch(last.trimEnd(), says);
    assertEquals([ended.code, ended.stderr], [1, ""]);
  });
}

const DEFINED_WITH_KEY = {
  ...DEFINED,
  status: KEY,
  waits_for: [KEY],
  manage_url: `https://console.example/?key=${KEY}`,
};
const REPEATED = { reason: KEY, title: KEY, detail: KEY, hint: KEY, problems: [`slug: ${KEY}`] };
const WITH_KEY: [name: string, answer: () => Response][] = [
  ["what it defined", () => Response.json(DEFINED_WITH_KEY)],
  [
    "what it defined, written otherwise",
    () => new Response(JSON.stringify(DEFINED_WITH_KEY).replaceAll("frk", "\\u0066rk")),
  ],
  ["a refusal", problem(400, REPEATED)],
  ["its content type", () => new Response("", { status: 500, headers: { "content-type": `text/${KEY}` } })],
];

for (const [name, answer] of WITH_KEY) {
  Deno.test(`--push prints no key that the API repeats in ${name}`, async () => {
    // The command fails the test where any of its output holds the key.
    for (const more of [[], ["--json"]]) {
      const { ended, asked } = await push(answer, more);
      assertEquals([asked.length, ended.stderr], [1, ""]);
      assertStringIncludes(ended.stdout, "[the key]");
    }
  });
}

Deno.test("--push prints the problems the API found in the form of its own", async () => {
  const problems = [
    "auth.secret: CONNECTOR_LEDGER belongs to another host",
    "follow_up.check.tool: no such tool",
  ];
  const { ended } = await push(
    problem(400, { reason: "bad_definition", title: "The file has problems", problems }),
  );
  const said = `Not defined. The file has problems.\n\n${problems.map((line) => `  ${line}\n`).join("")}`;
  assertEquals(ended.stdout.endsWith(said), true, ended.stdout);
  assertEquals(ended.code, 1);
});

Deno.test("--push says in one line that an API cannot be reached", async () => {
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const { port } = listener.addr;
  listener.close();
  const ended = await framedTool(["ledger.json"], `http://127.0.0.1:${port}/api`);
  const [, last = ""] = ended.stdout.split(/\n\n(?=[^\n]*\n$)/);
  assertMatch(last, /^Not defined\. http:\S+ cannot be reached: .+\n$/);
  assertEquals([ended.code, ended.stderr], [1, ""]);
});

Deno.test("--push defines every file also for a reader that stops early", async () => {
  const tools: string[] = [];
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen() {} }, async (request) => {
    const { tool } = await request.json();
    tools.push(tool.slug);
    return Response.json({ ...DEFINED, tool: tool.slug });
  });
  const folder = await Deno.makeTempDir();
  try {
    const slugs = ["ledger_a", "ledger_b", "ledger_c"];
    for (const slug of slugs) {
      await Deno.writeTextFile(`${folder}/${slug}.json`, LEDGER.replace(DEFINED.tool, slug));
    }
    const command = [
      Deno.execPath(),
      ...COMMAND,
      "test",
      ...slugs.map((slug) => `${folder}/${slug}.json`),
      ...PUSH,
    ];
    const script = `{ ${command.map((arg) => `'${arg}'`).join(" ")}; echo $? >&2; } | true`;
    const { stderr } = await runProgram("sh", ["-c", script], {
      env: { FRAMED_API_KEY: KEY, FRAMED_API_BASE: `http://127.0.0.1:${server.addr.port}/api` },
    });
    assertEquals([tools, stderr], [slugs, "0\n"]);
  } finally {
    await server.shutdown();
    await Deno.remove(folder, { recursive: true });
  }
});

/** Pushes files to an API that answers as told. */
async function push(
  answer: () => Response,
  more: readonly string[] = [],
  { files = ["ledger.json"] }: { files?: readonly string[] } = {},
): Promise<{ ended: Ended; asked: Asked[] }> {
  const asked: Asked[] = [];
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen() {} }, async (request) => {
    const { pathname } = new URL(request.url);
    asked.push({ path: pathname, key: request.headers.get("x-framed-api-key"), body: await request.text() });
    return answer();
  });
  try {
    const ended = await framedTool([...files, ...more], `http://127.0.0.1:${server.addr.port}/api`);
    return { ended, asked };
  } finally {
    await server.shutdown();
  }
}

/** Runs the real command; no output of it ever holds the key. */
async function framedTool(args: readonly string[], apiBase: string): Promise<Ended> {
  const ended = await runProgram(Deno.execPath(), [...COMMAND, "test", ...args, ...PUSH], {
    cwd: TESTDATA,
    env: { FRAMED_API_KEY: KEY, FRAMED_API_BASE: apiBase },
  });
  assertEquals(`${ended.stdout}${ended.stderr}`.includes(KEY), false);
  return ended;
}
