import { assert, assertEquals } from "@std/assert";
import { join } from "node:path";
import {
  FRAMED_TOOL_SCHEMA,
  type JsonObject,
  MAX_FILE_BYTES,
  readFramedTool,
} from "../../supabase/functions/_shared/framed-tool.ts";
import { MAX_CALLS } from "../../supabase/functions/_shared/flows/propose-chain.ts";
import { MAX_BODY_BYTES } from "../../supabase/functions/_shared/http/body.ts";
import { MAX_RESULT_BYTES } from "../../supabase/functions/_shared/results/clip.ts";
import { openFile } from "../testing/files.ts";
import { readTable } from "./examples.ts";

const REFERENCE = await Deno.readTextFile(join(import.meta.dirname!, "..", "..", "docs", "reference.md"));
const KINDS = FRAMED_TOOL_SCHEMA.$defs as Record<string, Schema>;

/** What of the JSON Schema of a file says which keys an object has. */
interface Schema extends JsonObject {
  properties: Record<string, Schema>;
  required: string[];
  items: Schema;
}

Deno.test("docs/reference.md lists the keys of each kind as the JSON Schema has them", () => {
  const rows = readTable(REFERENCE, { columns: ["key", ...Object.keys(KINDS)] });
  for (const [kind, { properties, required }] of Object.entries(KINDS)) {
    const documented = rows.filter((row) => row[kind] !== "no").map((row) => `${row.key} ${row[kind]}`);
    const actual = Object.keys(properties).map((key) =>
      `${key} ${required.includes(key) ? "needed" : "may"}`
    );
    assertEquals(documented.sort(), actual.sort(), kind);
  }
});

/** The tables of what stands under one key: the heading above, the schema, and what its keys are documented after. */
const request = KINDS.request!.properties;
const TABLES: readonly { under: string; schema: Schema; prefix?: string; needed?: boolean }[] = [
  { under: "## 5. Request", schema: request.request! },
  { under: "## 6. Secrets", schema: request.auth!, prefix: "auth.", needed: false },
  { under: "## 7. Result", schema: request.result!, needed: false },
  { under: "## 8. Capabilities", schema: request.capabilities!.items },
  { under: "## 9. Fixtures", schema: request.fixtures!.items },
  { under: "## 10. An MCP server", schema: KINDS.mcp!.properties.mcp!, prefix: "mcp." },
  { under: "### follow_up", schema: request.follow_up! },
  { under: "### preview", schema: request.preview! },
  { under: "### rules", schema: request.rules!.items },
];

for (const { under, schema, prefix = "", needed = true } of TABLES) {
  Deno.test(`docs/reference.md lists under "${under}" the keys that the JSON Schema has`, () => {
    const rows = readTable(REFERENCE, { columns: needed ? ["key", "needed"] : ["key"], under });
    const keys = rows.map((row) => row.key!);
    assert(keys.every((key) => key.startsWith(prefix)));
    const paths = keys.map((key) => key.slice(prefix.length).split("."));
    assertEquals([...new Set(paths.map(([first]) => first!))].sort(), Object.keys(schema.properties).sort());
    for (const [row, path] of paths.entries()) {
      const holders = path.map((_, at) =>
        path.slice(0, at).reduce((holder, step) => holder.properties[step]!, schema)
      );
      assert(path.every((step, at) => Object.hasOwn(holders[at]!.properties, step)), keys[row]);
      const isNeeded = path.every((step, at) => (holders[at]!.required ?? []).includes(step));
      if (needed) assertEquals(rows[row]!.needed === "yes", isNeeded, keys[row]);
    }
  });
}

Deno.test("docs/reference.md names headers that the check refuses", () => {
  const rows = readTable(REFERENCE, { columns: ["header", "what may stand there"] });
  const names = rows.filter((row) => row["what may stand there"]!.startsWith("Refused"))
    .flatMap(({ header }) => header!.split(/[ ,]+/)).filter((name) =>
      /^(?:_method|[A-Z][A-Za-z0-9*-]+)$/.test(name)
    );
  assert(names.length > 15);
  for (const name of names) {
    const headers = { [name.replace("*", "For")]: "x" };
    const request = { method: "GET", url: "https://rates.example/v1/rates", headers };
    assert(!readFramedTool(JSON.stringify(openFile({ request }))).ok, name);
  }
});

Deno.test("docs/reference.md names suffixes of hosts that the check refuses", () => {
  const [, list = ""] = /every name that ends in ([^.]*) or (?:[^.]*)\./.exec(REFERENCE) ?? [];
  const suffixes = [...list.matchAll(/`(\w+)`/g)].map(([, suffix]) => suffix);
  assert(suffixes.length > 15);
  for (const suffix of suffixes) {
    const request = { method: "GET", url: `https://api.${suffix}/` };
    assert(!readFramedTool(JSON.stringify(openFile({ request }))).ok, suffix);
  }
});

Deno.test("docs/reference.md says the limits that the code holds", () => {
  const limits = new Map(
    readTable(REFERENCE, { columns: ["what", "at most"] }).map((row) => [row.what, row["at most"]!]),
  );
  for (
    const [what, bytes] of [
      ["A file", MAX_FILE_BYTES],
      ["A body of the API", MAX_BODY_BYTES],
      ["A result that goes out whole", MAX_RESULT_BYTES],
    ] as const
  ) {
    const words = bytes < 1024 * 1024 ? `${bytes / 1024} KiB` : `${bytes / 1024 / 1024} MiB`;
    assertEquals(limits.get(what)?.split(",")[0], words, what);
  }
  assertEquals(limits.get("A chain")?.split(",")[0], `${MAX_CALLS} calls`);
});
