/** The story that the docs tell is the one that the stack plays. */

import { assertEquals } from "@std/assert";
import { join } from "node:path";
import { readExamples } from "../docs/examples.ts";
import { playStory } from "./follow-up.ts";

const PAGE = await Deno.readTextFile(join(import.meta.dirname!, "..", "..", "docs", "follow-up.md"));

Deno.test("docs/follow-up.md shows the timeline that the story plays", async () => {
  const [told] = readExamples(PAGE).filter(({ language }) => language === "text");
  const played = (await playStory()).join("\n");
  assertEquals(played, told?.text);
});
