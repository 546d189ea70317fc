import { assertEquals } from "@std/assert";
import { join } from "node:path";
import { EVENTS } from "../../supabase/functions/_shared/log/event.ts";
import { readTable } from "./examples.ts";

const REFERENCE = await Deno.readTextFile(join(import.meta.dirname!, "..", "..", "docs", "reference.md"));

Deno.test("docs/reference.md lists the events of the log as the closed list has them", () => {
  const rows = readTable(REFERENCE, { columns: ["event", "when", "detail"], under: "### Log" });
  assertEquals(
    rows.map(({ event, when, detail }) => [event, when, detail]),
    Object.entries(EVENTS).map(([name, { says, detail }]) => [
      name,
      says.replaceAll("`", ""),
      detail.join(", ") || "-",
    ]),
  );
});
