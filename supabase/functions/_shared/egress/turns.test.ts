import { assertEquals, assertRejects } from "@std/assert";
import { createTurns, type GiveBack, type Turn } from "./turns.ts";

const { signal } = new AbortController();
const FEW = { atOnce: { all: 2, each: 2 }, waiting: { all: 10, each: 10 } };
const ONE = { atOnce: { all: 1, each: 1 }, waiting: { all: 2, each: 2 } };

function of(workspaceId: string, more: Partial<Turn> = {}): Turn {
  return { workspaceId, signal, ...more };
}

/** Takes turns for the workspaces in order; tells whose began, and gives back the one that began first. */
function takeAll(room: Parameters<typeof createTurns>[0], asked: readonly Turn[]) {
  const turns = createTurns(room);
  const began: string[] = [];
  const held: GiveBack[] = [];
  for (const turn of asked) {
    turns.take("a.example", turn).then((giveBack) => {
      began.push(turn.workspaceId);
      held.push(giveBack!);
    });
  }
  return { turns, began, next: async () => (held.shift()!(), await settled()) };
}

/** Everything that can go on without another turn given back has gone on. */
function settled(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve));
}

Deno.test("take() lets so many through at once, and the others of a workspace in the order they came", async () => {
  const turns = createTurns(FEW);
  const began: number[] = [];
  const held: GiveBack[] = [];
  const all = [0, 1, 2, 3, 4].map(async (i) => {
    const giveBack = await turns.take("a.example", of("w"));
    began.push(i);
    held.push(giveBack!);
  });
  await Promise.all(all.slice(0, 2));
  assertEquals(began, [0, 1]);
  for (const expected of [[0, 1, 2], [0, 1, 2, 3], [0, 1, 2, 3, 4]]) {
    const giveBack = held.shift()!;
    giveBack();
    giveBack(); // a second time gives nothing more
    await all[expected.length - 1];
    assertEquals(began, expected);
  }
});

Deno.test("take() gives workspaces that wait one turn after the other, however many of one came first", async () => {
  const { began, next } = takeAll(FEW, ["a", "a", "a", "a", "a", "b", "c", "b"].map((id) => of(id)));
  await settled();
  for (let i = 0; i < 6; i++) await next();
  assertEquals(began.join(""), "aaabcaba");
});

Deno.test("take() keeps room that one workspace alone cannot take", async () => {
  const room = { ...FEW, atOnce: { all: 3, each: 2 } };
  const { began, next } = takeAll(room, ["a", "a", "a", "a", "b"].map((id) => of(id)));
  await settled();
  assertEquals(began, ["a", "a", "b"]);
  await next();
  assertEquals(began, ["a", "a", "b", "a"]);
});

Deno.test("take() counts sizes, and lets nothing small overtake what is next", async () => {
  const room = { atOnce: { all: 10, each: 6 }, waiting: FEW.waiting };
  const asked = [of("a", { size: 6 }), of("b", { size: 6 }), of("c", { size: 1 }), of("a", { size: 1 })];
  const { began, next } = takeAll(room, asked);
  await settled();
  assertEquals(began, ["a"], "six of ten are taken, b's six do not fit, and c comes after b");
  await next();
  assertEquals(began, ["a", "a", "b", "c"]);
});

Deno.test("take() refuses at once what would be one too many to wait, of a workspace and of all", async () => {
  const turns = createTurns({ atOnce: { all: 1, each: 1 }, waiting: { all: 2, each: 1 } });
  const first = await turns.take("a.example", of("a"));
  const second = turns.take("a.example", of("a"));
  assertEquals(await turns.take("a.example", of("a")), null);
  const third = turns.take("a.example", of("b"));
  assertEquals(await turns.take("a.example", of("c")), null);
  first!();
  (await second)!();
  (await third)!();
  assertEquals(typeof await turns.take("a.example", of("c")), "function");
});

Deno.test("take() makes no host wait for another", async () => {
  const turns = createTurns(ONE);
  await turns.take("hung.example", of("w"));
  assertEquals(typeof await turns.take("healthy.example", of("w")), "function");
});

Deno.test("take() ends the wait of whoever leaves, and their turn goes to the next", async () => {
  const turns = createTurns(ONE);
  const first = await turns.take("a.example", of("w"));
  const left = new AbortController();
  const second = turns.take("a.example", of("w", { signal: left.signal }));
  const third = turns.take("a.example", of("w"));
  left.abort(new Error("left"));
  await assertRejects(() => second, Error, "left");
  first!();
  assertEquals(typeof await third, "function");
  await assertRejects(() => turns.take("a.example", of("w", { signal: left.signal })), Error, "left");
});
