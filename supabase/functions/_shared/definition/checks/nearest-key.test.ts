import { assertEquals } from "@std/assert";
import { nearestKey } from "./nearest-key.ts";

Deno.test("nearestKey() always names a key: the one that takes the fewest changes, the first of equals", () => {
  const known = ["format", "slug", "name", "description", "access", "fixtures"];
  const cases: [string, string][] = [
    ["descripton", "description"],
    ["Name", "name"],
    ["fixture", "fixtures"],
    ["acess", "access"],
    ["", "slug"],
    ["zzzz", "slug"],
    ["x".repeat(100_000), "fixtures"],
  ];
  for (const [key, nearest] of cases) assertEquals(nearestKey(key, known), nearest, key.slice(0, 20));
});
