import { assertEquals } from "@std/assert";
import { isLive, type SecretUse, statusOf, type ToolStatus, waitsFor } from "./tool.ts";

function use(name: string, more: Partial<SecretUse> = {}): SecretUse {
  return { credential_key: "secret", name, host: "ledger.example", set: true, allowed: true, ...more };
}

const unset = { set: false };
const unallowed = { allowed: false };

const STATUSES: readonly [string, readonly SecretUse[], ToolStatus][] = [
  ["without a secret", [], "ready"],
  ["with a value an administrator stands behind", [use("CONNECTOR_A")], "ready"],
  ["without the value", [use("CONNECTOR_A", unset)], "waits_for_secret"],
  ["with a value nobody has allowed", [use("CONNECTOR_A", unallowed)], "waits_for_admin"],
  [
    "without a value that nobody has allowed either",
    [use("CONNECTOR_A", { ...unset, ...unallowed })],
    "waits_for_secret",
  ],
  [
    "with one value unset and one not allowed",
    [use("CONNECTOR_A", unallowed), use("CONNECTOR_B", unset)],
    "waits_for_secret",
  ],
  [
    "with one of two values not allowed",
    [use("CONNECTOR_A"), use("CONNECTOR_B", unallowed)],
    "waits_for_admin",
  ],
];

for (const [name, uses, expected] of STATUSES) {
  Deno.test(`statusOf() a tool ${name}: ${expected}`, () => assertEquals(statusOf(uses), expected));
}

Deno.test("waitsFor() names each missing value once, in order", () => {
  const uses = [
    use("CONNECTOR_B", unset),
    use("CONNECTOR_A", unset),
    use("CONNECTOR_B", { ...unset, credential_key: "accessToken" }),
    use("CONNECTOR_C", unallowed),
  ];
  assertEquals(waitsFor(uses), ["CONNECTOR_A", "CONNECTOR_B"]);
});

Deno.test("isLive() is true of every kind but fixture", () => {
  assertEquals((["request", "fixture", "mcp"] as const).map(isLive), [true, false, true]);
});
