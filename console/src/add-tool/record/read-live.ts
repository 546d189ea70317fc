/** Asks a tool once, now, for an answer that can be recorded: whole, also where it is a long one. */

import { isJsonObject, type JsonValue } from "../../../../supabase/functions/_shared/definition/json.ts";
import { type Api, pathOf } from "../../api/client.ts";
import type { CallAnswer, ResultPage, ToolCall, ToolDetail } from "../../api/tools.ts";

/** Why no call of `tool` can be recorded, in words; null where one can. */
export function whyNotRecorded({ tool, runs, status }: ToolDetail): string | null {
  if (tool.kind === "fixture") return "It answers from its fixtures, so there is nothing live to record.";
  if (tool.kind === "mcp") {
    return "Its calls are its server's own. Only a read of one request can be recorded.";
  }
  if (runs !== "on_call") {
    return "A call of it waits for approval. Only a read that runs on the call can be recorded.";
  }
  if (status === "waits_for_secret") return "It waits for the value of a secret, so it cannot run yet.";
  if (status === "waits_for_admin") return "It waits for an administrator, so it cannot run yet.";
  return null;
}

/** The answer, or that the call waits for a person now. Throws `Problem`. */
export async function readLive(
  api: Api,
  { answer, most }: { answer: CallAnswer & { ran: true }; most: number },
): Promise<JsonValue> {
  const { truncated, result, result_handle: handle } = answer;
  if (!truncated || handle === undefined) return result;
  const items: JsonValue[] = [];
  let page: ResultPage;
  do {
    page = await api.get<ResultPage>(pathOf`/results/${handle}`, {
      offset: items.length,
      limit: Math.min(most - items.length, 200),
    });
    items.push(...page.items);
  } while (page.next_offset !== null && items.length < most);
  return isListOfRows(result, page) ? items : items[0] ?? null;
}

/** An answer that is no list comes as a page of one item; a list of one very long row does too. */
function isListOfRows(digest: JsonValue, { total, items }: ResultPage): boolean {
  if (total !== 1) return true;
  const rows = isJsonObject(digest) && Array.isArray(digest.rows) ? digest.rows : [];
  return rows.length === 1 && JSON.stringify(rows[0]) === JSON.stringify(items[0]);
}

export type Recorded = { readonly call: ToolCall; readonly result: JsonValue };
