import { assert, assertEquals } from "@std/assert";
import * as z from "zod";
import type { JsonValue } from "../definition/json.ts";
import { instantShape, nameShape, readQuery, readShape, uuidOrNull, uuidShape } from "./shape.ts";

const ID = "5f2c9a53-0e0a-4e0e-9d0c-0d0c5c0e6a11";

const shape = () =>
  z.strictObject({
    workspace_id: uuidShape(),
    calls: z.array(z.strictObject({ tool: z.string({ error: "a slug is wanted" }) })).optional(),
  });

function problemsOf(value: JsonValue): readonly string[] | undefined {
  const read = readShape(shape, value);
  if (read.ok) return undefined;
  assertEquals(read.refusal.reason, "bad_request");
  return read.refusal.problems;
}

Deno.test("readShape() gives what fits", () => {
  assertEquals(readShape(shape, { workspace_id: ID }), { ok: true, value: { workspace_id: ID } });
});

Deno.test("readShape() says where and what for everything that does not", () => {
  assertEquals(problemsOf({}), ["workspace_id: a UUID is wanted"]);
  assertEquals(problemsOf({ workspace_id: 7, calls: [{ tool: "a" }, { tool: 1 }] }), [
    "workspace_id: a UUID is wanted",
    "calls[1].tool: a slug is wanted",
  ]);
  assertEquals(problemsOf({ workspace_id: ID, workspace: ID, "a b": 1 }), [
    'body: workspace, ["a b"] not known here',
  ]);
  assertEquals(problemsOf({ workspace_id: ID, calls: [{ tool: "a", args: {} }] }), [
    "calls[0]: args not known here",
  ]);
  assert(problemsOf([])?.[0]?.startsWith("body: "));
});

Deno.test("readQuery() reads a query string, and calls it that", () => {
  assertEquals(readQuery(shape, { workspace_id: [ID] }), { ok: true, value: { workspace_id: ID } });
  const read = readQuery(shape, { page: ["2"], workspace_id: ["x"] });
  assertEquals(read.ok || read.refusal.problems, [
    "workspace_id: a UUID is wanted",
    "query: page not known here",
  ]);
});

Deno.test("readQuery() refuses what is given twice, the same twice too", () => {
  for (const second of [ID, "x", ""]) {
    const read = readQuery(shape, { workspace_id: [ID, second] });
    assertEquals(read.ok || read.refusal.problems, ["query: workspace_id given more than once"]);
  }
});

Deno.test("readShape() repeats no value", () => {
  const canary = "frk_live_canaryCanaryCanary";
  assert(!JSON.stringify(readShape(shape, { workspace_id: canary, calls: canary })).includes(canary));
});

Deno.test("uuidShape takes any UUID in either case, as the store writes it, and nothing around it", () => {
  for (const good of [ID, ID.toUpperCase(), "00000000-0000-0000-0000-000000000000"]) {
    assertEquals([uuidShape().parse(good), uuidOrNull(good)], [good.toLowerCase(), good.toLowerCase()]);
  }
  for (const bad of ["", ` ${ID}`, `${ID}\n`, ID.replaceAll("-", ""), `{${ID}}`, `${ID.slice(0, -1)}g`]) {
    assert(!uuidShape().safeParse(bad).success, bad);
  }
});

Deno.test("uuidOrNull() is null for whatever could be nobody's id", () => {
  assertEquals(uuidOrNull(ID), ID);
  for (const other of [undefined, null, 7, {}, [ID], "office"]) assertEquals(uuidOrNull(other), null);
});

Deno.test("instantShape() takes what the store can hold, in UTC, wherever it was written", () => {
  const read = (text: string) => instantShape("no").safeParse(text).data?.toISOString();
  assertEquals(read("2026-11-30T12:00:00+01:00"), "2026-11-30T11:00:00.000Z");
  assertEquals(read("0001-01-01T00:00:00Z"), "0001-01-01T00:00:00.000Z");
  assertEquals(read("9999-12-31T23:59:59.999Z"), "9999-12-31T23:59:59.999Z");
  const others = ["0000-01-01T00:00:00Z", "0001-01-01T00:00:00+00:01", "9999-12-31T23:59:59-00:01"];
  for (const text of [...others, "2026-02-30T00:00:00Z", "2026-11-30T12:00:00", "2026-11-30", "infinity"]) {
    assertEquals(read(text), undefined, text);
  }
});

Deno.test("nameShape() takes a name on one line, counted in characters, without the blanks around it", () => {
  const read = (name: unknown) => nameShape(3).safeParse(name).data;
  assertEquals([read(" Noo "), read("é😀ü"), read("a b")], ["Noo", "é😀ü", "a b"]);
  for (const name of ["", "   ", "Noor", "a\nb", "a\u0085b", "\u0000", 7, null]) {
    assertEquals(read(name), undefined, JSON.stringify(name));
  }
});

Deno.test("nameShape() refuses what cannot be seen, and what turns the text around it", () => {
  const read = (name: string) => nameShape(20).safeParse(name);
  for (const name of ["Noor", "名前", "نور", "é", "e\u0301", "!", "😀"]) assertEquals(read(name).data, name);
  const invisible = [
    "\u200b", // zero width space
    "x\u202ey\u200b", // right to left override
    "a\u00adb", // soft hyphen
    "a\ufeffb",
    "\u3164", // Hangul filler
    "\u2800", // empty Braille cell
    "\u0301", // an accent on nothing
    "a\ud800", // half a character
  ];
  for (const name of invisible) {
    assertEquals(
      read(name).error?.issues.map(({ message }) => message),
      ["characters that cannot be seen, or turn the text around them, are refused"],
      JSON.stringify(name),
    );
  }
  for (const name of ["a\u2028b", "a\u2029b", "\u2003\u00a0"]) {
    assertEquals(
      read(name).error?.issues.map(({ message }) => message),
      ["from 1 to 20 characters on one line are wanted"],
      JSON.stringify(name),
    );
  }
});
