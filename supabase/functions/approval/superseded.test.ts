/** What becomes of an approval whose terms changed before anybody decided: it makes way, for a fresh one where there can be one. */

import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { askingOn, openBookingFile, type Shown } from "../../../scripts/testing/approvals.ts";
import { databaseTest } from "../../../scripts/testing/database.ts";
import { startUpstream } from "../../../scripts/testing/upstream.ts";
import { type CallerName, openTestWorkspace } from "../../../scripts/testing/workspace.ts";
import type { JsonObject } from "../_shared/definition/json.ts";

const upstream = startUpstream(() => Response.json({ id: 7 }));
const workspace = await openTestWorkspace({
  upstreams: new Map([["ledger.example", upstream.url], ["other.example", upstream.url]]),
});
globalThis.addEventListener("unload", () => {
  workspace.close();
  upstream.close();
});
const { sql } = workspace.database;
const { propose, show, decide } = askingOn(workspace);
const requests = () => upstream.requests.length;

let count = 0;
const newSlug = () => `book_${++count}`;
async function define(file: JsonObject, as: CallerName = "admin"): Promise<void> {
  const { status, text } = await workspace.define(openBookingFile(file), as);
  assertEquals(status, 200, text);
}
async function waiting(as: CallerName = "member"): Promise<{ slug: string; id: string; seen: Shown }> {
  const slug = newSlug();
  await define({ slug }, as === "reseller_key" ? as : "admin");
  const { approval_id: id } = await propose(slug, { number: "1" }, as);
  return { slug, id, seen: await show(id) };
}

/** What a definition may become, and what of it a person sees on the fresh card. */
const CHANGES: readonly { readonly says: string; readonly file: JsonObject; readonly shows?: JsonObject }[] =
  [
    {
      says: "another address on the same host",
      file: { request: { method: "POST", url: "https://ledger.example/api/v2/invoices" } },
    },
    {
      says: "another host",
      file: { request: { method: "POST", url: "https://other.example/api" } },
      shows: { host: "other.example" },
    },
    {
      says: "another method",
      file: { request: { method: "PUT", url: "https://ledger.example/api/invoices" } },
      shows: { method: "PUT" },
    },
    { says: "another name", file: { name: "Book it" }, shows: { tool_name: "Book it" } },
    { says: "other words", file: { description: "Books one." } },
    { says: "a sensitive one", file: { access: "sensitive" }, shows: { access: "sensitive" } },
  ];

for (const { says, file, shows = {} } of CHANGES) {
  databaseTest(
    `a tool that became ${says} supersedes what waits, with a fresh one for a fresh look`,
    async () => {
      const { slug, id, seen } = await waiting();
      const before = requests();
      await define({ slug, ...file });
      const stale = await show(id);
      assertEquals([stale.status, stale.calls[0].status, stale.decided_by], ["superseded", "not_sent", null]);
      assertStringIncludes(stale.superseded_because, slug);
      const fresh = await show(stale.superseded_by);
      assertEquals([fresh.status, fresh.requested_by, fresh.calls[0].args], [
        "awaiting_approval",
        seen.requested_by,
        seen.calls[0].args,
      ]);
      assert(fresh.digest !== seen.digest);
      for (const [key, value] of Object.entries(shows)) assertEquals(fresh.calls[0][key], value);
      for (const decision of ["approve", "reject"] as const) {
        const { status, body } = await decide(id, { decision, digest: seen.digest });
        assertEquals([status, body.reason], [409, "approval_changed"]);
        assertStringIncludes(body.detail, fresh.id);
      }
      assertEquals(requests(), before);
      assertEquals((await propose(slug, { number: "1" })).approval_id, fresh.id);
      assertEquals((await decide(fresh.id, {})).body.status, "applied");
      assertEquals(requests(), before + 1);
      const log = (await workspace.log()).filter(({ event, detail }) =>
        event === "approval.superseded" && detail.approval_id === id
      );
      assertEquals(log.map(({ detail }) => detail.superseded_by), [fresh.id]);
    },
  );
}

databaseTest("arguments that do not hold any more get no fresh one", async () => {
  const { slug, id, seen } = await waiting();
  await define({
    slug,
    arguments: {
      type: "object",
      properties: { number: { type: "string", minLength: 5 } },
      required: ["number"],
    },
    fixtures: [{ response: {} }],
  });
  const stale = await show(id);
  assertEquals([stale.status, stale.superseded_by], ["superseded", null]);
  const { body } = await decide(id, { digest: seen.digest });
  assertEquals(body.reason, "approval_changed");
  assertStringIncludes(body.detail, "No fresh approval");
});

databaseTest("a definition that did not change leaves what waits as it is", async () => {
  const { slug, id } = await waiting();
  await define({ slug });
  assertEquals((await show(id)).status, "awaiting_approval");
});

databaseTest("a tool that was replaced where nobody looked: a decision or the tick finds it", async () => {
  for (const by of ["decision", "tick"] as const) {
    const { slug, id, seen } = await waiting();
    // As if whoever defined it died right after.
    await sql`update framed.v2_connectors set version = version + 1 where slug = ${slug}`;
    const before = requests();
    if (by === "decision") {
      const { body } = await decide(id, { digest: seen.digest });
      assertEquals(body.reason, "approval_changed");
      assertStringIncludes(body.detail, (await show(id)).superseded_by);
    } else {
      await workspace.tick(new Date());
    }
    const stale = await show(id);
    assertEquals(stale.status, "superseded");
    assertEquals((await show(stale.superseded_by)).status, "awaiting_approval");
    assertEquals(requests(), before);
  }
});

