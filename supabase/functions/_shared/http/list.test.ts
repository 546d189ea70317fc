import { assert, assertEquals } from "@std/assert";
import fc from "fast-check";
import * as z from "zod";
import { pageOf, pageShape, timedKey, timedPageShape } from "./list.ts";

const shape = z.object(pageShape());

function read(query: Record<string, string>) {
  const parsed = shape.safeParse(query);
  return parsed.success ? parsed.data : parsed.error.issues.map(({ path, message }) => `${path}: ${message}`);
}

Deno.test("pageShape takes 50 where nothing is asked, and from 1 to 200", () => {
  assertEquals(read({}), { limit: 50, cursor: null });
  assertEquals(read({ limit: "1" }), { limit: 1, cursor: null });
  assertEquals(read({ limit: "200" }), { limit: 200, cursor: null });
  for (const limit of ["0", "201", "-1", "1.5", "1e2", "", " 5", "99999", "all"]) {
    assertEquals(read({ limit }), ["limit: a number from 1 to 200 is wanted"], limit);
  }
});

Deno.test("pageShape refuses a cursor that is none of ours", () => {
  for (const cursor of ["", "=", "a b", "é", "%", "x".repeat(401), "_w", btoa("\0").replaceAll("=", "")]) {
    assertEquals(
      read({ cursor }),
      ["cursor: the next_cursor of the page before is wanted, unchanged"],
      cursor,
    );
  }
});

Deno.test("pageOf() and pageShape go through a list once, in order, whatever the keys are", () => {
  // A key is never empty, and short enough for its cursor.
  const key = fc.string({ unit: "binary", minLength: 1, maxLength: 60 }).filter((text) =>
    !text.includes("\0")
  );
  const keys = fc.uniqueArray(key, { maxLength: 30 });
  fc.assert(fc.property(keys, fc.integer({ min: 1, max: 7 }), (all, limit) => {
    const seen: string[] = [];
    let from = 0;
    for (;;) {
      const { page, next_cursor } = pageOf(all.slice(from, from + limit + 1), { limit, key: (key) => key });
      seen.push(...page);
      if (next_cursor === null) break;
      const after = read({ cursor: next_cursor });
      assert(!Array.isArray(after));
      assertEquals(after.cursor, page.at(-1)!);
      from = all.indexOf(after.cursor!) + 1;
    }
    assertEquals(seen, all);
  }));
});

Deno.test("pageOf() ends with the last full page and with an empty list", () => {
  assertEquals(pageOf(["a", "b"], { limit: 2, key: String }), { page: ["a", "b"], next_cursor: null });
  assertEquals(pageOf<string>([], { limit: 2, key: String }), { page: [], next_cursor: null });
});

Deno.test("timedPageShape takes the place that timedKey() wrote, to the microsecond, and no other text", () => {
  const shape = z.object(timedPageShape());
  const cursorOf = (key: string) => pageOf([key, ""], { limit: 1, key: String }).next_cursor!;
  const place = { created_at: "2026-11-30T12:00:00.123456+00:00", id: crypto.randomUUID() };
  assertEquals(shape.parse({ cursor: cursorOf(timedKey(place)) }).cursor, place);
  const others = [
    "x",
    place.id,
    `${place.created_at} `,
    `${place.created_at} ${place.id} x`,
    `${place.created_at} ${place.id.slice(1)}`,
    `2026-02-30T00:00:00Z ${place.id}`,
    `0000-01-01T00:00:00Z ${place.id}`,
    `infinity ${place.id}`,
    `2026-11-30T12:00:00+23:59 ${place.id}`,
    `9999-12-31T23:59:59-14:00 ${place.id}`,
    `2026-11-30T12:00:00.${"0".repeat(150)}+00:00 ${place.id}`,
  ];
  for (const key of others) {
    const { error } = shape.safeParse({ cursor: cursorOf(key) });
    const messages = error?.issues.map(({ message }) => message);
    assertEquals(messages, ["the next_cursor of the page before is wanted, unchanged"], key);
  }
});
