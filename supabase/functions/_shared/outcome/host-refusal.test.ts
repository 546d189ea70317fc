import { assertEquals } from "@std/assert";
import { refusalForHost } from "./host-refusal.ts";

const SAID: readonly [host: string | null, said: string, told: string][] = [
  [
    "ledger.example",
    "ledger.example did not answer in full within 30 s.",
    "The other system did not answer in full within 30 s.",
  ],
  [
    "ledger.example",
    "No connection to ledger.example: the port is closed.",
    "No connection to the other system: the port is closed.",
  ],
  [
    "ledger.example",
    "What LEDGER.example. answered is not valid.",
    "What the other system answered is not valid.",
  ],
  [
    "ledger.example:8443",
    "Nothing at ledger.example:8443, nothing.",
    "Nothing at the other system, nothing.",
  ],
  [
    "{tenant}.ledger.example",
    "It failed. acme.ledger.example is away.",
    "It failed. The other system is away.",
  ],
  [
    "ledger.example",
    "myledger.example and ledger.examples are others.",
    "myledger.example and ledger.examples are others.",
  ],
  [null, "tool waits for the value of CONNECTOR_LEDGER.", "tool waits for the value of a secret."],
  [
    null,
    "tool waits for the value of CONNECTOR_A, CONNECTOR_B_2.",
    "tool waits for the value of 2 secrets.",
  ],
  [
    "a.example",
    "The name a.example does not resolve to an address.",
    "The other system does not resolve to an address.",
  ],
  [null, "It said: [a] $& (b).", "It said: [a] $& (b)."],
];

Deno.test("refusalForHost() tells neither the host nor the name of a secret, and every other word as it was", () => {
  for (const [host, said, told] of SAID) {
    const refusal = {
      reason: "upstream_failed",
      detail: said,
      hint: said,
      problems: [said],
      retryAfterSeconds: 3,
    } as const;
    assertEquals(refusalForHost(refusal, { host }), {
      ...refusal,
      detail: told,
      hint: told,
      problems: [told],
    });
  }
  assertEquals(refusalForHost({ reason: "internal" }, { host: "a.example" }), { reason: "internal" });
});
