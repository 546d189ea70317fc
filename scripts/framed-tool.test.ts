import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import {
  FRAMED_TOOL_SCHEMA,
  hostViews,
  readFramedTool,
  workspaceNotes,
} from "../supabase/functions/_shared/framed-tool.ts";
import { readShippedTool } from "../supabase/functions/_shared/shipped/shipped.ts";
import { type RunOptions, runProgram } from "./testing/run-program.ts";

const CONFIG = fileURLToPath(new URL("../deno.json", import.meta.url));
const RUNNER = fileURLToPath(new URL("./framed-tool.ts", import.meta.url));
const TESTDATA = fileURLToPath(new URL("./runner/testdata", import.meta.url));
const LEDGER = await Deno.readTextFile(`${TESTDATA}/ledger.json`);
/** Without the network: what leaves the machine without --push would fail. */
const COMMAND = [
  "run",
  "--no-prompt",
  "--no-lock",
  "--allow-read",
  "--allow-env",
  "--config",
  CONFIG,
  RUNNER,
];

Deno.test("framed-tool test shows each example with its host view, plain in a pipe", async () => {
  const { code, stdout, stderr } = await framedTool(["test", "ledger.json"]);
  assertEquals(stderr, "");
  assertEquals(stdout, await Deno.readTextFile(`${TESTDATA}/ledger.txt`));
  assertEquals(code, 0);
});

Deno.test("framed-tool test lists the problems of a file as the check says them", async () => {
  const source = await Deno.readTextFile(`${TESTDATA}/problems.json`);
  const result = readFramedTool(source);
  assert(!result.ok);
  const { code, stdout, stderr } = await framedTool(["test", "problems.json"]);
  const count = result.problems.length;
  assertEquals(
    stdout,
    `problems.json: ${count} problems\n\n${result.problems.map((line) => `  ${line}\n`).join("")}`,
  );
  assertEquals(stderr, "");
  assertEquals(code, 1);
});

Deno.test("framed-tool test says of a file that ships with Framed that its names are for such files, and nothing else", async () => {
  const { code, stdout, stderr } = await framedTool(["test", "framed-tool.json"], {
    cwd: `${dirname(CONFIG)}/tools/moneybird`,
  });
  const says =
    "names starting CONNECTOR_MONEYBIRD_ are for files that ship with Framed; another name is wanted";
  const problems = ["auth.env.accessToken", "auth.env.administrationId"].map((path) =>
    `  ${path}: ${says}\n`
  );
  assertEquals(stdout, `framed-tool.json: 2 problems\n\n${problems.join("")}`);
  assertEquals([code, stderr], [1, ""]);
  // As the seeded file it is, it has none, and no call of an example is refused.
  const views = hostViews(readShippedTool("moneybird"));
  assertEquals(views.filter(({ does }) => does === "refused"), []);
  assert(views.length > 0);
});

Deno.test("framed-tool test repeats no credential of a file", async () => {
  const credential = ["sk", "live", "0123456789abcdefghij"].join("_");
  const stdin = LEDGER.replace("Open invoices", credential).replace("{{secret}}", credential);
  for (const args of [["test", "-"], ["test", "-", "--json"]]) {
    const { code, stdout, stderr } = await framedTool(args, { stdin });
    assertEquals(code, 1);
    assertEquals(stdout.includes(credential), false);
    assertEquals(stderr, "");
  }
});

Deno.test("framed-tool test reads standard input, with a byte order mark too", async () => {
  for (const stdin of [LEDGER, `\ufeff${LEDGER}`]) {
    const { code, stdout } = await framedTool(["test", "-"], { stdin });
    assertMatch(stdout, /^standard input: fine\n/);
    assertEquals(code, 0);
  }
});

