import { assert, assertEquals } from "@std/assert";
import { parseLocalUpstreams } from "./local-upstreams.ts";

Deno.test("parseLocalUpstreams() reads hosts as files name them", () => {
  const read = parseLocalUpstreams(
    " Ledger.example = http://127.0.0.1:4801, b\u00fccher.example:8443=https://127.1.2.3:4443/,six.example:443=http://[::1]:9000",
  );
  assert(read.ok);
  assertEquals([...read.value].map(([host, url]) => [host, url.href]), [
    ["ledger.example", "http://127.0.0.1:4801/"],
    ["xn--bcher-kva.example:8443", "https://127.1.2.3:4443/"],
    ["six.example", "http://[::1]:9000/"],
  ]);
});

Deno.test("parseLocalUpstreams() reads nothing out of a missing or blank text", () => {
  for (const text of [undefined, "", "  "]) {
    const read = parseLocalUpstreams(text);
    assert(read.ok);
    assertEquals(read.value.size, 0);
  }
});

Deno.test("parseLocalUpstreams() refuses what is no host and what is not on loopback, each entry by its place", () => {
  const table: [entry: string, says: string][] = [
    ["", 'it has no "="'],
    ["ledger.example", 'it has no "="'],
    ["=http://127.0.0.1:1", 'what stands before "=" is no host'],
    ["a b=http://127.0.0.1:1", 'what stands before "=" is no host'],
    ["https://x.example=http://127.0.0.1:1", 'what stands before "=" is no host'],
    ["x.example/p=http://127.0.0.1:1", 'what stands before "=" is no host'],
    ["u@x.example=http://127.0.0.1:1", 'what stands before "=" is no host'],
    ["x.example=127.0.0.1:1", 'what stands after "=" is no http:// or https:// address'],
    ["x.example=ftp://127.0.0.1:1", 'what stands after "=" is no http:// or https:// address'],
    ["x.example=http://93.184.215.14:80", "only 127.0.0.0/8 and [::1] can be named"],
    ["x.example=http://10.0.0.1", "only 127.0.0.0/8 and [::1] can be named"],
    ["x.example=http://0.0.0.0:1", "only 127.0.0.0/8 and [::1] can be named"],
    ["x.example=http://localhost:1", "only 127.0.0.0/8 and [::1] can be named"],
    ["x.example=http://127.0.0.1.evil.example", "only 127.0.0.0/8 and [::1] can be named"],
    ["x.example=http://[::ffff:127.0.0.1]:1", "only 127.0.0.0/8 and [::1] can be named"],
    ["x.example=http://127.0.0.1:1/path", "its address holds more than scheme, address and port"],
    ["x.example=http://u:p@127.0.0.1:1", "its address holds more than scheme, address and port"],
    ["x.example=http://127.0.0.1:1?a", "its address holds more than scheme, address and port"],
  ];
  for (const [entry, says] of table) {
    const read = parseLocalUpstreams(`ok.example=http://127.0.0.1:1,${entry}`);
    assert(!read.ok, entry);
    assertEquals(read.refusal.length, 1);
    assert(
      read.refusal[0]!.startsWith(`FRAMED_LOCAL_UPSTREAMS, entry 2: ${says}`),
      `${entry}: ${read.refusal[0]}`,
    );
  }
  const twice = parseLocalUpstreams("x.example=http://127.0.0.1:1,X.EXAMPLE:443=http://127.0.0.1:2");
  assert(!twice.ok);
  assertEquals(twice.refusal, [
    "FRAMED_LOCAL_UPSTREAMS, entry 2: x.example is named by an earlier entry; remove one",
  ]);
});
