import { assertEquals } from "@std/assert";
import { createTestAuthority } from "../../../../scripts/testing/pki.ts";
import { startUpstream } from "../../../../scripts/testing/upstream.ts";
import type { Refusal } from "../outcome/result.ts";
import { createEgress } from "./guarded-fetch.ts";

const HOST = "ledger.example";
const REQUEST = { method: "POST" as const, url: `https://${HOST}/`, headers: [], body: "{}" };
const NOT_NOW: Refusal = { reason: "store_unavailable", detail: "Not now. Nothing was sent." };

const authority = await createTestAuthority();
const CERTIFICATES = { "plain": undefined, "TLS": await authority.certify(HOST) };

for (const [name, certificate] of Object.entries(CERTIFICATES)) {
  for (const fresh of [true, false]) {
    Deno.test(`send() sends nothing that mayLeave refuses once a ${fresh ? "fresh" : "kept"} ${name} connection stands`, async () => {
      const upstream = startUpstream(
        () => new Response("{}"),
        certificate === undefined ? {} : { certificate },
      );
      const egress = createEgress({
        upstreams: new Map([[HOST, upstream.url]]),
        ...(certificate === undefined ? {} : { extraCa: authority.ca }),
      });
      const options = { host: HOST, timeoutMs: 10_000, maxBytes: 1_000, fresh };
      const refused = await egress.send(REQUEST, { ...options, mayLeave: () => NOT_NOW });
      assertEquals(refused, { ok: false, refusal: { ...NOT_NOW, sent: false } });
      assertEquals(upstream.requests.length, 0);
      let asked = 0;
      const sent = await egress.send(REQUEST, {
        ...options,
        mayLeave() {
          asked++;
          return null;
        },
      });
      assertEquals([sent.ok, asked, upstream.requests.length], [true, 1, 1]);
      await egress.close();
      await upstream.close();
    });
  }
}
