import { assertEquals } from "@std/assert";
import fc from "fast-check";
import { judgeAddress } from "./address.ts";
import egressCases from "./testdata/egress-cases.json" with { type: "json" };

for (const { id, input, verdict, why } of egressCases.cases.filter(({ kind }) => kind === "ip")) {
  Deno.test(`judgeAddress() decides ${id}: ${verdict} ${input} (${why})`, () => {
    assertEquals(judgeAddress(input).public, verdict === "allow");
  });
}

const EDGES: readonly (readonly [ip: string, isPublic: boolean])[] = [
  ["1.0.0.0", true],
  ["100.64.0.0", false],
  ["100.127.255.255", false],
  ["100.128.0.0", true],
  ["126.255.255.255", true],
  ["127.0.0.0", false],
  ["127.255.255.255", false],
  ["128.0.0.0", true],
  ["168.63.129.16", false],
  ["168.63.129.17", true],
  ["169.255.0.0", true],
  ["172.15.255.255", true],
  ["172.32.0.0", true],
  ["192.0.0.255", false],
  ["192.0.2.255", false],
  ["192.88.99.1", false],
  ["192.169.0.0", true],
  ["198.19.255.255", false],
  ["223.255.255.255", true],
  ["240.0.0.1", false],
  ["1fff:ffff::1", false],
  ["2000::1", true],
  ["2001:1ff:ffff::1", false],
  ["2001:db7:ffff::1", true],
  ["2001:db8::1", false],
  ["2001:db9::1", true],
  ["2003::1", true],
  ["3ffe:ffff::1", true],
  ["3fff:0fff::1", false],
  ["3fff:1000::1", true],
  ["4000::1", false],
  ["2001:4860:4860::8.8.8.8", true],
];

for (const [ip, isPublic] of EDGES) {
  Deno.test(`judgeAddress() knows that ${ip} is ${isPublic ? "" : "not "}public`, () => {
    assertEquals(judgeAddress(ip).public, isPublic);
  });
}

const NO_ADDRESSES = [
  "",
  "8.8.8",
  "8.8.8.8.",
  "8.8.8.8 ",
  "08.8.8.8",
  "8.8.8.256",
  "0x8.8.8.8",
  "134744072",
  "[2606:4700::1]",
  "2606:4700::1%1",
  "2606::4700::1",
  "2606:4700:1",
  "1:2:3:4:5:6:7:8:9",
  "1:2:3:4:5:6:7::8:9",
  "2606:47000::1",
  ":2606::1",
  "2606::8.8.8",
  "::ffff:8.8.8.8.8",
  "ledger.example",
];

for (const text of NO_ADDRESSES) {
  Deno.test(`judgeAddress() refuses ${JSON.stringify(text)}, which is no address`, () => {
    assertEquals(judgeAddress(text), { public: false, why: "it is no IP address" });
  });
}

Deno.test("judgeAddress() reads an IPv6 address alike in every spelling", () => {
  fc.assert(
    fc.property(fc.array(fc.nat(0xffff), { minLength: 8, maxLength: 8 }), (groups) => {
      const full = groups.map((group) => group.toString(16).padStart(4, "0").toUpperCase()).join(":");
      const short = new URL(`http://[${full}]/`).hostname.slice(1, -1);
      assertEquals(judgeAddress(full), judgeAddress(short));
    }),
  );
});

Deno.test("judgeAddress() never throws", () => {
  fc.assert(fc.property(fc.oneof(fc.string(), fc.ipV4(), fc.ipV6()), (text) => void judgeAddress(text)));
});
