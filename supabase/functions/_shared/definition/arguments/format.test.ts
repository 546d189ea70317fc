/** Formats and cases the draft-07 suite does not have. */

import { assert, assertEquals } from "@std/assert";
import { findFormat, formatMeantBy } from "./format.ts";

const CASES: Record<string, { takes: readonly string[]; refuses: readonly string[] }> = {
  "date": {
    takes: ["2024-02-29", "2000-02-29", "0001-12-31"],
    refuses: ["2023-02-29", "1900-02-29", "2026-13-01", "2026-00-10", "2026-01-00", "2026-1-01", "20260101"],
  },
  "time": {
    takes: ["00:00:00Z", "23:59:60Z", "00:59:60+01:00", "09:30:00.123-05:30"],
    refuses: ["09:30:00", "24:00:00Z", "09:60:00Z", "12:00:60Z", "09:30:00+24:00", "09:30:00."],
  },
  "date-time": {
    takes: ["2026-01-31T09:30:00Z", "2026-01-31t09:30:00+02:00"],
    refuses: ["2026-01-31 09:30:00Z", "2026-02-30T09:30:00Z", "2026-01-31T09:30:00", "2026-01-31"],
  },
  "duration": {
    takes: ["P3Y6M4DT12H30M5S", "PT1H30M", "P2W", "P1D", "PT36H", "P1YT1S"],
    refuses: ["P", "PT", "3D", "P1H", "P1Y2W", "PT1S1M", "P1YT", "P1Y4D", "P-1D"],
  },
  "email": {
    takes: [
      "joe.bloggs@example.com",
      '"joe bloggs"@example.com',
      "joe@[127.0.0.1]",
      "joe@[IPv6:::1]",
      "a+b@x.nl",
    ],
    refuses: ["joe", "@x.nl", ".joe@x.nl", "jo..e@x.nl", "joe@", "joe@x y", "joe@[127.0.0.300]", "a@b@c.nl"],
  },
  "hostname": {
    takes: ["example.com", "localhost", "xn--bcher-kva.example", "a-1.b"],
    refuses: [
      "",
      ".",
      "a..b",
      "-a.b",
      "a-.b",
      "a_b",
      "bücher.example",
      `${"a".repeat(64)}.b`,
      "a.".repeat(127) + "aa",
    ],
  },
  "ipv4": {
    takes: ["0.0.0.0", "255.255.255.255"],
    refuses: ["256.0.0.1", "01.2.3.4", "1.2.3", "1.2.3.4.5", "1.2.3.4 ", "0x7f.0.0.1"],
  },
  "ipv6": {
    takes: ["::", "::1", "1::", "1:2:3:4:5:6:7:8", "::ffff:192.0.2.1", "1:2:3:4:5:6:1.2.3.4"],
    refuses: [
      ":",
      ":::",
      "1::2::3",
      "1:2:3:4:5:6:7",
      "1:2:3:4:5:6:7:8:9",
      "::1%eth0",
      "12345::",
      "1.2.3.4::",
      ":1",
    ],
  },
  "uri": {
    takes: [
      "https://example.com/a?b=c#d",
      "urn:isbn:0",
      "mailto:a@b.nl",
      "http://[::1]:80/",
      "http://u:p@h/%20",
    ],
    refuses: [
      "//example.com",
      "/a",
      "a b:c",
      "http://a b",
      "http://[::1",
      "http://x/%2",
      "http://x/{y}",
      "http://x/a#b#c",
    ],
  },
  "uri-reference": {
    takes: ["", "/a", "#b", "?c", "//h/x", "a/b:c"],
    refuses: ["\\a", "#b#c", "1a:b", "a b"],
  },
  "uuid": {
    takes: ["2EB8AA08-aa98-11ea-b4aa-73b441d16380", "00000000-0000-0000-0000-000000000000"],
    refuses: [
      "2eb8aa08aa9811eab4aa73b441d16380",
      "2eb8aa08-aa98-11ea-b4aa-73b441d1638",
      "{2eb8aa08}",
      "g".repeat(36),
    ],
  },
};

for (const [name, { takes, refuses }] of Object.entries(CASES)) {
  Deno.test(`findFormat() knows what is a ${name}`, () => {
    const format = findFormat(name);
    assert(format !== undefined);
    for (const text of takes) assertEquals(format.accepts(text), true, text);
    for (const text of refuses) assertEquals(format.accepts(text), false, text);
  });
}

Deno.test("formatMeantBy() finds slips of known names and leaves all others alone", () => {
  const meant = ["date-tiem", "datetime", "ipv5", "e-mail", "int32", "iban", "phone", "uuid", "UUID"].map(
    formatMeantBy,
  );
  assertEquals(meant, ["date-time", "date-time", null, "email", null, null, null, null, "uuid"]);
});
