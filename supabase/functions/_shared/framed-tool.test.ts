import { assert, assertEquals } from "@std/assert";
import { checkCall, hostViews, prepareCall, readFramedTool, selectFixture } from "./framed-tool.ts";

const QUICK_START = new URL("./definition/testdata/valid/quick-start-ledger.json", import.meta.url);

Deno.test("the quick start's file goes from text to a call through the one door", async () => {
  const read = readFramedTool(await Deno.readFile(QUICK_START));
  assert(read.ok && read.tool.kind === "request");
  const call = { args: { supplier: "Acme" } };
  assert(checkCall(read.tool, call).ok);
  assertEquals(selectFixture(read.tool, call)?.label, "two open");
  assertEquals(hostViews(read.tool).map(({ does, rows }) => [does, rows]), [["runs", 2], ["runs", 0]]);
  const prepared = prepareCall(read.tool, call);
  assert(prepared.ok);
  assertEquals([prepared.value.method, prepared.value.host], ["GET", "ledger.example"]);
});
