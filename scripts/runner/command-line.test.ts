import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { readCommand } from "./command-line.ts";

const KEY = "frk_live_test";
const ENV = { FRAMED_API_KEY: KEY };

Deno.test("readCommand() reads what is well formed", () => {
  assertEquals(readCommand(["--help"], {}), { does: "help" });
  assertEquals(readCommand(["test", "x", "-h"], {}), { does: "help" });
  assertEquals(readCommand(["--version"], {}), { does: "version" });
  assertEquals(readCommand(["schema"], {}), { does: "schema" });
  assertEquals(readCommand(["test", "a.json", "-", "--json"], {}), {
    does: "test",
    files: ["a.json", "-"],
    json: true,
    live: false,
    push: null,
  });
  const live = readCommand(["test", "a.json", "--live"], {});
  assert("live" in live && live.live);
});

for (const args of [["--push", "--workspace", "W"], ["--workspace=W", "--push"]]) {
  Deno.test(`readCommand() reads the target of ${args.join(" ")}`, () => {
    const command = readCommand(["test", "a.json", ...args], ENV);
    assert("push" in command);
    assertEquals(command.push, { workspaceId: "W", apiKey: KEY, apiBase: "https://www.framed.dev/api" });
  });
}

Deno.test("readCommand() takes the workspace of the environment where none is named, and the named one before it", () => {
  for (const [args, workspaceId] of [[[], "E"], [["--workspace", "W"], "W"]] as const) {
    const command = readCommand(["test", "a.json", "--push", ...args], { ...ENV, FRAMED_WORKSPACE: " E " });
    assert("push" in command);
    assertEquals(command.push?.workspaceId, workspaceId);
  }
});

const BASES: [base: string, read: string][] = [
  ["https://api.example/api/", "https://api.example/api"],
  ["http://127.0.0.1:54321/api", "http://127.0.0.1:54321/api"],
  ["http://localhost:54321/api", "http://localhost:54321/api"],
  ["http://[::1]:54321/api", "http://[::1]:54321/api"],
  ["  ", "https://www.framed.dev/api"],
];

for (const [base, read] of BASES) {
  Deno.test(`readCommand() reads the API base ${JSON.stringify(base)}`, () => {
    const command = readCommand(["test", "a.json", "--push", "--workspace", "W"], {
      ...ENV,
      FRAMED_API_BASE: base,
    });
    assert("push" in command);
    assertEquals(command.push?.apiBase, read);
  });
}

const PUSH = ["test", "a.json", "--push", "--workspace", "W"];
const WRONG: [args: string[], env: Record<string, string>, says: string][] = [
  [[], {}, "Say what to do"],
  [["tset", "a.json"], {}, "There is no command tset; there are test and schema."],
  [["test"], {}, "Name the file"],
  [["test", "-", "-"], {}, "Standard input can be read once"],
  [["test", "a.json", "--pus"], {}, "There is no option --pus; there are --json"],
  [["test", "a.json", "-j"], {}, "There is no option -j"],
  [["test", "a.json", "--json=yes"], {}, "--json takes no value."],
  [["schema", "a.json"], {}, "schema takes nothing"],
  [["schema", "--json"], {}, "schema takes nothing"],
  [["test", "a.json", "--workspace", "W"], ENV, "--workspace goes with --push."],
  [["test", "a.json", "--push"], ENV, "--push needs the workspace"],
  [["test", "a.json", "--push"], { ...ENV, FRAMED_WORKSPACE: " " }, "--push needs the workspace"],
  [["test", "a.json", "--push", "--workspace"], ENV, "--workspace needs the id"],
  [["test", "a.json", "--push", "--workspace="], ENV, "--workspace needs the id"],
  [["test", "a.json", "--workspace", "--push"], ENV, "--workspace needs the id"],
  [["test", "a.json", "--workspace"], ENV, "--workspace needs the id"],
  [["\x1b[2J\u202e"], {}, String.raw`There is no command "\u001b[2J\u{202e}";`],
  [["--\x1b[2J=x"], {}, String.raw`There is no option --"\u001b[2J";`],
  [["-\x1b[2J"], {}, String.raw`There is no option -"\u001b[2J";`],
  [["frk_live_0123456789abcdefghijklmnop"], {}, "There is no command text of 35 characters;"],
  [PUSH, {}, "Set FRAMED_API_KEY"],
  [PUSH, { FRAMED_API_KEY: " " }, "Set FRAMED_API_KEY"],
  [PUSH, { FRAMED_API_KEY: `${KEY}\n${KEY}` }, "FRAMED_API_KEY holds what no key has"],
  [PUSH, { FRAMED_API_KEY: "frk_live_…" }, "FRAMED_API_KEY holds what no key has"],
  [PUSH.with(-1, KEY), ENV, "--workspace holds the key"],
  [PUSH, { ...ENV, FRAMED_API_BASE: `https://framed.dev/api/${KEY}` }, "FRAMED_API_BASE holds the key"],
  [PUSH, { ...ENV, FRAMED_API_BASE: "www.framed.dev" }, "FRAMED_API_BASE is no address"],
  [PUSH, { ...ENV, FRAMED_API_BASE: "ftp://framed.dev" }, "FRAMED_API_BASE is no address"],
  [PUSH, { ...ENV, FRAMED_API_BASE: "https://framed.dev/api?x=1" }, "FRAMED_API_BASE is no address"],
  [PUSH, { ...ENV, FRAMED_API_BASE: "https://user:word@framed.dev/api" }, "FRAMED_API_BASE carries a user"],
  [PUSH, { ...ENV, FRAMED_API_BASE: "http://framed.dev/api" }, "FRAMED_API_BASE is http"],
  [PUSH, { ...ENV, FRAMED_API_BASE: "http://localhost.framed.dev/api" }, "FRAMED_API_BASE is http"],
];

for (const [args, env, says] of WRONG) {
  Deno.test(`readCommand() says what is wrong with ${JSON.stringify(args)} and ${JSON.stringify(env)}`, () => {
    const command = readCommand(args, env);
    assert("usage" in command);
    assertStringIncludes(command.usage, says);
    assertEquals(command.usage.includes("\n") || command.usage.includes(KEY), false);
  });
}
