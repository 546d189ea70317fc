import { assert, assertEquals } from "@std/assert";
import { readClientMetadata, redirectOf } from "./client.ts";

const redirect_uris = ["https://host.example/callback"];

const NAMES: readonly [given: unknown, shown: string][] = [
  ["Claude Code (framed)", "Claude Code (framed)"],
  ["  Two\n lines\t ", "Two lines"],
  ["Framed\u202eedoC", "Framed edoC"],
  ["zero\u200bwidth", "zero width"],
  ["日本語のホスト", "日本語のホスト"],
  ["x".repeat(200), "x".repeat(80)],
  ["🙂".repeat(100) + "a", "A program without a name"],
  ["", "A program without a name"],
  ["\u2800\u3164", "A program without a name"],
  ["...", "A program without a name"],
  [undefined, "A program without a name"],
  [7, "A program without a name"],
  ["\ud800 half", "half"],
  [`frk_live_${"a".repeat(49)}`, "A program without a name"],
];

for (const [given, shown] of NAMES) {
  Deno.test(`readClientMetadata() shows ${JSON.stringify(given)?.slice(0, 40)} as a name that can be read`, () => {
    const read = readClientMetadata(
      given === undefined ? { redirect_uris } : { redirect_uris, client_name: given as string },
    );
    assert(!("error" in read));
    assertEquals(read.name, shown);
  });
}

Deno.test("redirectOf() finds what was registered and may be gone to, and nothing else", () => {
  const client = {
    id: "1",
    name: "A host",
    redirectUris: [...redirect_uris, "http://localhost/cb", "javascript:alert(1)"],
  };
  const found = [
    "https://host.example/callback",
    "http://localhost:5000/x",
    "javascript:alert(1)",
    "https://other.example/",
  ]
    .map((uri) => redirectOf(client, uri)?.shown ?? null);
  assertEquals(found, ["host.example", "localhost:5000", null, null]);
});
