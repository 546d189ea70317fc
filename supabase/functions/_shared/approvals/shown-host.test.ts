import { assertEquals } from "@std/assert";
import fc from "fast-check";
import { shownHost } from "./shown-host.ts";

Deno.test("shownHost() shows an internationalized host as it is looked up, then as it would be read", () => {
  const cases: [string, string][] = [
    ["ledger.example", "ledger.example"],
    ["ledger.example:8443", "ledger.example:8443"],
    ["{tenant}.shops.example", "{tenant}.shops.example"],
    ["xn--bcher-kva.example", "xn--bcher-kva.example (bücher.example)"],
    ["bücher.example:8443", "xn--bcher-kva.example:8443 (bücher.example)"],
    ["xn--80ak6aa92e.com", "xn--80ak6aa92e.com (аррӏе.com)"],
    ["a\u202eb", "a⟨U+202E RIGHT-TO-LEFT OVERRIDE⟩b"],
    ["{tenant}.xn--bcher-kva.example", "{tenant}.xn--bcher-kva.example ({tenant}.bücher.example)"],
    ["xn--.example", "xn--.example"],
    ["xn--99999999.example", "xn--99999999.example"],
  ];
  for (const [host, shown] of cases) assertEquals(shownHost(host), shown);
});

Deno.test("shownHost() reads every label as who registered it wrote it", () => {
  const letter = fc.constantFrom(..."abzäöüßñéøłčαωжщяاבगไ日本語한국ー");
  fc.assert(
    fc.property(
      fc.array(letter, { minLength: 1, maxLength: 12 }).map((letters) => letters.join("")),
      (label) => {
        const url = `https://${label}.example`;
        if (!URL.canParse(url)) return;
        const { hostname } = new URL(url);
        if (!hostname.startsWith("xn--")) return;
        // The label as it is looked up: lower case and composed.
        assertEquals(shownHost(hostname), `${hostname} (${label.normalize("NFC").toLowerCase()}.example)`);
      },
    ),
    { numRuns: 2_000 },
  );
});
