// The one test of connections by address: it judges loopback as public, because a test has no other server.

import { assert, assertEquals } from "@std/assert";
import { createTestAuthority } from "../../../../scripts/testing/pki.ts";
import { startUpstream } from "../../../../scripts/testing/upstream.ts";
import type { OutgoingRequest } from "../definition/request/request-template.ts";
import { judgeAddress } from "./address.ts";
import { createEgressTrusting, type SendOptions } from "./guarded-fetch.ts";

const PUBLIC_HERE = new Set(["127.0.0.1", "127.0.0.3"]);
const judge = (ip: string) => PUBLIC_HERE.has(ip) ? { public: true as const } : judgeAddress(ip);

Deno.test("send() connects to the very address that was judged, whatever the name answers next", async () => {
  const { server, ca } = await startPinned();
  // The first answer is the good one; whoever asks again is led elsewhere.
  const answers = [["127.0.0.1"], ["10.0.0.5"], ["127.0.0.2"]];
  const asked: string[] = [];
  const resolve = (host: string) => Promise.resolve((asked.push(host), answers.shift() ?? []));
  const egress = createEgressTrusting({ judge, ca }, { resolve });

  const answer = await egress.send(get(server.port), options(server.port));
  assert(answer.ok, JSON.stringify(answer));
  assertEquals(asked, ["pinned.example"]);
  assertEquals(server.requests[0]?.headers.get("host"), `pinned.example:${server.port}`);

  // The kept connection is of no use once the name leads elsewhere: the new answer is judged first.
  for (const _ of [1, 2]) {
    const refused = await egress.send(get(server.port), options(server.port));
    assert(!refused.ok);
    assertEquals([refused.refusal.reason, refused.refusal.sent], ["address_refused", false]);
  }
  assertEquals(server.requests.length, 1);
  await egress.close();
  await server.close();
});

Deno.test("send() lets one bad answer spoil the set", async () => {
  const { server, ca } = await startPinned();
  const egress = createEgressTrusting({ judge, ca }, {
    resolve: () => Promise.resolve(["127.0.0.1", "10.0.0.5"]),
  });
  const refused = await egress.send(get(server.port), options(server.port));
  assert(!refused.ok);
  assertEquals(refused.refusal.reason, "address_refused");
  assertEquals(server.requests.length, 0);
  await egress.close();
  await server.close();
});

Deno.test("send() tries the next judged address when one does not take the connection", async () => {
  const { server, ca } = await startPinned();
  for (const fresh of [false, true]) {
    // Nobody listens on 127.0.0.3.
    const egress = createEgressTrusting({ judge, ca }, {
      resolve: () => Promise.resolve(["127.0.0.3", "127.0.0.1"]),
    });
    const answer = await egress.send(get(server.port), { ...options(server.port), fresh });
    assert(answer.ok, JSON.stringify(answer));
    await egress.close();
  }
  assertEquals(server.requests.length, 2);
  await server.close();
});

Deno.test("send() leaves its kept connections when the name's addresses change", async () => {
  const { server, ca } = await startPinned();
  let addresses = ["127.0.0.1"];
  const egress = createEgressTrusting({ judge, ca }, { resolve: () => Promise.resolve(addresses) });
  for (let i = 0; i < 10; i++) {
    if (i === 5) addresses = ["127.0.0.1", "127.0.0.3"];
    assert((await egress.send(get(server.port), options(server.port))).ok);
  }
  const used = server.requests.map(({ connection }) => connection);
  assert(new Set(used).size < 5);
  assert(used.slice(5).every((connection) => !used.slice(0, 5).includes(connection)));
  await egress.close();
  await server.close();
});

Deno.test("send() verifies a certificate for the name, not for the address it goes to", async () => {
  const authority = await createTestAuthority();
  const server = startUpstream(() => new Response("x"), {
    certificate: await authority.certify("127.0.0.1"),
  });
  const resolve = () => Promise.resolve(["127.0.0.1"]);
  const egress = createEgressTrusting({ judge, ca: authority.ca }, { resolve });
  const refused = await egress.send(get(server.port), options(server.port));
  assert(!refused.ok);
  assertEquals([refused.refusal.reason, refused.refusal.sent], ["upstream_unreachable", false]);
  assertEquals(server.requests.length, 0);
  await egress.close();
  await server.close();
});

async function startPinned() {
  const authority = await createTestAuthority();
  const certificate = await authority.certify("pinned.example");
  return { server: startUpstream(() => new Response("x"), { certificate }), ca: authority.ca };
}

function get(port: number): OutgoingRequest {
  return { method: "GET", url: `https://pinned.example:${port}/`, headers: [], body: null };
}

function options(port: number): SendOptions {
  return { host: `pinned.example:${port}`, timeoutMs: 10_000, maxBytes: 1000 };
}
