import { assertEquals, assertThrows } from "@std/assert";
import { audiencesOf, placeConnect, resourceNamed } from "./place.ts";

const functionsUrl = "https://ref.supabase.co/functions/v1";
const project = placeConnect({ url: undefined, functionsUrl });
const own = placeConnect({ url: "https://www.framed.example/connect/", functionsUrl });

Deno.test("placeConnect() stands under the project's functions, or at the one address that is set", () => {
  assertEquals(project, {
    issuer: `${functionsUrl}/connect`,
    roofs: { connect: `${functionsUrl}/connect`, api: `${functionsUrl}/api/connect` },
  });
  const address = "https://www.framed.example/connect";
  assertEquals(own, { issuer: address, roofs: { connect: address, api: address } });
  assertEquals(placeConnect({ url: "", functionsUrl }), project);
  assertEquals(
    placeConnect({ url: "http://127.0.0.1:8000/connect", functionsUrl }).issuer,
    "http://127.0.0.1:8000/connect",
  );
});

Deno.test("placeConnect() refuses an address that clients could not be given, and does not repeat it", () => {
  for (
    const url of [
      "www.framed.example/connect",
      "http://www.framed.example/connect",
      "https://user@www.framed.example/connect",
      "https://www.framed.example/connect?x",
      "https://www.framed.example/connect#x",
      "https://WWW.framed.example/connect",
      "https://www.framed.example/a/../connect",
    ]
  ) {
    const { message } = assertThrows(() => placeConnect({ url, functionsUrl }), Error, "FRAMED_CONNECT_URL");
    assertEquals(message.includes("framed.example"), false);
  }
});

Deno.test("audiencesOf() is the endpoint under each roof, each once", () => {
  assertEquals(audiencesOf(project), [`${functionsUrl}/connect/mcp`, `${functionsUrl}/api/connect/mcp`]);
  assertEquals(audiencesOf(own), ["https://www.framed.example/connect/mcp"]);
});

const NAMED: readonly [named: string | null, resource: string | null][] = [
  [null, `${functionsUrl}/connect/mcp`],
  [`${functionsUrl}/connect/mcp`, `${functionsUrl}/connect/mcp`],
  [`${functionsUrl}/connect/mcp/`, `${functionsUrl}/connect/mcp`],
  [`${functionsUrl}/connect`, `${functionsUrl}/connect/mcp`],
  [`${functionsUrl}/api/connect/mcp`, `${functionsUrl}/api/connect/mcp`],
  [`${functionsUrl}/connect/mcp//`, null],
  [`${functionsUrl}/connect/mcp?x`, null],
  ["https://ref.supabase.co", null],
  ["https://elsewhere.example/connect/mcp", null],
  ["", null],
];

for (const [named, resource] of NAMED) {
  Deno.test(`resourceNamed() takes ${named} for ${resource}`, () => {
    assertEquals(resourceNamed(project, named), resource);
  });
}
