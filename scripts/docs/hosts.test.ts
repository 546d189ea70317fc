/** The configuration that docs/hosts.md shows: readable by the hosts, with one address, and with no key in it. */

import { assert, assertEquals } from "@std/assert";
import { join } from "node:path";
import { parse as parseToml } from "smol-toml";
import { MANIFEST } from "../npm/manifest.ts";
import { readyPage } from "../stack/ready.ts";
import { makeSettings } from "../stack/settings.ts";

const PAGE = await Deno.readTextFile(join(import.meta.dirname!, "..", "..", "docs", "hosts.md"));
const ADDRESS = "https://www.framed.dev/api/connect/mcp";
const PARSERS: Record<string, (text: string) => unknown> = { json: JSON.parse, toml: parseToml };

/** The examples of the page with their language and the heading they stand under. */
function readExamples(): { heading: string; language: string; text: string }[] {
  const examples = [];
  for (const section of PAGE.split(/^## /m)) {
    const heading = section.split("\n", 1)[0]!;
    for (const [, language, text] of section.matchAll(/^```(\w+)\n(.*?)^```$/gms)) {
      examples.push({ heading, language: language!, text: text! });
    }
  }
  return examples;
}

/** The one server that a host's configuration names, whatever it calls the place for servers. */
function serverIn(config: unknown): Record<string, unknown> {
  const { mcpServers, servers, mcp_servers, inputs: _, ...more } = config as Record<
    string,
    Record<string, Record<string, unknown>> | undefined
  >;
  assertEquals(more, {});
  const [named, ...others] = [mcpServers, servers, mcp_servers].filter((place) => place !== undefined);
  assertEquals([others, Object.keys(named!)], [[], ["framed"]]);
  return named!.framed!;
}

const configs = readExamples().filter(({ language }) => language in PARSERS);

for (const [index, { heading, language, text }] of configs.entries()) {
  Deno.test(`docs/hosts.md: example ${index + 1} of configuration, ${heading}, is ${language} of one server`, () => {
    const server = serverIn(PARSERS[language]!(text));
    const { url, httpUrl, command, args, type, headers, env_http_headers, env_vars, ...more } = server;
    assertEquals(more, {});
    if (command === undefined) {
      assertEquals(url ?? httpUrl, ADDRESS);
      assertEquals(["http", undefined].includes(type as string), true);
    } else {
      assertEquals([command, args], ["npx", ["-y", MANIFEST.name]]);
      assert(MANIFEST.name.split("/")[1]! in MANIFEST.bin, "npx starts the program named as the package");
    }
    // A key comes from elsewhere: by its variable's name, or by what the host fills in.
    for (const [name, value] of Object.entries(headers ?? {})) {
      assertEquals(name, "X-Framed-Api-Key");
      assert(/^\$\{(?:env:|input:)?[\w-]+\}$/.test(String(value)), String(value));
    }
    assertEquals(env_http_headers ?? { "X-Framed-Api-Key": "FRAMED_API_KEY" }, {
      "X-Framed-Api-Key": "FRAMED_API_KEY",
    });
    assertEquals(env_vars ?? ["FRAMED_API_KEY"], ["FRAMED_API_KEY"]);
  });
}

Deno.test("docs/hosts.md has a place for each host, and configuration for each that reads a file", () => {
  const headings = [...PAGE.matchAll(/^## (.+)$/gm)].map(([, heading]) => heading!);
  for (
    const host of [
      "Claude, on the web",
      "Claude Code",
      "ChatGPT",
      "Codex CLI",
      "Cursor",
      "VS Code",
      "Gemini CLI",
      "Any host",
    ]
  ) {
    assert(headings.some((heading) => heading.startsWith(host)), host);
  }
  const shown = new Set(configs.map(({ heading }) => heading));
  assertEquals([...shown], headings.filter((heading) => /Code|Codex|Cursor|Gemini|Any host/.test(heading)));
  assertEquals(/frk_live_|fct_/.test(PAGE), false);
});

Deno.test("docs/hosts.md names no address but Connect's, the API's and the local stack's", () => {
  const addresses = new Set(
    [...PAGE.matchAll(/https?:\/\/[^\s`"')]+/g)].map(([address]) => address.replace(/\.$/, "")),
  );
  const known = [ADDRESS, "http://127.0.0.1:54321/api/connect/mcp", "https://www.framed.dev/api"];
  assertEquals([...addresses].filter((address) => !known.includes(address)), []);
});

Deno.test("the local stack prints the address of Connect that docs/hosts.md and docs/operate.md name", async () => {
  const printed = readyPage({
    origin: "http://127.0.0.1:54321",
    databaseUrl: "postgresql://127.0.0.1:5432/postgres",
    dataFolder: null,
    settings: await makeSettings(),
  });
  const [, address] = /^ +Connect +(\S+)$/m.exec(printed) ?? [];
  assertEquals(address, "http://127.0.0.1:54321/api/connect/mcp");
  const operate = await Deno.readTextFile(join(import.meta.dirname!, "..", "..", "docs", "operate.md"));
  for (const page of [PAGE, operate]) assert(page.includes(`\`${address}\``), "each names it");
});
