import { assertEquals } from "@std/assert";
import type { Principal } from "../auth/principal.ts";
import { isOwnedBy, isVisibleTo } from "./ownership.ts";
import type { Owner } from "./tool.ts";

const person: Principal = {
  kind: "session",
  id: "person",
  name: null,
  user_id: "person",
  account_id: "account",
  workspace: null,
};
const rawKey: Principal = { ...person, kind: "raw_key", id: "raw key" };
const other: Principal = { ...person, id: "other", user_id: "other" };
const partner: Principal = { ...person, kind: "reseller_key", id: "partner", user_id: null };
const otherPartner: Principal = { ...partner, account_id: "other account" };

const persons: Owner = { user_id: "person", key_kind: null, account_id: "account" };
const partners: Owner = { user_id: null, key_kind: "reseller", account_id: "account" };
const nobodys: Owner = { user_id: null, key_kind: null, account_id: null };

/** Whose the tool is, who comes, whether it is theirs and whether they see it. */
const CASES: readonly [string, Owner, Principal, { owned: boolean; visible: boolean }][] = [
  ["a person's, to that person", persons, person, { owned: true, visible: true }],
  ["a person's, to their raw key", persons, rawKey, { owned: true, visible: true }],
  ["a person's, to another person", persons, other, { owned: false, visible: true }],
  ["a person's, to a reseller key", persons, partner, { owned: false, visible: false }],
  ["a partner's, to a key of its account", partners, partner, { owned: true, visible: true }],
  ["a partner's, to a key of another account", partners, otherPartner, { owned: false, visible: false }],
  ["a partner's, to a person", partners, person, { owned: false, visible: true }],
  ["nobody's, to a person", nobodys, person, { owned: false, visible: true }],
  ["nobody's, to a reseller key", nobodys, partner, { owned: false, visible: false }],
  ["nobody's, to a key of no account", nobodys, { ...partner, account_id: null }, {
    owned: false,
    visible: false,
  }],
];

for (const [name, owner, caller, expected] of CASES) {
  Deno.test(`isOwnedBy() and isVisibleTo() of a tool that is ${name}`, () => {
    assertEquals({ owned: isOwnedBy(owner, caller), visible: isVisibleTo(owner, caller) }, expected);
  });
}
