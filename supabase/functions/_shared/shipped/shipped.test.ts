import { assertEquals } from "@std/assert";
import { readShippedTool, shippedSlugs } from "./shipped.ts";

const TOOLS = new URL("../../../../tools/", import.meta.url);

Deno.test("readShippedTool() reads every file of tools/ as it is, each under its own slug", () => {
  const folders = [...Deno.readDirSync(TOOLS)].filter(({ isDirectory }) => isDirectory).map(({ name }) =>
    name
  ).sort();
  assertEquals(shippedSlugs(), folders);
  for (const slug of folders) {
    const tool = readShippedTool(slug);
    assertEquals(tool.slug, slug);
    assertEquals(
      JSON.stringify(tool),
      JSON.stringify(JSON.parse(Deno.readTextFileSync(new URL(`${slug}/framed-tool.json`, TOOLS)))),
    );
  }
});
