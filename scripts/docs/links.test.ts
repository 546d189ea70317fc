import { assert } from "@std/assert";
import { dirname, join } from "node:path";

const ROOT = join(import.meta.dirname!, "..", "..");

for (
  const page of [
    "docs/reference.md",
    "docs/administer.md",
    "docs/follow-up.md",
    "docs/operate.md",
    "README.md",
    "docs/connect.md",
  ]
) {
  Deno.test(`every link of ${page} leads to a page and a heading that are there`, async () => {
    const markdown = await Deno.readTextFile(join(ROOT, page));
    const links = [...markdown.matchAll(/\]\(([^)#\s]*)(?:#([^)\s]*))?\)/g)];
    assert(links.length > 0);
    for (const [link, path, anchor] of links) {
      if (path!.startsWith("https://")) continue;
      const target = path === "" ? page : join(dirname(page), path!);
      const text = await Deno.readTextFile(join(ROOT, target));
      if (anchor !== undefined) assert(anchorsOf(text).has(anchor), `${link} in ${page}`);
    }
  });
}

/** The anchors that GitHub gives the headings of `markdown`. */
function anchorsOf(markdown: string): Set<string> {
  const headings = markdown.split("\n").flatMap((line) => /^#{1,6} (.*)$/.exec(line)?.[1] ?? []);
  return new Set(
    headings.map((heading) => heading.toLowerCase().replace(/[^\p{L}\p{N}_ -]/gu, "").replaceAll(" ", "-")),
  );
}
