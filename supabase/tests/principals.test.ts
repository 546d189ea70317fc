/** Who may reach what: every way to present oneself, on one's own workspace and on those of others. */

import { assertEquals } from "@std/assert";
import { databaseTest, openTestDatabase } from "../../scripts/testing/database.ts";
import { NO_LIMITS } from "../../scripts/testing/limits.ts";
import {
  addKey,
  addMember,
  addToken,
  addTwoAccounts,
  presentedKey,
  TEST_FORESEEN,
  TEST_SECRET,
  TEST_SLUG,
} from "../../scripts/testing/two-accounts.ts";
import type { Presented } from "../functions/_shared/auth/principal.ts";
import { openCall } from "../functions/_shared/calls/store.ts";
import { inTransactionOf } from "../functions/_shared/auth/store.ts";

const { sql } = await openTestDatabase();
const accounts = await addTwoAccounts(sql);
const { here, sibling, stranger } = accounts;
const rawKeyHere = {
  kind: "raw",
  accountId: here.accountId,
  workspaceId: here.id,
  userId: here.admin.id,
} as const;

/** What a token has to be made out for here. */
const AUDIENCE = "https://here.example/connect/mcp";

/** A token that a member let a program have on `here`, as far as it is not described otherwise. */
async function presentedToken(described: Partial<Parameters<typeof addToken>[1]> = {}): Promise<Presented> {
  const usual = { workspaceId: here.id, userId: here.member.id, resource: AUDIENCE };
  return {
    token_hash: await addToken(sql, { ...usual, ...described }),
    audiences: ["https://other.example/mcp", AUDIENCE],
  };
}

/** Who opens a call on a workspace, and how far they get. */
interface Approach {
  readonly name: string;
  readonly presented: () => Presented | Promise<Presented>;
  readonly on: string | null;
  /** `dead`: nobody; `out`: somebody, but not here; else the kind and role that opened the tool. */
  readonly opens: "dead" | "out" | string;
}

const APPROACHES: readonly Approach[] = [
  {
    name: "an administrator's session on its workspace",
    presented: () => ({ user_id: here.admin.id }),
    on: here.id,
    opens: "session admin",
  },
  {
    name: "a member's session on its workspace",
    presented: () => ({ user_id: here.member.id }),
    on: here.id,
    opens: "session member",
  },
  {
    name: "a session on another workspace of the account",
    presented: () => ({ user_id: here.admin.id }),
    on: sibling.id,
    opens: "out",
  },
  {
    name: "a session on a stranger's workspace",
    presented: () => ({ user_id: here.admin.id }),
    on: stranger.id,
    opens: "out",
  },
  {
    name: "a session on a workspace that does not exist",
    presented: () => ({ user_id: here.admin.id }),
    on: crypto.randomUUID(),
    opens: "out",
  },
  {
    name: "a session on no workspace",
    presented: () => ({ user_id: here.admin.id }),
    on: null,
    opens: "out",
  },
  {
    name: "a session of somebody unknown",
    presented: () => ({ user_id: crypto.randomUUID() }),
    on: here.id,
    opens: "out",
  },
  {
    name: "nobody",
    presented: () => ({}) as Presented,
    on: here.id,
    opens: "dead",
  },
  {
    name: "a raw key on its workspace",
    presented: () => presentedKey(here.rawKey),
    on: here.id,
    opens: "raw_key admin",
  },
  {
    name: "a raw key on a workspace where its person is an administrator too",
    async presented() {
      const both = await addMember(sql, { workspaceId: here.id, role: "admin", grants: [], name: "Both" });
      await addMember(sql, {
        workspaceId: sibling.id,
        role: "admin",
        grants: [],
        name: "Both",
        userId: both.id,
      });
      return presentedKey(await addKey(sql, { ...rawKeyHere, userId: both.id }));
    },
    on: sibling.id,
    opens: "out",
  },
  {
    name: "a raw key on a stranger's workspace",
    presented: () => presentedKey(here.rawKey),
    on: stranger.id,
    opens: "out",
  },
  {
    name: "a reseller key on a workspace of its account",
    presented: () => presentedKey(accounts.resellerKey),
    on: sibling.id,
    opens: "reseller_key null",
  },
  {
    name: "a reseller key on a workspace of another account",
    presented: () => presentedKey(accounts.strangersResellerKey),
    on: here.id,
    opens: "out",
  },
  {
    name: "a key that was never issued",
    presented: () => presentedKey("frk_live_neverIssued"),
    on: here.id,
    opens: "dead",
  },
  {
    name: "a hash that is empty",
    presented: () => ({ key_hash: "" }),
    on: here.id,
    opens: "dead",
  },
  {
    name: "a revoked key",
    presented: async () => presentedKey(await addKey(sql, { ...rawKeyHere, revokedAt: new Date(0) })),
    on: here.id,
    opens: "dead",
  },
  {
    name: "an expired key",
    presented: async () =>
      presentedKey(await addKey(sql, { ...rawKeyHere, expiresAt: new Date(Date.now() - 1) })),
    on: here.id,
    opens: "dead",
  },
  {
    name: "a key that expires later",
    presented: async () =>
      presentedKey(await addKey(sql, { ...rawKeyHere, expiresAt: new Date(Date.now() + 60_000) })),
    on: here.id,
    opens: "raw_key admin",
  },
  {
    name: "a raw key of a person who is a member only",
    presented: async () => presentedKey(await addKey(sql, { ...rawKeyHere, userId: here.member.id })),
    on: here.id,
    opens: "dead",
  },
  {
    name: "a raw key of an administrator who was demoted",
    async presented() {
      const demoted = await addMember(sql, {
        workspaceId: here.id,
        role: "admin",
        grants: [],
        name: "Demoted",
      });
      const key = await addKey(sql, { ...rawKeyHere, userId: demoted.id });
      await sql`update framed.members set role = 'member' where user_id = ${demoted.id}`;
      return presentedKey(key);
    },
    on: here.id,
    opens: "dead",
  },
  {
    name: "a raw key of an administrator who left but is one elsewhere",
    async presented() {
      const left = await addMember(sql, { workspaceId: sibling.id, role: "admin", grants: [], name: "Left" });
      return presentedKey(await addKey(sql, { ...rawKeyHere, userId: left.id }));
    },
    on: sibling.id,
    opens: "dead",
  },
  {
    name: "a token on the workspace that its person chose",
    presented: () => presentedToken(),
    on: here.id,
    opens: "connect_token member",
  },
  {
    name: "a token of an administrator",
    presented: () => presentedToken({ userId: here.admin.id }),
    on: here.id,
    opens: "connect_token admin",
  },
  {
    name: "a token on a workspace where its person is a member too",
    async presented() {
      const both = await addMember(sql, { workspaceId: here.id, role: "member", grants: [], name: "Both" });
      await addMember(sql, {
        workspaceId: sibling.id,
        role: "admin",
        grants: [],
        name: "Both",
        userId: both.id,
      });
      return presentedToken({ userId: both.id });
    },
    on: sibling.id,
    opens: "out",
  },
  {
    name: "a token on a stranger's workspace",
    presented: () => presentedToken(),
    on: stranger.id,
    opens: "out",
  },
  { name: "a token on no workspace", presented: () => presentedToken(), on: null, opens: "out" },
  {
    name: "a token that was never issued",
    presented: () => ({ token_hash: "00".repeat(32), audiences: [AUDIENCE] }),
    on: here.id,
    opens: "dead",
  },
  {
    name: "an expired token",
    presented: () => presentedToken({ expiresAt: new Date(0) }),
    on: here.id,
    opens: "dead",
  },
  {
    name: "a refresh token",
    presented: () => presentedToken({ kind: "refresh" }),
    on: here.id,
    opens: "dead",
  },
  {
    name: "a token whose grant has ended",
    presented: () => presentedToken({ revokedAt: new Date(0) }),
    on: here.id,
    opens: "dead",
  },
  {
    name: "a token made out for another place",
    presented: () => presentedToken({ resource: "https://elsewhere.example/mcp" }),
    on: here.id,
    opens: "dead",
  },
  {
    name: "a token where nothing says what it has to be made out for",
    presented: async () => ({ ...await presentedToken(), audiences: [] }) as Presented,
    on: here.id,
    opens: "dead",
  },
  {
    name: "a token of who is no member any more, but is one elsewhere",
    async presented() {
      const left = await addMember(sql, { workspaceId: sibling.id, role: "admin", grants: [], name: "Left" });
      return presentedToken({ userId: left.id });
    },
    on: sibling.id,
    opens: "dead",
  },
  {
    name: "a key's hash given for a token's",
    presented: () => ({ token_hash: presentedKey(here.rawKey).key_hash, audiences: [AUDIENCE] }),
    on: here.id,
    opens: "dead",
  },
];