Deno.test("framed-tool test --json prints one file's result", async () => {
  const { code, stdout } = await framedTool(["test", "ledger.json", "--json"]);
  const result = readFramedTool(LEDGER);
  assert(result.ok);
  const { notes, ...rest } = JSON.parse(stdout);
  assertEquals(rest, { ok: true, problems: [], host_sees: hostViews(result.tool).map(({ sees }) => sees) });
  assertMatch(notes[0], /^fixtures\[0\]: What is shown is the fixture's answer/);
  assertEquals(notes.at(-1), workspaceNotes(result.tool).at(-1));
  assertEquals(code, 0);
});

Deno.test("framed-tool test --json prints several files' results by their names", async () => {
  const { code, stdout } = await framedTool([
    "test",
    "ledger.json",
    "problems.json",
    "missing.json",
    "--json",
  ]);
  const { ok, files } = JSON.parse(stdout);
  assertEquals(ok, false);
  assertEquals(files.map(({ file, ok }: { file: string; ok: boolean }) => [file, ok]), [
    ["ledger.json", true],
    ["problems.json", false],
    ["missing.json", false],
  ]);
  assertMatch(
    files[2].problems[0],
    /^file: cannot be read: there is no such file; looked at .+missing\.json$/,
  );
  assertEquals(code, 1);
});

Deno.test("framed-tool test --json prints one JSON document whatever it finds, and none when called wrongly", async () => {
  const found = [["ledger.json"], ["problems.json"], ["missing.json"], ["."], ["/dev/null"], ["/dev/zero"], [
    "-",
  ], ["-", "missing.json"]];
  for (const files of found) {
    const { stdout, stderr } = await framedTool(["test", "--json", ...files]);
    assertEquals([typeof JSON.parse(stdout).ok, stdout.at(-1), stderr], ["boolean", "\n", ""]);
  }
  const wrong = await framedTool(["test", "--json", "--pus", "ledger.json"]);
  assertEquals([wrong.code, wrong.stdout], [2, ""]);
});

Deno.test("framed-tool test checks every file also when one has problems", async () => {
  const { code, stdout } = await framedTool(["test", "problems.json", "ledger.json"]);
  assertMatch(stdout, /^problems\.json: \d+ problems\n[^]+\nledger\.json: fine\n/);
  assertEquals(code, 1);
});

Deno.test("framed-tool test says in one line why a file cannot be read", async () => {
  const cases: [file: string, why: string][] = [["missing.json", "there is no such file"], [
    ".",
    "it is a folder",
  ]];
  for (const [file, why] of cases) {
    const { code, stdout, stderr } = await framedTool(["test", file]);
    assertStringIncludes(stdout, `${file}: cannot be read: ${why}; looked at ${TESTDATA}`);
    assertEquals(stdout.trimEnd().includes("\n"), false);
    assertEquals([code, stderr], [1, ""]);
  }
});

Deno.test("framed-tool test reads no more of a file or of standard input than a file may be long", async () => {
  const says = "the text is more than 262,144 bytes; at most 262,144 bytes are taken\n";
  // Neither ends: whoever reads on reads for ever.
  const file = await framedTool(["test", "/dev/zero"]);
  assertEquals([file.code, file.stdout, file.stderr], [1, `/dev/zero: ${says}`, ""]);
  const piped = await runProgram("sh", ["-c", `yes | ${shellCommand(["test", "-"])}`]);
  assertEquals([piped.code, piped.stdout], [1, `standard input: ${says}`]);
});

Deno.test("framed-tool test takes a file of exactly the most bytes", async () => {
  const blanks = " ".repeat(256 * 1024 - new TextEncoder().encode(LEDGER).byteLength);
  const [most, more] = [
    await framedTool(["test", "-"], { stdin: LEDGER + blanks }),
    await framedTool(["test", "-"], {
      stdin: `${LEDGER}${blanks} `,
    }),
  ];
  assertEquals([most.code, more.code], [0, 1]);
});

Deno.test("framed-tool test lets no file write to the terminal", async () => {
  const stdin = LEDGER.replace("two open", "\\u001b[2J\\u202etwo").replace(
    '"id": 1',
    '"id": "\\u009b2J\\u202e"',
  );
  for (const args of [["test", "-"], ["test", "-", "--json"]]) {
    const { stdout } = await framedTool(args, { stdin });
    for (const hidden of ["\x1b", "\x9b", "\u202e"]) assertEquals(stdout.includes(hidden), false);
    assertStringIncludes(stdout, "202e");
  }
});

Deno.test("framed-tool schema prints the schema of the file", async () => {
  const { code, stdout } = await framedTool(["schema"]);
  assertEquals(JSON.parse(stdout), JSON.parse(JSON.stringify(FRAMED_TOOL_SCHEMA)));
  assertEquals(code, 0);
});

const UNREAD: [args: string[], code: number][] = [
  [["schema"], 0],
  [["test", "ledger.json", "ledger.json"], 0],
  [["test", "ledger.json", "problems.json"], 1],
  [["test", "ledger.json", "problems.json", "--json"], 1],
];

for (const [args, code] of UNREAD) {
  Deno.test(`framed-tool ${args.join(" ")} ends with ${code} also for a reader that stops early`, async () => {
    // The exit code goes around the pipe, which only knows its reader's.
    const script = `{ ${shellCommand(args)}; echo $? >&2; } | true`;
    const { stderr } = await runProgram("sh", ["-c", script], { cwd: TESTDATA });
    assertEquals(stderr, `${code}\n`);
  });
}

// A device that is always full.
if (Deno.build.os === "linux") {
  Deno.test("framed-tool says in one line that its output cannot be written, and ends with 1", async () => {
    for (
      const args of [["schema"], ["--version"], ["test", "ledger.json"], ["test", "ledger.json", "--json"]]
    ) {
      const { code, stderr } = await runProgram("sh", ["-c", `${shellCommand(args)} > /dev/full`], {
        cwd: TESTDATA,
      });
      assertEquals(stderr, "Not all of this could be printed: there is no room left where it goes.\n");
      assertEquals(code, 1);
    }
    const usage = await runProgram("sh", ["-c", `${shellCommand(["tset"])} 2> /dev/full`]);
    assertEquals([usage.code, usage.stdout], [2, ""]);
  });
}

Deno.test("framed-tool --help and --version answer on standard output", async () => {
  const help = await framedTool(["--help"]);
  assertStringIncludes(help.stdout, "framed-tool test FILE…");
  assertEquals(help.code, 0);
  const version = await framedTool(["--version"]);
  assertMatch(version.stdout, /^\d+\.\d+\.\d+\n$/);
  assertEquals(version.code, 0);
});

Deno.test("framed-tool exits 2 with what to do when it is called wrongly", async () => {
  for (
    const args of [[], ["tset"], ["test"], ["test", "ledger.json", "--pus"], [
      "test",
      "ledger.json",
      "--push",
    ]]
  ) {
    const { code, stdout, stderr } = await framedTool(args);
    assertEquals([code, stdout], [2, ""]);
    assertMatch(stderr, /^.+\nMore: framed-tool --help\n$/);
  }
});

Deno.test("framed-tool lets no argument write to the terminal", async () => {
  for (
    const args of [["\x1b[2J"], ["--\x1b[2J"], ["test", "\x1b[2J.json"], ["test", "\x1b[2J.json", "--json"]]
  ) {
    const { code, stdout, stderr } = await framedTool(args);
    assertEquals([code > 0, `${stdout}${stderr}`.includes("\x1b")], [true, false]);
  }
});

Deno.test("deno task framed-tool reads files from the folder the person stands in", async () => {
  const elsewhere = await Deno.makeTempDir();
  try {
    await Deno.copyFile(`${TESTDATA}/ledger.json`, `${elsewhere}/ledger.json`);
    for (const cwd of [TESTDATA, elsewhere]) {
      const task = ["task", "--config", CONFIG, "framed-tool", "test", "ledger.json"];
      const { code, stdout } = await runProgram(Deno.execPath(), task, { cwd });
      assertMatch(stdout, /^ledger\.json: fine\n/);
      assertEquals(code, 0);
    }
  } finally {
    await Deno.remove(elsewhere, { recursive: true });
  }
});

Deno.test("deno task framed-tool says in one line that the folder it was called from is gone", async () => {
  const gone = await Deno.makeTempDir();
  await Deno.remove(gone);
  const ended = await framedTool(["test", "ledger.json"], { cwd: dirname(CONFIG), env: { INIT_CWD: gone } });
  assertEquals(ended, {
    code: 2,
    stdout: "",
    stderr: `The folder this was called from, ${gone}, cannot be entered: is it still there?\n`,
  });
});

// `script` gives a program a terminal of its own.
if (Deno.build.os === "linux" && (await Deno.stat("/usr/bin/script").catch(() => null)) !== null) {
  Deno.test("framed-tool test is coloured on a terminal, and not with NO_COLOR", async () => {
    const args = ["-qec", shellCommand(["test", "ledger.json"]), "/dev/null"];
    const env = { TERM: "xterm" };
    const coloured = await runProgram("/usr/bin/script", args, { cwd: TESTDATA, env });
    assertStringIncludes(coloured.stdout, "\x1b[32mfine\x1b[39m");
    const plain = await runProgram("/usr/bin/script", args, {
      cwd: TESTDATA,
      env: { ...env, NO_COLOR: "1" },
    });
    assertStringIncludes(plain.stdout, "ledger.json: fine");
    assertEquals(plain.stdout.includes("\x1b["), false);
  });

  for (const columns of [80, 40]) {
    Deno.test(`framed-tool test breaks its words at the edge of a terminal of ${columns} columns, and no host view`, async () => {
      for (const file of ["problems.json", "ledger.json"]) {
        const run = `stty cols ${columns}; ${shellCommand(["test", file])}`;
        const onTerminal = await runProgram("/usr/bin/script", ["-qec", run, "/dev/null"], {
          cwd: TESTDATA,
          env: { TERM: "xterm", NO_COLOR: "1" },
        });
        const piped = await framedTool(["test", file]);
        const shown = onTerminal.stdout.replaceAll("\r\n", "\n");
        assertEquals(shown.split(/\s+/), piped.stdout.split(/\s+/));
        assert(shown.split("\n").length > piped.stdout.split("\n").length);
        // The host view is indented by six, and whole.
        for (const line of shown.split("\n").filter((line) => !/^ {6,}["{}\[\]]/.test(line))) {
          assert(line.length <= columns, line);
        }
      }
    });
  }
}

function framedTool(args: readonly string[], options: RunOptions = {}) {
  return runProgram(Deno.execPath(), [...COMMAND, ...args], { cwd: TESTDATA, ...options });
}

/** The real command as a shell takes it. */
function shellCommand(args: readonly string[]): string {
  return [Deno.execPath(), ...COMMAND, ...args].map((arg) => `'${arg}'`).join(" ");
}
