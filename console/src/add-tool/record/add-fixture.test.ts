import { assert, assertEquals } from "@std/assert";
import {
  hostViews,
  readFramedTool,
  selectFixture,
} from "../../../../supabase/functions/_shared/framed-tool.ts";
import type { JsonObject } from "../../../../supabase/functions/_shared/definition/json.ts";
import { addFixture, clipLists, type NewFixture } from "./add-fixture.ts";

const FILE: JsonObject = {
  format: "framed-tool/1",
  slug: "rooms",
  name: "Rooms",
  description: "The rooms of the house.",
  access: "read",
  kind: "fixture",
  arguments: { type: "object", properties: { floor: { type: "integer" }, side: { type: "string" } } },
  fixtures: [{ example: { floor: 1 }, response: "first" }, { response: "any" }],
};

Deno.test("addFixture() puts a fixture where the file stays fine and it answers its own call", () => {
  const cases: NewFixture[] = [
    { example: { floor: 2 }, response: "new" },
    { example: { floor: 1, side: "north" }, response: "new" },
    { example: { floor: 1 }, label: "again", response: "new" },
    { response: "new" },
  ];
  for (const fixture of cases) {
    const read = readFramedTool(JSON.stringify(addFixture(FILE, fixture)));
    assert(read.ok, JSON.stringify(read));
    assertEquals(selectFixture(read.tool, { args: fixture.example ?? {} })?.response, "new");
    assert(hostViews(read.tool).some(({ sees }) => sees.result === "new"));
  }
});

Deno.test("addFixture() takes the place of the fixture with the same example, and leaves the others", () => {
  const { fixtures } = addFixture(FILE, { example: { floor: 1 }, response: "new" });
  assertEquals(fixtures, [{ example: { floor: 1 }, response: "new" }, { response: "any" }]);
  assertEquals(FILE.fixtures, [{ example: { floor: 1 }, response: "first" }, { response: "any" }]);
});

Deno.test("clipLists() shortens every list and nothing else", () => {
  assertEquals(clipLists({ total: 3, rows: [{ a: [1, 2, 3] }, { a: [] }, 3] }, 2), {
    total: 3,
    rows: [{ a: [1, 2] }, { a: [] }],
  });
});
