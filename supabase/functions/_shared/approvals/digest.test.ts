import { assertEquals, assertMatch, assertNotEquals, assertThrows } from "@std/assert";
import fc from "fast-check";
import type { JsonObject, JsonValue } from "../definition/json.ts";
import { approvalDigest, type ApprovalTerms, type BoundCall, proposalKey } from "./digest.ts";

const CALL: BoundCall = {
  connectorId: "6f1d3c1e-0000-4000-8000-000000000001",
  version: 3,
  args: { supplier: "Harbour Bakery", amount: "12.50" },
  method: "POST",
  host: "ledger.example",
  secretNames: ["CONNECTOR_LEDGER", "CONNECTOR_LEDGER_ID"],
  innerDigest: null,
};

const TERMS: ApprovalTerms = {
  caller: { kind: "session", id: "u1" },
  workspaceId: "w1",
  calls: [CALL, { ...CALL, version: 4 }],
  expiresAt: new Date("2026-03-02T09:00:00.000Z"),
};

function withCall(change: Partial<BoundCall>): ApprovalTerms {
  return { ...TERMS, calls: [{ ...CALL, ...change }, TERMS.calls[1]!] };
}

Deno.test("approvalDigest() is another for every term that changes", () => {
  const changed: ApprovalTerms[] = [
    TERMS,
    { ...TERMS, caller: { kind: "key", id: "u1" } },
    { ...TERMS, caller: { kind: "session", id: "u2" } },
    { ...TERMS, workspaceId: "w2" },
    { ...TERMS, expiresAt: new Date("2026-03-02T09:00:00.001Z") },
    { ...TERMS, calls: [CALL] },
    { ...TERMS, calls: [...TERMS.calls].reverse() },
    withCall({ connectorId: "6f1d3c1e-0000-4000-8000-000000000002" }),
    withCall({ version: 2 }),
    withCall({ args: { supplier: "Harbour Bakery", amount: "12.5" } }),
    withCall({ args: { supplier: "Harbour Bakery", amount: 12.5 } }),
    withCall({ args: { supplier: "Harbour Bakery" } }),
    withCall({ capability: "contact.read" }),
    withCall({ capability: "list" }),
    withCall({ operation: "list" }),
    withCall({ method: "PUT" }),
    withCall({ method: null }),
    withCall({ host: "ledger.example:8443" }),
    withCall({ host: null }),
    withCall({ secretNames: ["CONNECTOR_LEDGER"] }),
    withCall({ secretNames: ["CONNECTOR_LEDGER", "CONNECTOR_OTHER"] }),
    withCall({ secretNames: [] }),
    withCall({ innerDigest: "a".repeat(64) }),
  ];
  const digests = changed.map(approvalDigest);
  for (const digest of digests) assertMatch(digest, /^[0-9a-f]{64}$/);
  assertEquals(new Set(digests).size, changed.length);
});

Deno.test("approvalDigest() does not count the order of keys and of secret names", () => {
  const same = withCall({
    args: { amount: "12.50", supplier: "Harbour Bakery" },
    secretNames: [...CALL.secretNames].reverse(),
  });
  const { caller, ...rest } = same;
  assertEquals(
    approvalDigest({ ...rest, caller: { id: caller.id, kind: caller.kind } }),
    approvalDigest(TERMS),
  );
});

Deno.test("approvalDigest() stays what it is: digests that are stored and shown are compared with it", () => {
  assertEquals(approvalDigest(TERMS), "a8c31a88d00029499bf1d3032beb61798fa2a0f502bb795614e79580d94e0874");
  const calls = [{ slug: "book_invoice", args: CALL.args }];
  assertEquals(
    proposalKey({ caller: TERMS.caller, calls }),
    "6a82666e08ad235e8050733d6c77520d966314c89815ed3f225379fc3f8ff2f0",
  );
});

Deno.test("approvalDigest() throws on an expiry that is no instant", () => {
  assertThrows(() => approvalDigest({ ...TERMS, expiresAt: new Date("never") }), RangeError);
});

Deno.test("proposalKey() is another for another caller, tool, argument, capability, operation and order", () => {
  const { caller } = TERMS;
  const call = { slug: "book_invoice", args: { id: 1 } };
  const other = { slug: "void_invoice", args: { id: 1 } };
  const keys = [
    proposalKey({ caller, calls: [call] }),
    proposalKey({ caller: { ...caller, id: "u2" }, calls: [call] }),
    proposalKey({ caller: { ...caller, kind: "token" }, calls: [call] }),
    proposalKey({ caller, calls: [other] }),
    proposalKey({ caller, calls: [{ ...call, args: { id: "1" } }] }),
    proposalKey({ caller, calls: [{ ...call, capability: "contact.read" }] }),
    proposalKey({ caller, calls: [{ ...call, operation: "contact.read" }] }),
    proposalKey({ caller, calls: [call, call] }),
    proposalKey({ caller, calls: [call, other] }),
    proposalKey({ caller, calls: [other, call] }),
  ];
  assertEquals(new Set(keys).size, keys.length);
});

Deno.test("approvalDigest() and proposalKey() are equal for equal arguments however written, and for no others", () => {
  fc.assert(
    fc.property(
      fc.dictionary(fc.string(), fc.jsonValue()),
      fc.dictionary(fc.string(), fc.jsonValue()),
      (a, b) => {
        const [one, other] = [a, b].map((args) => JSON.parse(JSON.stringify(args)) as JsonObject);
        const digest = (args: JsonObject) => [
          approvalDigest(withCall({ args })),
          proposalKey({ caller: TERMS.caller, calls: [{ slug: "book_invoice", args }] }),
        ];
        assertEquals(digest(reversed(one!) as JsonObject), digest(one!));
        if (JSON.stringify(sorted(one!)) === JSON.stringify(sorted(other!))) return;
        for (const at of [0, 1]) assertNotEquals(digest(one!)[at], digest(other!)[at]);
      },
    ),
  );
});

/** The same value with the keys of every object in the opposite order. */
function reversed(value: JsonValue): JsonValue {
  return rewritten(value, (keys) => keys.reverse());
}

function sorted(value: JsonValue): JsonValue {
  return rewritten(value, (keys) => keys.sort());
}

function rewritten(value: JsonValue, order: (keys: string[]) => string[]): JsonValue {
  if (Array.isArray(value)) return value.map((item) => rewritten(item, order));
  if (value === null || typeof value !== "object") return value;
  return Object.fromEntries(order(Object.keys(value)).map((key) => [key, rewritten(value[key]!, order)]));
}
