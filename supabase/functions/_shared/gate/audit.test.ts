import { assertEquals } from "@std/assert";
import { formatAudit } from "./audit.ts";

Deno.test("formatAudit() writes one line in which no call can write", () => {
  const audit = { connector: "crm", mode: "live", ok: true, truncated: false } as const;
  assertEquals(
    formatAudit(audit, { capability: "contact.read", operation: "get" }),
    "connector=crm capability=contact.read operation=get mode=live ok=true truncated=false",
  );
  assertEquals(
    formatAudit({ ...audit, mode: "fixture", ok: false, truncated: true }, {}),
    "connector=crm capability=- operation=- mode=fixture ok=false truncated=true",
  );
  assertEquals(
    formatAudit(audit, { capability: "a ok=false\nconnector=other", operation: "x".repeat(81) }),
    "connector=crm capability=- operation=- mode=live ok=true truncated=false",
  );
});
