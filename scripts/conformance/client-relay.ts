/**
 * What the official conformance suite starts as a client, once a scenario: passes what it was told on to the process
 * that plays (`client.ts`), which has everything loaded. Ends with 1 where something was refused, and says what.
 */

import type { Started } from "./client.ts";

const [player, url] = Deno.args as [string, string];
const started: Started = {
  url,
  scenario: Deno.env.get("MCP_CONFORMANCE_SCENARIO") ?? "",
  context: Deno.env.get("MCP_CONFORMANCE_CONTEXT") ?? "",
};
const answer = await fetch(player, { method: "POST", body: JSON.stringify(started) });
const refused: { reason: string; detail?: string }[] = await answer.json();
for (const { reason, detail = "" } of refused) console.error(`${reason}: ${detail}`);
Deno.exit(refused.length > 0 ? 1 : 0);
