import { assert, assertEquals } from "@std/assert";
import { databaseTest } from "../testing/database.ts";
import { soak } from "./soak.ts";

databaseTest("soak() finds nothing that does not hold while database and other systems break", async () => {
  const { answers, restarts, violations } = await soak({ seconds: 5, callers: 16 });
  assertEquals(violations, []);
  assert(restarts > 0);
  // What was to break did.
  for (
    const reason of [
      "ok",
      "store_unavailable",
      "upstream_unreachable",
      "upstream_bad_answer",
      "bad_arguments",
    ]
  ) {
    assert(answers[reason]! > 0, `${reason} in ${JSON.stringify(answers)}`);
  }
});
