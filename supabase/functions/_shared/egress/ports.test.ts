import { assertEquals } from "@std/assert";
import { refusePort } from "./ports.ts";

for (const port of [443, 1024, 3000, 4801, 8080, 8443, 54321, 65535]) {
  Deno.test(`refusePort() takes ${port}`, () => assertEquals(refusePort(port), null));
}

for (const port of [0, 22, 25, 80, 444, 1023]) {
  Deno.test(`refusePort() refuses ${port}, which is below 1024`, () => {
    assertEquals(refusePort(port), `port ${port} is not taken: use 443, or a port from 1024 up`);
  });
}

for (
  const [port, service] of [[6379, "Redis"], [5432, "PostgreSQL"], [11211, "memcached"], [27017, "MongoDB"]]
) {
  Deno.test(`refusePort() refuses ${port} and names ${service}`, () => {
    assertEquals(refusePort(port as number), `port ${port} is not taken: it is known for ${service}`);
  });
}
