// Long answers: how many bytes of them the process holds at once, and who waits for whom.

import { gzipSync } from "node:zlib";
import { assert, assertEquals } from "@std/assert";
import { startUpstream } from "../../../../scripts/testing/upstream.ts";
import { MAX_ANSWER_VALUES } from "../results/read-json.ts";
import { createEgress, type SendOptions } from "./guarded-fetch.ts";
import { MOST_VALUES } from "./long-answers.ts";

const MIB = 1024 * 1024;
const LONG = new Uint8Array(4 * MIB).fill(0x61);
const SHORT = LONG.slice(0, 256 * 1024);
const PACKED = new Uint8Array(gzipSync(LONG));

/** 200,000 values and more of a long answer, and 100,000 of a short one. */
const VALUES = new TextEncoder().encode(`[${"{},".repeat(500_000)}{}]`);
const ROWS = new TextEncoder().encode(`a\n${"1\n".repeat(99_998)}`);

const ANSWERS: Record<string, () => Response> = {
  "/long": () => new Response(LONG),
  "/short": () => new Response(SHORT),
  "/packed": () => new Response(PACKED, { headers: { "content-encoding": "gzip" } }),
  "/unsaid": () => new Response(new Blob([LONG]).stream()),
  "/values": () => new Response(VALUES),
  "/rows": () => new Response(ROWS),
};

/** Runs `test` with a way to ask for an answer, which tells how it ended and lists in `held` how to give its room back. */
async function withAnswers(
  test: (
    ask: (path: string, options?: Partial<SendOptions>) => Promise<string | number>,
    held: (() => void)[],
  ) => Promise<void>,
): Promise<void> {
  const upstream = startUpstream(({ target }) => ANSWERS[target]!());
  const egress = createEgress({ upstreams: new Map([["ledger.example", upstream.url]]) });
  const held: (() => void)[] = [];
  async function ask(path: string, options: Partial<SendOptions> = {}): Promise<string | number> {
    const url = `https://ledger.example${path}`;
    const answer = await egress.send({ method: "GET", url, headers: [], body: null }, {
      host: "ledger.example",
      timeoutMs: 20_000,
      maxBytes: 5 * MIB,
      workspaceId: "a",
      onHeld: (giveBack) => held.push(giveBack),
      ...options,
    });
    return answer.ok ? answer.value.body.length : answer.refusal.reason;
  }
  try {
    await test(ask, held);
  } finally {
    await egress.close();
    await upstream.close();
  }
}

for (
  const [path, fits, why] of [
    ["/long", 4, "four times the 4 MiB it says it has are the 16 MiB of a workspace"],
    ["/packed", 3, "what is packed may become 5 MiB, of which three fit"],
    ["/unsaid", 3, "what says no length may become 5 MiB"],
  ] as const
) {
  Deno.test(`send() holds no more than fits of long answers: ${path}, since ${why}`, async () => {
    await withAnswers(async (ask, held) => {
      for (let i = 0; i < fits; i++) assertEquals(await ask(path), LONG.length);
      assertEquals(
        await ask(path, { timeoutMs: 200 }),
        "upstream_timed_out",
        "one more is not read to its end",
      );
      assertEquals(await ask("/short"), SHORT.length, "a short one needs no room");
      assertEquals(await ask("/long", { workspaceId: "b" }), LONG.length, "another workspace has its own");
      const next = ask(path);
      held[0]!();
      assertEquals(await next, LONG.length);
      for (const giveBack of held) giveBack();
    });
  });
}

for (
  const [path, fits, length, why] of [
    [
      "/values",
      2,
      VALUES.length,
      "twice 200,000 values are the 400,000 of a workspace, whatever their bytes",
    ],
    ["/rows", 4, ROWS.length, "four times 100,000 are, also of answers that are short"],
  ] as const
) {
  Deno.test(`send() holds no more values than fit: ${path}, since ${why}`, async () => {
    await withAnswers(async (ask, held) => {
      for (let i = 0; i < fits; i++) assertEquals(await ask(path), length);
      assertEquals(await ask(path, { timeoutMs: 200 }), "upstream_timed_out", "one more waits to be told");
      assertEquals(await ask("/long"), LONG.length, "one text needs no room for values");
      assertEquals(await ask(path, { workspaceId: "b" }), length, "another workspace has its own");
      const next = ask(path);
      held[0]!();
      assertEquals(await next, length);
      for (const giveBack of held) giveBack();
    });
  });
}

Deno.test("an answer counts as no more values than an answer may have", () => {
  assertEquals(MOST_VALUES, MAX_ANSWER_VALUES);
});

Deno.test("send() gives the room back with the answer where nobody asks to hold it, and after a failure", async () => {
  await withAnswers(async (ask) => {
    const unheld = { onHeld: undefined };
    for (let i = 0; i < 8; i++) assertEquals(await ask("/long", unheld), LONG.length);
    for (let i = 0; i < 8; i++) {
      assertEquals(await ask("/unsaid", { ...unheld, maxBytes: 3 * MIB }), "upstream_too_large");
    }
    const all = await Promise.all(Array.from({ length: 24 }, () => ask("/packed", unheld)));
    assert(all.every((length) => length === LONG.length));
  });
});
