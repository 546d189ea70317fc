/** What pages and programs beside the sign-in may send to where the browser comes back to. */

import { assertEquals } from "@std/assert";
import { connect } from "node:net";
import { listenForAnswer } from "./loopback.ts";

/** The first line of what is answered to a request whose target is sent as it stands. */
async function firstLine(port: number, target: string): Promise<string> {
  const socket = connect(port, "127.0.0.1");
  const answered = Promise.withResolvers<string>();
  let said = "";
  socket.on("data", (bytes) => said += bytes);
  socket.on("end", () => answered.resolve(said.split("\r\n", 1)[0]!));
  socket.on("error", answered.reject);
  socket.write(`GET ${target} HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n`);
  return await answered.promise;
}

for (const target of ["//[", "//[::1", "http://[/callback", "//a:b@:0/", "/elsewhere"]) {
  Deno.test(`listenForAnswer() turns away GET ${target}, and waits on`, async () => {
    const loopback = await listenForAnswer("the state");
    try {
      const answer = loopback.answer([]);
      const port = Number(new URL(loopback.redirectUri).port);
      assertEquals(await firstLine(port, target), "HTTP/1.1 404 Not Found");
      assertEquals(await firstLine(port, "/callback?state=the+state&code=x"), "HTTP/1.1 200 OK");
      assertEquals((await answer).get("code"), "x");
    } finally {
      loopback.close();
    }
  });
}
