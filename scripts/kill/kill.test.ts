import { assert, assertEquals } from "@std/assert";
import { databaseTest } from "../testing/database.ts";
import { play } from "./play.ts";
import { SHORTEST_NAP_MS } from "./nap.ts";

databaseTest("play() finds no write sent twice, lost, stuck or untrue, whatever dies", async () => {
  const played = await play({ rounds: 100, seconds: 10, seed: "short", longestNapMs: SHORTEST_NAP_MS });
  assertEquals(played.violations, []);
  // What was to happen did.
  assert(Object.keys(played.deaths).length > 0, JSON.stringify(played));
  assert(played.received > 0 && played.naps > 0, JSON.stringify(played));
  assert(played.approvals.applied! > 0, JSON.stringify(played));
});
