/** The official conformance suite, each revision on its own wire. Its numbers are printed. */

import { assertEquals } from "@std/assert";
import { fileURLToPath } from "node:url";
import { databaseTest } from "../testing/database.ts";
import { openTestWorkspace } from "../testing/workspace.ts";
import { CLIENT_BASELINE, CONNECT_BASELINE, FIXTURE_BASELINE, type KnownFailure } from "./baselines.ts";
import { serveClient } from "./client.ts";
import { serveConnectTo, type Served, serveFixtures } from "./servers.ts";
import {
  failingChecks,
  type Outcome,
  type Revision,
  REVISIONS,
  runSuite,
  tallyOf,
  type Tested,
} from "./suite.ts";

const RELAY = fileURLToPath(new URL("client-relay.ts", import.meta.url));

/** What starts a client that plays at `player`, as a shell reads it. */
function clientOf(player: string): string {
  return [Deno.execPath(), "run", "-A", "--no-check", "--no-config", RELAY, player]
    .map((word) => `"${word}"`).join(" ");
}

/** Holds what fails against what is known to: nothing more, and nothing less. */
function assertBaseline(outcome: Outcome, known: readonly KnownFailure[]): void {
  const fails = known.flatMap((failure) => failure.fails);
  const found = [...failingChecks(outcome)].flatMap(([scenario, checks]) =>
    checks.length > 0 && fails.includes(scenario) ? [scenario] : checks.map((check) => `${scenario}:${check}`)
  );
  const said = outcome.checks.filter(({ name, status }) => found.includes(name) && status !== "SUCCESS");
  assertEquals([...new Set(found)].sort(), [...fails].sort(), JSON.stringify(said, null, 2));
}

type Baseline = Readonly<Record<Revision, readonly KnownFailure[]>>;

async function holdsFor(
  tested: Tested,
  { revision, baseline, what }: { revision: Revision; baseline: Baseline; what: string },
): Promise<void> {
  const outcome = await runSuite(tested, revision);
  console.log(`conformance of ${what}, ${tallyOf(outcome)}`);
  assertBaseline(outcome, baseline[revision]);
}

async function holds(served: Served, baseline: Baseline, what: string): Promise<void> {
  try {
    for (const revision of REVISIONS) {
      await holdsFor({ server: served.url }, { revision, baseline, what });
    }
  } finally {
    await served.close();
  }
}

Deno.test("the endpoint passes the official suite with its fixtures, but for what needs a session", async () => {
  await holds(serveFixtures(), FIXTURE_BASELINE, "the endpoint");
});

databaseTest("Connect passes the official suite in all that it offers", async () => {
  const w = await openTestWorkspace();
  try {
    const served = serveConnectTo(w.fetch, { path: "/api/connect/mcp", key: w.keys.admin_key });
    await holds(served, CONNECT_BASELINE, "Connect");
  } finally {
    await w.close();
  }
});

for (const revision of REVISIONS) {
  Deno.test(`the kind mcp passes the official suite as a client of ${revision}, but for what it does not do`, async () => {
    const player = serveClient();
    try {
      const client = clientOf(player.url);
      await holdsFor({ client }, { revision, baseline: CLIENT_BASELINE, what: "the kind mcp" });
    } finally {
      await player.close();
    }
  });
}
