import { assertEquals } from "@std/assert";
import type { Tool } from "../tools/tool.ts";
import { createDefinitions, type Reaching } from "./definitions.ts";

function tool(slug: string, { version = 1, chars = 10 } = {}): Tool {
  return {
    workspace_id: "w",
    id: `id-${slug}`,
    slug,
    version,
    file: { slug: "x".repeat(chars) },
  } as unknown as Tool;
}

const PRESENTED = { key_hash: "aa" };
const at = (slug: string, { workspaceId = "w", presented = PRESENTED }: Partial<Reaching> = {}) => ({
  workspaceId,
  slug,
  presented,
});

Deno.test("createDefinitions() finds what was last seen under a name, on its workspace only", () => {
  const definitions = createDefinitions();
  assertEquals(definitions.find(at("a")), null);
  definitions.keep(tool("a"), PRESENTED);
  definitions.keep(tool("a", { version: 2 }), PRESENTED);
  assertEquals(definitions.find(at("a"))?.version, 2);
  assertEquals(definitions.find(at("a", { workspaceId: "other" })), null);
});

Deno.test("createDefinitions() finds nothing for who did not reach the tool, or was forgotten", () => {
  const definitions = createDefinitions({ maxReached: 3 });
  definitions.keep(tool("a"), PRESENTED);
  definitions.keep(tool("b"), { key_hash: "bb" });
  for (const presented of [{ key_hash: "bb" }, { key_hash: "a" }, { user_id: "aa" }]) {
    assertEquals(definitions.find(at("a", { presented })), null);
  }
  assertEquals(definitions.find(at("b")), null, "another tool of the same workspace");
  definitions.forget(at("a"));
  assertEquals(definitions.find(at("a")), null);
  definitions.keep(tool("a"), { key_hash: "1" });
  definitions.keep(tool("a"), { key_hash: "2" });
  definitions.find(at("b", { presented: { key_hash: "bb" } }));
  definitions.keep(tool("a"), { key_hash: "3" });
  const found = ["1", "2", "3"].filter((key_hash) =>
    definitions.find(at("a", { presented: { key_hash } })) !== null
  );
  assertEquals(found, ["2", "3"], "the one longest unused is forgotten first");
});

Deno.test("createDefinitions() forgets the one longest unused when files take too much", () => {
  const definitions = createDefinitions({ maxChars: 300 });
  const keep = (slug: string, chars = 100) => definitions.keep(tool(slug, { chars }), PRESENTED);
  for (const slug of ["a", "b"]) keep(slug);
  definitions.find(at("a"));
  keep("c");
  const found = ["a", "b", "c"].filter((slug) => definitions.find(at(slug)) !== null);
  assertEquals(found, ["a", "c"]);
  keep("d", 400);
  assertEquals(["a", "c", "d"].filter((slug) => definitions.find(at(slug)) !== null), []);
  keep("e");
  assertEquals(definitions.find(at("e"))?.slug, "e", "what was forgotten is not counted any more");
});
