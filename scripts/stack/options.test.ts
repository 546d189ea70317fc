import { assertEquals } from "@std/assert";
import { readStartOptions, type StartOptions } from "./options.ts";

const DEFAULTS: StartOptions = { port: 54_321, data: null, ephemeral: false, json: false };

const READ: [args: string[], options: Partial<StartOptions>][] = [
  [[], {}],
  [["--port", "8000"], { port: 8000 }],
  [["--port=0", "--json"], { port: 0, json: true }],
  [["--data", "here"], { data: "here" }],
  [["--data=a=b"], { data: "a=b" }],
  [["--ephemeral"], { ephemeral: true }],
];

for (const [args, options] of READ) {
  Deno.test(`readStartOptions() reads ${JSON.stringify(args)}`, () => {
    assertEquals(readStartOptions(args), { ...DEFAULTS, ...options });
  });
}

const REFUSED: [args: string[], problem: string][] = [
  [["--port"], '--port takes a number from 0 to 65535, not "".'],
  [["--port", "65536"], '--port takes a number from 0 to 65535, not "65536".'],
  [["--port", "1e3"], '--port takes a number from 0 to 65535, not "1e3".'],
  [["--data"], "--data takes a folder."],
  [["--data", "--json"], "--data takes a folder."],
  [
    ["--data", "here", "--ephemeral"],
    "--data keeps everything and --ephemeral keeps nothing: give one of them.",
  ],
  [["here"], '"here" is not an option of start.'],
];

for (const [args, problem] of REFUSED) {
  Deno.test(`readStartOptions() refuses ${JSON.stringify(args)}`, () => {
    assertEquals(readStartOptions(args), { problem });
  });
}

Deno.test("readStartOptions() gives help before anything else is looked at", () => {
  assertEquals(readStartOptions(["--help"]), "help");
});
