import { assertEquals } from "@std/assert";
import {
  actorOf,
  isAdministrator,
  type PrincipalHere,
  type PrincipalKind,
  requireAdministratorSession,
  requireConnectorGrant,
  requireSession,
  type Standing,
} from "./principal.ts";

function principal(
  kind: PrincipalKind,
  role: Standing["role"],
  grants: readonly string[] = [],
): PrincipalHere {
  return {
    kind,
    id: "5f2c9a53-0e0a-4e0e-9d0c-0d0c5c0e6a11",
    name: "Noor",
    user_id: role === null ? null : "5f2c9a53-0e0a-4e0e-9d0c-0d0c5c0e6a12",
    account_id: "5f2c9a53-0e0a-4e0e-9d0c-0d0c5c0e6a13",
    workspace: {
      id: "5f2c9a53-0e0a-4e0e-9d0c-0d0c5c0e6a14",
      account_id: "5f2c9a53-0e0a-4e0e-9d0c-0d0c5c0e6a13",
      settings: {},
      role,
      grants,
    },
  };
}

const GRANT = ["use_connectors"];
/** Who: what lets them use connectors, administer in person, and whether an administrator stands behind. */
const CASES: readonly [string, PrincipalHere, { grant: string; session: string; administrator: boolean }][] =
  [
    ["an administrator's session", principal("session", "admin"), {
      grant: "passes",
      session: "passes",
      administrator: true,
    }],
    ["a member's session with the grant", principal("session", "member", GRANT), {
      grant: "passes",
      session: "admin_required",
      administrator: false,
    }],
    ["a member's session without it", principal("session", "member"), {
      grant: "grant_missing",
      session: "admin_required",
      administrator: false,
    }],
    ["a member's session with another grant", principal("session", "member", ["read:insights"]), {
      grant: "grant_missing",
      session: "admin_required",
      administrator: false,
    }],
    ["an administrator's raw key", principal("raw_key", "admin"), {
      grant: "passes",
      session: "person_required",
      administrator: true,
    }],
    ["a reseller key", principal("reseller_key", null), {
      grant: "passes",
      session: "person_required",
      administrator: false,
    }],
  ];

function outcomeOf(result: ReturnType<typeof requireConnectorGrant>): string {
  return result.ok ? "passes" : result.refusal.reason;
}

for (const [name, who, expected] of CASES) {
  Deno.test(`requireConnectorGrant() and requireAdministratorSession() for ${name}`, () => {
    assertEquals({
      grant: outcomeOf(requireConnectorGrant(who)),
      session: outcomeOf(requireAdministratorSession(who)),
      administrator: isAdministrator(who),
    }, expected);
  });
}

Deno.test("requireSession() lets a person pass in any role, and no key", () => {
  for (const [, who] of CASES) {
    assertEquals(outcomeOf(requireSession(who)), who.kind === "session" ? "passes" : "person_required");
  }
});

Deno.test("isAdministrator() is false where the workspace is out of reach", () => {
  assertEquals(isAdministrator({ ...principal("session", "admin"), workspace: null }), false);
});

Deno.test("actorOf() tells kind, id and name, and nothing else", () => {
  assertEquals(actorOf(principal("raw_key", "admin")), {
    kind: "raw_key",
    id: "5f2c9a53-0e0a-4e0e-9d0c-0d0c5c0e6a11",
    name: "Noor",
  });
});