for (const { name, presented, on, opens } of APPROACHES) {
  const approach = await presented();

  databaseTest(`openCall() by ${name}: ${opens}`, async () => {
    const opened = await openCall(sql, {
      presented: approach,
      workspaceId: on,
      slug: TEST_SLUG,
      foreseen: TEST_FORESEEN,
      limits: NO_LIMITS,
    });
    if (opens === "dead") return assertEquals(opened, { principal: null });
    if (opens === "out") {
      assertEquals(Object.keys(opened), ["principal"], "no tool and no sealed value");
      return assertEquals(opened.principal?.workspace, null);
    }
    assertEquals(`${opened.principal?.kind} ${opened.principal?.workspace?.role}`, opens);
    if (opened.principal?.kind === "reseller_key") {
      return assertEquals(opened.refused_by, "existence", "a person's tool is not its account's keys'");
    }
    assertEquals(opened.tool?.workspace_id, on);
    assertEquals(opened.sealed?.map((secret) => secret.name), [TEST_SECRET]);
  });

  databaseTest(
    `inTransactionOf() ${name} sees ${opens === "dead" || opens === "out" ? "nothing" : "its workspace"}`,
    async () => {
      const seen = await inTransactionOf(sql, {
        presented: approach,
        workspaceId: on,
        async work(tx) {
          const rows = await tx<{ workspace_id: string }[]>`
          select workspace_id from framed.v2_connectors union select workspace_id from framed.v2_connector_secrets
          union select workspace_id from framed.v2_kept_reads union select workspace_id from framed.log_events
          union select workspace_id from framed.workspace_data_keys`;
          return { ok: true, value: rows.map((row) => row.workspace_id) };
        },
      });
      assertEquals(seen, { ok: true, value: opens === "dead" || opens === "out" ? [] : [on!] });
    },
  );
}

databaseTest("inTransactionOf() a raw key hides the other workspaces of its person", async () => {
  const count = (presented: Presented) =>
    inTransactionOf(sql, {
      presented,
      workspaceId: here.id,
      work: async (tx) => ({
        ok: true,
        value: (await tx`select from framed.workspaces`).count,
      }),
    });
  const both = await addMember(sql, { workspaceId: here.id, role: "admin", grants: [], name: "Both" });
  await addMember(sql, {
    workspaceId: stranger.id,
    role: "member",
    grants: [],
    name: "Both",
    userId: both.id,
  });
  const key = await addKey(sql, { ...rawKeyHere, userId: both.id });
  assertEquals(await count({ user_id: both.id }), { ok: true, value: 2 });
  assertEquals(await count(presentedKey(key)), { ok: true, value: 1 });
});
