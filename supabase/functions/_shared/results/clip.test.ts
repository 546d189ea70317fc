import { assert, assertEquals } from "@std/assert";
import type { JsonObject } from "../definition/json.ts";
import { clipLeaving, MAX_RESULT_BYTES } from "./clip.ts";
import { leavingFrom } from "./leaving.ts";

const clip = (...result: Parameters<typeof leavingFrom>) => clipLeaving(leavingFrom(...result));
const bytesOf = (value: unknown) => new TextEncoder().encode(JSON.stringify(value)).byteLength;

Deno.test("clipLeaving() leaves a result of at most 16 KiB whole", () => {
  const largest = "x".repeat(MAX_RESULT_BYTES - 2);
  assertEquals(clip(largest), { result: largest, truncated: false });
  assertEquals(clip(`${largest}x`).truncated, true);
  assertEquals(clip(null), { result: null, truncated: false });
});

Deno.test("clipLeaving() makes a digest of a longer list: the total, and the first rows that fit", () => {
  const rows = Array.from({ length: 2_000 }, (_, id) => ({ id, name: "Bäckerei ☕" }));
  const { result, truncated } = clip({ data: { items: rows } }, { rows: "data.items" });
  const digest = result as { total: number; rows: JsonObject[] };
  assertEquals([truncated, digest.total], [true, 2_000]);
  assertEquals(digest.rows, rows.slice(0, digest.rows.length));
  assert(bytesOf(digest) <= MAX_RESULT_BYTES && bytesOf(digest) > MAX_RESULT_BYTES - 100);
});

Deno.test("clipLeaving() tells the total alone when not even the first row fits", () => {
  const rows = [{ text: "x".repeat(MAX_RESULT_BYTES) }];
  assertEquals(clip(rows), { result: { total: 1, rows: [] }, truncated: true });
});

Deno.test("clipLeaving() shows the beginning of a long answer without rows, in whole characters", () => {
  const { result } = clip({ text: "🥖".repeat(MAX_RESULT_BYTES) });
  const { total, text } = result as { total: number; text: string };
  assertEquals(total, 1);
  assertEquals([...text].length, 2_001);
  assert(text.isWellFormed() && text.startsWith('{"text":"🥖') && text.endsWith("🥖…"));
});
