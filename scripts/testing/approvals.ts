/** Proposals and decisions of a test, through the front door. */

import { assertEquals } from "@std/assert";
import type { JsonObject } from "../../supabase/functions/_shared/definition/json.ts";
import { bookingFile } from "./files.ts";
import type { Answered, CallerName, TestWorkspace } from "./workspace.ts";

/** An approval as the front door shows it. */
// deno-lint-ignore no-explicit-any
export type Shown = any;

/** Books an invoice at a host that needs no secret: waits for a person. `more` replaces or adds keys. */
export function openBookingFile(more: JsonObject = {}): JsonObject {
  const { auth: _auth, ...file } = bookingFile();
  return {
    ...file,
    slug: "book",
    request: { method: "POST", url: "https://ledger.example/api/invoices" },
    ...more,
  };
}

/** What tests of approvals ask over and over. */
export interface Asking {
  /** Proposes a call, which has to wait; gives the whole answer. */
  propose(slug: string, args?: JsonObject, as?: CallerName): Promise<Shown>;
  /** The approval as `as` sees it. */
  show(id: string, as?: CallerName): Promise<Shown>;
  /** Decides an approval under the digest it shows, or under another. */
  decide(id: string, decision: Decision): Promise<Answered>;
  /** Proposes a call and approves it as an administrator: the approval after that. */
  approved(slug: string, args?: JsonObject, as?: CallerName): Promise<Shown>;
}

export interface Decision {
  readonly as?: CallerName;
  readonly decision?: "approve" | "reject";
  readonly digest?: string;
  readonly reason?: string;
}

/** Asks on `workspace`. */
export function askingOn(workspace: TestWorkspace): Asking {
  const propose: Asking["propose"] = async (slug, args = {}, as = "member") => {
    const { status, body, text } = await workspace.call(slug, { args }, as);
    assertEquals(status, 202, text);
    return body;
  };
  const show: Asking["show"] = async (id, as = "admin") => {
    const { status, body, text } = await workspace.ask(`/approvals/${id}`, { as });
    assertEquals(status, 200, text);
    return body;
  };
  const decide: Asking["decide"] = async (id, { as = "admin", decision = "approve", digest, reason } = {}) =>
    await workspace.ask(`/approvals/${id}/decision`, {
      as,
      body: {
        decision,
        digest: digest ?? (await show(id)).digest,
        ...(reason === undefined ? {} : { reason }),
      },
    });
  const approved: Asking["approved"] = async (slug, args, as) => {
    const { approval_id: id } = await propose(slug, args, as);
    const { status, body, text } = await decide(id, {});
    assertEquals(status, 200, text);
    return body;
  };
  return { propose, show, decide, approved };
}
