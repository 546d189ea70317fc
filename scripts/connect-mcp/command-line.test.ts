import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { readCommand } from "./command-line.ts";
import { configFolder } from "./config-folder.ts";

const KEY = "frk_live_0123456789abcdefghijklmnopqrstuvwxyz";

Deno.test("readCommand() serves a host unless it is told otherwise", () => {
  const address = { apiBase: "https://www.framed.dev/api", apiKey: null };
  assertEquals(readCommand([], {}), { does: "serve", address });
  assertEquals(readCommand(["login"], {}), { does: "login", address });
  assertEquals(readCommand(["logout"], { FRAMED_API_BASE: "http://127.0.0.1:54321/api/" }), {
    does: "logout",
    address: { apiBase: "http://127.0.0.1:54321/api", apiKey: null },
  });
  assertEquals(readCommand([], { FRAMED_API_KEY: ` ${KEY}\n` }), {
    does: "serve",
    address: { ...address, apiKey: KEY },
  });
  assertEquals(readCommand(["login", "--help"], {}), { does: "help" });
  assertEquals(readCommand(["--version"], {}), { does: "version" });
});

const REFUSED: readonly [args: string[], env: Record<string, string>, words: string][] = [
  [["lgoin"], {}, "There is no command lgoin; there are login and logout"],
  [["login", "now"], {}, "login takes nothing"],
  [["--key=x"], {}, "There is no option --key; there are --help and --version"],
  [["login"], { FRAMED_API_KEY: KEY }, "FRAMED_API_KEY is set, so that nobody signs in"],
  [[], { FRAMED_API_BASE: "http://framed.dev/api" }, "FRAMED_API_BASE is http"],
  [[], { FRAMED_API_BASE: `https://x.example/${KEY}`, FRAMED_API_KEY: KEY }, "FRAMED_API_BASE holds the key"],
  [[KEY], {}, "There is no command"],
  [[`--${KEY}`], {}, "There is no option"],
];
for (const [args, env, words] of REFUSED) {
  Deno.test(`readCommand() says what is wrong: ${words}`, () => {
    const command = readCommand(args, env);
    assert("usage" in command);
    assertStringIncludes(command.usage, words);
    assertEquals(command.usage.includes(KEY), false);
  });
}

Deno.test("configFolder() is the person's own, and none where nothing says whose", () => {
  const unix = { platform: "linux", home: "/home/ada" };
  assertEquals(configFolder({}, unix), "/home/ada/.config/framed");
  assertEquals(configFolder({ XDG_CONFIG_HOME: "/elsewhere/" }, unix), "/elsewhere/framed");
  assertEquals(configFolder({ XDG_CONFIG_HOME: "relative" }, unix), "/home/ada/.config/framed");
  assertEquals(configFolder({}, { ...unix, home: "" }), null);
  assertEquals(configFolder({ APPDATA: "C:\\Ada" }, { platform: "win32", home: "C:\\" }), "C:\\Ada\\framed");
  assertEquals(configFolder({}, { platform: "win32", home: "C:\\" }), null);
});
