import { assert, assertEquals } from "@std/assert";
import { FRAMED_TOOL_SCHEMA } from "../../../supabase/functions/_shared/framed-tool.ts";
import { FILES } from "../../../supabase/functions/_shared/definition/testdata/files.ts";
import { outlineOf } from "./outline.ts";
import { descriptionAt, keyOffers, valueOffers } from "./schema-at.ts";

const questionOf = (text: string) => ({ schema: FRAMED_TOOL_SCHEMA, root: outlineOf(text) });
const labels = (offers: readonly { label: string }[]) => offers.map(({ label }) => label);

Deno.test("keyOffers() offers what all kinds share until the kind is written, then that kind's", () => {
  const before = labels(keyOffers(questionOf("{}"), [], []));
  assertEquals(before, ["format", "slug", "name", "description", "kind", "$schema"]);
  const request = labels(keyOffers(questionOf('{"kind": "request"}'), [], ["kind"]));
  assert(request.includes("request") && request.includes("auth") && !request.includes("mcp"));
  const mcp = labels(keyOffers(questionOf('{"kind": "mcp"}'), [], ["kind"]));
  assert(mcp.includes("mcp") && !mcp.includes("request") && !mcp.includes("kind"));
});

Deno.test("keyOffers() offers needed keys first, each with what it is for and how it begins", () => {
  const offers = keyOffers(questionOf('{"kind": "request", "request": {}}'), ["request"], []);
  assertEquals(labels(offers).slice(0, 2), ["method", "url"]);
  assertEquals(offers[0]!.detail, "one of a few, needed");
  assertEquals(offers.find(({ label }) => label === "headers")!.json, "{}");
  for (const { label, description } of offers) assert(description !== null && description !== "", label);
});

Deno.test("valueOffers() offers the values that the schema lists", () => {
  const question = questionOf('{"kind": "request", "rules": [{"op": ""}]}');
  assertEquals(labels(valueOffers(question, ["kind"])), ["request", "fixture", "mcp"]);
  assertEquals(labels(valueOffers(question, ["access"])), ["read", "write", "sensitive"]);
  assertEquals(labels(valueOffers(question, ["format"])), ["framed-tool/1"]);
  assertEquals(labels(valueOffers(question, ["confirm"])), ["true", "false"]);
  assertEquals(labels(valueOffers(question, ["rules", 0, "then"])), ["deny", "admin"]);
  assert(labels(valueOffers(question, ["rules", 0, "op"])).length > 3);
  assertEquals(valueOffers(question, ["name"]), []);
  assertEquals(valueOffers(question, ["no", "such", 7, "place"]), []);
});

Deno.test("descriptionAt() knows every key of every good file down to what is the file's own", () => {
  for (const { name, bytes } of FILES.valid) {
    const text = new TextDecoder().decode(bytes);
    const question = questionOf(text);
    for (const key of Object.keys(JSON.parse(text))) {
      assert(descriptionAt(question, [key]) !== null, `${name}: ${key}`);
    }
  }
});
