import { assert, assertEquals } from "@std/assert";
import { listen } from "./listen.ts";

/** What the server says first to `head`, sent over a connection of its own; it may hang up before it has read it all. */
async function say(origin: string, head: string): Promise<string> {
  const conn = await Deno.connect({ hostname: "127.0.0.1", port: Number(new URL(origin).port) });
  const writer = conn.writable.getWriter();
  const written = writer.write(new TextEncoder().encode(head)).catch(() => {});
  const reader = conn.readable.getReader();
  const { value } = await reader.read();
  await reader.cancel().catch(() => {});
  await writer.abort().catch(() => {});
  await written;
  return new TextDecoder().decode(value);
}

Deno.test({
  name: "listen() lets no flood of headers reach a function, and goes on answering",
  // A connection that the other side has reset is closed by then.
  sanitizeResources: false,
  async fn() {
    const http = listen(0);
    let reached = 0;
    http.serve(() => {
      reached++;
      return new Response("answered");
    });
    try {
      const floods = [
        Array.from({ length: 1_000 }, (_, i) => `X-${i}: x\r\n`).join(""),
        Array.from({ length: 50 }, (_, i) => `X-${i}: ${"x".repeat(100_000)}\r\n`).join(""),
      ];
      for (const flood of floods) {
        const said = await say(http.origin, `GET / HTTP/1.1\r\nHost: framed\r\n${flood}\r\n`);
        assert(/^HTTP\/1.1 4(00|31) /.test(said), said.slice(0, 80));
      }
      assertEquals(reached, 0);
      assertEquals(await (await fetch(http.origin)).text(), "answered");
    } finally {
      await http.stop();
    }
  },
});