databaseTest("a tool that is removed supersedes what waits for it, with no fresh one", async () => {
  const { slug, id, seen } = await waiting();
  const other = await waiting();
  const removed = await workspace.ask(`/tools/${slug}?workspace_id=${workspace.id}`, {
    as: "admin",
    method: "DELETE",
  });
  assertEquals(removed.status, 204);
  const stale = await show(id);
  assertEquals([stale.status, stale.superseded_by, stale.calls[0].status], ["superseded", null, "not_sent"]);
  assertEquals((await decide(id, { digest: seen.digest })).body.reason, "approval_changed");
  await define({ slug });
  assertEquals((await decide(id, { digest: seen.digest })).body.reason, "approval_changed");
  assert((await propose(slug, { number: "1" })).approval_id !== id);
  assertEquals((await show(other.id)).status, "awaiting_approval");
});

databaseTest("what was proposed while its tool was being removed makes way at the next tick", async () => {
  const { slug, id } = await waiting();
  await sql`delete from framed.v2_connectors where slug = ${slug}`;
  await workspace.tick();
  const stale = await show(id);
  assertEquals([stale.status, stale.superseded_by, stale.superseded_because], [
    "superseded",
    null,
    `${slug} was removed.`,
  ]);
});

/** How who asked loses the right to, and gets it back. */
const LOSSES: readonly {
  readonly says: string;
  readonly as: CallerName;
  readonly lose: () => Promise<unknown>;
  readonly restore: () => Promise<unknown>;
}[] = [
  {
    says: "whose membership ended",
    as: "member",
    lose: () =>
      sql`update framed.members set workspace_id = ${workspace.siblingId} where user_id = ${workspace.people.member}`,
    restore: () =>
      sql`update framed.members set workspace_id = ${workspace.id} where user_id = ${workspace.people.member}`,
  },
  {
    says: "whose grant was taken",
    as: "member",
    lose: () => sql`update framed.members set grants = '{}' where user_id = ${workspace.people.member}`,
    restore: () =>
      sql`update framed.members set grants = '{use_connectors}' where user_id = ${workspace.people.member}`,
  },
  {
    says: "whose key was revoked",
    as: "admin_key",
    lose: () => sql`update framed.api_keys set revoked_at = now() where name = 'Ada''s key'`,
    restore: () => sql`update framed.api_keys set revoked_at = null where name = 'Ada''s key'`,
  },
  {
    says: "whose key ran out",
    as: "admin_key",
    lose: () =>
      sql`update framed.api_keys set expires_at = now() - interval '1 second' where name = 'Ada''s key'`,
    restore: () => sql`update framed.api_keys set expires_at = null where name = 'Ada''s key'`,
  },
  {
    says: "whose key's person is no administrator any more",
    as: "admin_key",
    lose: () =>
      sql`update framed.members set role = 'member', grants = '{use_connectors}' where user_id = ${workspace.people.admin}`,
    restore: () =>
      sql`update framed.members set role = 'admin', grants = '{}' where user_id = ${workspace.people.admin}`,
  },
  {
    says: "whose partner's key was revoked",
    as: "reseller_key",
    lose: () => sql`update framed.api_keys set revoked_at = now() where name = 'Partner'`,
    restore: () => sql`update framed.api_keys set revoked_at = null where name = 'Partner'`,
  },
  {
    says: "whose Connect token was ended",
    as: "member_token",
    lose: () =>
      sql`update framed.connect_grants set revoked_at = now(), revoked_because = 'person' where user_id = ${workspace.people.member}`,
    restore: () =>
      sql`update framed.connect_grants set revoked_at = null, revoked_because = null where user_id = ${workspace.people.member}`,
  },
  {
    says: "whose Connect token's person lost the grant",
    as: "member_token",
    lose: () => sql`update framed.members set grants = '{}' where user_id = ${workspace.people.member}`,
    restore: () =>
      sql`update framed.members set grants = '{use_connectors}' where user_id = ${workspace.people.member}`,
  },
];

for (const { says, as, lose, restore } of LOSSES) {
  databaseTest(`what somebody asked for ${says} is not sent, and there is no fresh one`, async () => {
    for (const replaced of [false, true]) {
      const { slug, id, seen } = await waiting(as);
      const before = requests();
      await lose();
      try {
        if (replaced) await sql`update framed.v2_connectors set version = version + 1 where slug = ${slug}`;
        const { status, body } = await decide(id, { as: "second_admin", digest: seen.digest });
        assertEquals([status, body.reason], [409, "approval_changed"], body.detail);
        const { body: stale } = await workspace.ask(`/approvals/${id}`, { as: "second_admin" });
        assertEquals([stale.status, stale.superseded_by, stale.calls[0].status], [
          "superseded",
          null,
          "not_sent",
        ]);
      } finally {
        await restore();
      }
      assertEquals(
        (await decide(id, { as: "second_admin", digest: seen.digest })).body.reason,
        "approval_changed",
      );
      assertEquals(requests(), before);
    }
  });
}

databaseTest("what somebody asked for who lost the right to can still be rejected", async () => {
  const { id, seen } = await waiting();
  const { member } = workspace.people;
  await sql`update framed.members set grants = '{}' where user_id = ${member}`;
  const { body } = await decide(id, { decision: "reject", digest: seen.digest });
  await sql`update framed.members set grants = '{use_connectors}' where user_id = ${member}`;
  assertEquals(body.status, "rejected");
});
