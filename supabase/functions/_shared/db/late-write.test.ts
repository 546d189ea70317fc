import { assertEquals } from "@std/assert";
import { once } from "node:events";
import { connect, createServer, type Socket } from "node:net";
import { ignoreLateWrites } from "./late-write.ts";

Deno.test("ignoreLateWrites() passes over null and lets everything else through", async () => {
  ignoreLateWrites();
  const server = createServer((socket) => socket.pipe(socket)).listen(0, "127.0.0.1");
  await once(server, "listening");
  const socket: Socket = connect((server.address() as { port: number }).port, "127.0.0.1");
  await once(socket, "connect");
  socket.write("a");
  assertEquals(socket.write(null as unknown as string), true);
  socket.write("b");
  let echoed = "";
  while (echoed.length < 2) echoed += (await once(socket, "data"))[0];
  assertEquals(echoed, "ab");
  socket.destroy();
  server.close();
  await once(server, "close");
});

/** As packages see it. */
const immediately = (callback: () => void) =>
  (globalThis as unknown as { setImmediate: (callback: () => void) => unknown }).setImmediate(callback);

Deno.test("ignoreLateWrites() lets an immediate nextWrite run at once and leaves nothing to clear", () => {
  ignoreLateWrites();
  let written = 0;
  assertEquals(
    immediately(function nextWrite() {
      written++;
    }),
    null,
  );
  assertEquals(written, 1);
});

Deno.test("ignoreLateWrites() leaves every other immediate as it is", async () => {
  ignoreLateWrites();
  const ran = Promise.withResolvers<void>();
  let isLater = false;
  immediately(function other() {
    assertEquals(isLater, true);
    ran.resolve();
  });
  isLater = true;
  await ran.promise;
});

Deno.test("ignoreLateWrites() keeps what finds no socket for the next one, and ends nothing by it", async () => {
  ignoreLateWrites();
  let socket: { write(): void } | null = null;
  const written = Promise.withResolvers<void>();
  immediately(function nextWrite() {
    socket!.write();
  });
  socket = { write: written.resolve };
  // The wait for it holds no process open.
  const held = setTimeout(() => {}, 60_000);
  await written.promise;
  clearTimeout(held);
});
