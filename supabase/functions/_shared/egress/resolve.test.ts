import { assert, assertEquals, assertMatch } from "@std/assert";
import { judgeAddress } from "./address.ts";
import { resolveBySystem, resolvePublic } from "./resolve.ts";
import cases from "./testdata/egress-cases.json" with { type: "json" };

const judge = judgeAddress;

Deno.test("resolvePublic() decides every DNS case of the egress policy", async () => {
  const dns = cases.cases.filter(({ kind }) => kind === "dns");
  assert(dns.length > 0);
  for (const { id, input, verdict, why, resolves_to = [] } of dns) {
    const asked: string[] = [];
    const resolve = (host: string) => Promise.resolve((asked.push(host), resolves_to));
    const addresses = await resolvePublic(new URL(input).hostname, { resolve, judge });
    assertEquals(addresses.ok, verdict === "allow", `${id}: ${why}`);
    if (addresses.ok) assertEquals(addresses.value, resolves_to);
    else {assertEquals(
        addresses.refusal.reason,
        resolves_to.length === 0 ? "upstream_unreachable" : "address_refused",
      );}
    assertEquals(asked, ["tool.example"]);
  }
});

Deno.test("resolvePublic() judges a literal without asking anybody", async () => {
  const resolve = () => Promise.reject(new Error("asked"));
  const table: [host: string, address: string | null][] = [
    ["1.1.1.1", "1.1.1.1"],
    ["[2606:2800:21f:cb07:6820:80da:af6b:8b2c]", "2606:2800:21f:cb07:6820:80da:af6b:8b2c"],
    ["127.0.0.1", null],
    ["[::1]", null],
  ];
  for (const [host, address] of table) {
    const addresses = await resolvePublic(host, { resolve, judge });
    assertEquals(addresses.ok ? addresses.value : null, address === null ? null : [address], host);
  }
});

Deno.test("resolvePublic() puts IPv4 first, names each address once, and takes a failed look-up for no answer", async () => {
  const six = "2606:2800:21f:cb07:6820:80da:af6b:8b2c";
  const both = await resolvePublic("a.example", {
    resolve: () => Promise.resolve([six, "93.184.215.14", six, "93.184.215.14"]),
    judge,
  });
  assert(both.ok);
  assertEquals(both.value, ["93.184.215.14", six]);

  const failed = await resolvePublic("a.example", {
    resolve: () => Promise.reject(new Error("ENOTFOUND")),
    judge,
  });
  assert(!failed.ok);
  assertEquals(failed.refusal.reason, "upstream_unreachable");
});

Deno.test("resolvePublic() tells a name that is for examples from one that has no address", async () => {
  const nobody = { resolve: () => Promise.resolve([]), judge };
  for (const [host, hint] of [["ledger.example", /for examples/], ["ledger.nl", /DNS entry/]] as const) {
    const found = await resolvePublic(host, nobody);
    assert(!found.ok);
    assertMatch(found.refusal.hint!, hint);
  }
});

Deno.test("resolveBySystem() gives addresses that can be judged, and an error for a name that is none", async () => {
  const addresses = await resolveBySystem("localhost");
  assert(addresses.includes("127.0.0.1"));
  const refused = await resolvePublic("localhost", { resolve: resolveBySystem, judge });
  assertEquals(refused.ok ? null : refused.refusal.reason, "address_refused");
  const none = await resolvePublic("nobody.invalid", { resolve: resolveBySystem, judge });
  assertEquals(none.ok ? null : none.refusal.reason, "upstream_unreachable");
});
