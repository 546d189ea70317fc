import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import fc from "fast-check";
import { judgeUrl } from "./url.ts";
import egressCases from "./testdata/egress-cases.json" with { type: "json" };

for (const { id, input, verdict, why, host } of egressCases.cases.filter(({ kind }) => kind === "url")) {
  Deno.test(`judgeUrl() decides ${id}: ${verdict} ${input.slice(0, 60)} (${why})`, () => {
    const judged = judgeUrl(input);
    assertEquals(judged.ok, verdict === "allow", judged.ok ? judged.url.href : judged.why);
    if (judged.ok && host !== undefined) assertEquals(judged.host, host);
  });
}

const TAKEN: readonly (readonly [url: string, href: string])[] = [
  ["https://ledger.example", "https://ledger.example/"],
  ["HTTPS://Ledger.Example:443?a=b", "https://ledger.example/?a=b"],
  ["https://ledger.example.:8443/a", "https://ledger.example:8443/a"],
  ["https://ledger.example/?", "https://ledger.example/?"],
  ["https://ledger.example/a%2Fb//c;d=e/@x?q=%20&q={", "https://ledger.example/a%2Fb//c;d=e/@x?q=%20&q={"],
  ["https://[2606:4700:4700::1111]/", "https://[2606:4700:4700::1111]/"],
];

for (const [url, href] of TAKEN) {
  Deno.test(`judgeUrl() takes ${url} and sends it to ${href}`, () => {
    const judged = judgeUrl(url);
    assertEquals(judged.ok ? judged.url.href : judged.why, href);
  });
}

const REFUSED: readonly (readonly [url: string, why: string])[] = [
  ["http://ledger.example/", "starts with https://"],
  ["https://ledger.example/#", "fragment"],
  ["https://ledger.example/a/../b", "the path has a . or .. piece"],
  ["https://ledger.example/%2e%2e/b", "the path has a . or .. piece"],
  ["https://ledger.example/é", "in the path `é` is sent as %C3%A9"],
  ["https://ledger.example/a b", "in the path U+0020 is sent as %20"],
  ["https://ledger.example/a\nb", "in the path U+000A is dropped"],
  ["https://ledger.example/ ", "in the path U+0020 is sent as %20"],
  [" https://ledger.example/", "starts with https://"],
  ["https://ledger.example/a\\b", "in the path `\\` is sent as /"],
  ["https://ledger.example\\@evil.example/", "user name"],
  ["https://ledger.example\\x/", "the host is not written"],
  ["https://led\tger.example/", "the host is not written"],
  ["https://b%C3%BCcher.example/", "the host is not written"],
  ["https://ledger.example../", "the host is no name"],
  ["https://ledger..example/", "the host is no name"],
  ["https://my_ledger.example/", "the host is no name"],
  ["https://ledger.example:/", "the port is not written"],
  ["https://ledger.example:08443/", "the port is not written"],
  ["https://ledger.example:80/", "port 80"],
  ["https://ledger.example:5432/", "PostgreSQL"],
  ["https://ledger.example:99999/", "no address"],
  ["https://134744072/", "the host is not written"],
  ["https://[::ffff:8.8.8.8]/", "the host is not written"],
  ["https://[2606:4700:0::1]/", "the host is not written"],
  ["https://[fd00::1]/", "not a global address"],
  ["https://a.b.internal/", "internal name (internal)"],
  ["https://ledger.LOCAL./", "internal name (local)"],
];

for (const [url, why] of REFUSED) {
  Deno.test(`judgeUrl() refuses ${JSON.stringify(url)}: ${why}`, () => {
    const judged = judgeUrl(url);
    assert(!judged.ok, judged.ok ? judged.url.href : "");
    assertStringIncludes(judged.why, why);
  });
}

Deno.test("judgeUrl() reads the host a second parser reads, whatever the text", () => {
  const piece = fc.constantFrom(
    ..."/\\@:?#.%[]\t\n a1-é。",
    "https://",
    "ledger.example",
    "evil.example",
    "127.0.0.1",
    ":443",
    "%2e",
    "%40",
  );
  const text = fc.array(piece, { maxLength: 8 }).map((parts) => `https://${parts.join("")}`);
  fc.assert(
    fc.property(fc.oneof(text, fc.webUrl(), fc.string()), (url) => {
      const judged = judgeUrl(url);
      if (!judged.ok) return;
      assertEquals(judged.url.protocol, "https:");
      assertEquals(judged.url.username + judged.url.password + judged.url.hash, "");
      assertEquals(judgeUrl(judged.url.href), judged);
      const naive = url.toLowerCase().slice("https://".length).split(/[/?]/)[0]!.replace(/:\d+$/, "").replace(
        /\.$/,
        "",
      );
      if (/^[a-z0-9.-]*$/.test(naive)) assertEquals(judged.host, naive);
    }),
    { numRuns: 3_000 },
  );
});
