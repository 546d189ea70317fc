import { assert, assertEquals, assertMatch } from "@std/assert";
import { type ReceivedRequest, startUpstream } from "../../../../scripts/testing/upstream.ts";
import { createEgress } from "../egress/guarded-fetch.ts";
import { createClientDocuments } from "./client-document.ts";

const ID = "https://client.example/oauth/metadata.json";
/** As Claude Code describes itself: no port. */
const DOCUMENT = {
  client_id: ID,
  client_name: "A host",
  client_uri: "https://client.example",
  redirect_uris: ["http://localhost/callback", "http://127.0.0.1/callback"],
  grant_types: ["authorization_code", "refresh_token"],
  response_types: ["code"],
  token_endpoint_auth_method: "none",
};
const KNOWN = { id: ID, name: "A host", redirectUris: DOCUMENT.redirect_uris };

/** Runs `work` against the documents of a server that answers so. */
async function withDocuments(
  answer: (request: ReceivedRequest) => Response | Promise<Response>,
  work: (documents: {
    find: ReturnType<typeof createClientDocuments>;
    requests: readonly ReceivedRequest[];
    clock: { now: number };
  }) => Promise<void>,
) {
  const upstream = startUpstream(answer);
  const egress = createEgress({ upstreams: new Map([["client.example", upstream.url]]) });
  const clock = { now: 0 };
  try {
    const find = createClientDocuments(egress, { now: () => clock.now });
    await work({ find, requests: upstream.requests, clock });
  } finally {
    await egress.close();
    await upstream.close();
  }
}

Deno.test("createClientDocuments() reads a client from its document, once for many, and anew after 10 minutes", async () => {
  await withDocuments(() => Response.json(DOCUMENT), async ({ find, requests, clock }) => {
    assertEquals(await Promise.all([find(ID), find(ID), find(ID)]), [KNOWN, KNOWN, KNOWN]);
    clock.now = 10 * 60_000 - 1;
    assertEquals(await find(ID), KNOWN);
    assertEquals(requests.length, 1);
    clock.now++;
    await find(ID);
    assertEquals(requests.length, 2);
    const { method, target, headers } = requests[0]!;
    assertEquals([method, target, headers.get("accept")], [
      "GET",
      "/oauth/metadata.json",
      "application/json",
    ]);
    for (const name of ["authorization", "cookie", "x-forwarded-for"]) assertEquals(headers.has(name), false);
  });
});

Deno.test("createClientDocuments() asks again half a minute after a failure", async () => {
  let status = 500;
  await withDocuments(() => Response.json(DOCUMENT, { status }), async ({ find, requests, clock }) => {
    assert("error" in await find(ID));
    status = 200;
    assert("error" in await find(ID), "the failure is kept for a while");
    clock.now = 30_000;
    assertEquals(await find(ID), KNOWN);
    assertEquals(requests.length, 2);
  });
});

Deno.test("createClientDocuments() keeps 200 and lets the oldest go", async () => {
  const answer = ({ target }: ReceivedRequest) =>
    Response.json({ ...DOCUMENT, client_id: `https://client.example${target}` });
  await withDocuments(answer, async ({ find, requests }) => {
    for (let index = 0; index < 201; index++) await find(`https://client.example/${index}`);
    await find("https://client.example/200");
    assertEquals(requests.length, 201);
    await find("https://client.example/0");
    assertEquals(requests.length, 202);
  });
});

const ANSWERS: readonly [name: string, answer: () => Response, says: RegExp][] = [
  [
    "another id",
    () => Response.json({ ...DOCUMENT, client_id: "https://client.example/other" }),
    /another client_id/,
  ],
  ["no id", () => Response.json({ redirect_uris: DOCUMENT.redirect_uris }), /another client_id/],
  ["an error", () => Response.json(DOCUMENT, { status: 404 }), /404/],
  ["a redirect", () => Response.redirect("https://client.example/other", 302), /redirect/],
  ["a page", () => new Response("<html>", { headers: { "content-type": "text/html" } }), /Content-Type/],
  ["JSON that is called a text", () => new Response(JSON.stringify(DOCUMENT)), /Content-Type/],
  ["no JSON", () => new Response("{", { headers: { "content-type": "application/json" } }), /no JSON/],
  [
    "two ids of which programs read one or the other",
    () =>
      new Response(JSON.stringify(DOCUMENT).replace("{", '{"client_id":"https://client.example/other",'), {
        headers: { "content-type": "application/json" },
      }),
    /in one way only/,
  ],
  ["a list", () => Response.json([DOCUMENT]), /no JSON object/],
  ["too much", () => Response.json({ ...DOCUMENT, x: "x".repeat(64 * 1024) }), /64|larger|more/],
  ["a secret", () => Response.json({ ...DOCUMENT, client_secret: "s" }), /secret/],
  [
    "a method with a secret",
    () => Response.json({ ...DOCUMENT, token_endpoint_auth_method: "client_secret_post" }),
    /secret/,
  ],
  [
    "an address that may not be",
    () => Response.json({ ...DOCUMENT, redirect_uris: ["data:text/html,x"] }),
    /redirect_uris\[0\]/,
  ],
  ["no addresses", () => Response.json({ ...DOCUMENT, redirect_uris: undefined }), /1 to 20/],
];

for (const [name, answer, says] of ANSWERS) {
  Deno.test(`createClientDocuments() refuses a document with ${name}`, async () => {
    await withDocuments(answer, async ({ find }) => {
      const found = await find(ID);
      assert("error" in found);
      assertEquals(found.error, "invalid_client");
      assertMatch(found.description, says);
    });
  });
}

const NO_ADDRESSES = [
  "http://client.example/metadata.json",
  "https://client.example",
  "https://client.example/",
  "https://client.example/a?b=c",
  "https://client.example/a#b",
  "https://client.example/a?",
  "https://client.example./a",
  "https://user@client.example/a",
  "https://client.example/a/../b",
  "https://client.example/./a",
  "https://CLIENT.example/a",
  "https://client.example:443/a",
  "https://client.example/a b",
  `https://client.example/${"x".repeat(2_048)}`,
];

Deno.test("createClientDocuments() asks nobody for what is no address of a document", async () => {
  await withDocuments(() => Response.json(DOCUMENT), async ({ find, requests }) => {
    for (const id of NO_ADDRESSES) assert("error" in await find(id), id);
    assertEquals(requests.length, 0);
  });
});

Deno.test("createClientDocuments() reaches no address inside", async () => {
  const egress = createEgress();
  try {
    const find = createClientDocuments(egress);
    for (
      const host of [
        "127.0.0.1",
        "169.254.169.254",
        "10.0.0.1",
        "[::1]",
        "localhost",
        "metadata.google.internal",
      ]
    ) {
      const found = await find(`https://${host}/client.json`);
      assert("error" in found, host);
      assertMatch(found.description, /refused|address/i);
    }
  } finally {
    await egress.close();
  }
});
