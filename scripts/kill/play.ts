/** Plays rounds: proposals, people who decide at once, ticks, and each time something that dies in the middle of it. */

import { LEASE_SECONDS } from "../../supabase/functions/_shared/approvals/store.ts";
import { drawBehaviour } from "./behaviour.ts";
import { countWorld, judgeWorld, listLeasesOver, type Proposed } from "./findings.ts";
import { SHORTEST_NAP_MS, takeNap } from "./nap.ts";
import { decideStubbornly, drawCalls, leaveToTick, propose } from "./people.ts";
import { createRandom, type Random } from "./random.ts";
import { drawStrike, type Strike } from "./strike.ts";
import { createStriker, type Striker } from "./striker.ts";
import { openWorld, type World } from "./world.ts";

export interface PlayOptions {
  /** Ends after so many rounds, or so many seconds, whichever comes first. */
  readonly rounds: number;
  readonly seconds: number;
  readonly seed: string;
  /** How long the process aside stands still between a claim and a send, at the most. */
  readonly longestNapMs: number;
  /** Told after each round. */
  readonly onRound?: (played: Played) => void;
}

export interface Played {
  readonly rounds: number;
  /** What died, by `<victim>: <place>`. */
  readonly deaths: Readonly<Record<string, number>>;
  /** Rounds whose strike found nothing at its place. */
  readonly missed: number;
  /** Times a process stood still between a claim and its send. */
  readonly naps: number;
  /** By their status. */
  readonly approvals: Readonly<Record<string, number>>;
  readonly calls: Readonly<Record<string, number>>;
  /** Requests that the other system received. */
  readonly received: number;
  /** Calls that were given up and of which the truth came later. */
  readonly lateTruths: number;
  /** What does not hold, in words; empty where all of it does. */
  readonly violations: readonly string[];
}

const PROCESSES = 2;
/** A round goes on without what is still under way then; that comes to its end while others are played. */
const ROUND_MS = 1_500;
/** Ticks until nothing is due any more. */
const MAX_TICKS = 20;

/** Plays in a world of its own and leaves nothing behind. */
export async function play({ rounds, seconds, seed, longestNapMs, onRound }: PlayOptions): Promise<Played> {
  const striker = createStriker();
  const world = await openWorld({
    processes: PROCESSES,
    behave: (key) => drawBehaviour(createRandom(`${seed} ${key}`)),
    onConnection: (by) => striker.onSend("connected", by),
    onReceived: (by) => striker.onSend("received", by),
    onAnswered: (by) => striker.onSend("answered", by),
  });
  try {
    const game = createGame(world, { random: createRandom(seed), striker });
    const endsAt = performance.now() + seconds * 1_000;
    const isOver = () => performance.now() >= endsAt;
    const napping = game.nap({ random: createRandom(`${seed} naps`), longestNapMs, isOver });
    for (let round = 0; round < rounds && !isOver(); round++) {
      await game.playRound(round);
      onRound?.(await game.tell());
    }
    await napping;
    await game.finish();
    return await game.tell();
  } finally {
    await world.close();
  }
}

function createGame(world: World, { random, striker }: { random: Random; striker: Striker }) {
  const proposed = new Map<string, Proposed>();
  const underWay = new Set<Promise<unknown>>();
  const deaths: Record<string, number> = {};
  const violations = new Set<string>();
  const counts = { rounds: 0, missed: 0, naps: 0 };
  let clockMs = Date.now();

  function track<T>(work: Promise<T>): Promise<T> {
    underWay.add(work);
    work.finally(() => underWay.delete(work)).catch(() => {});
    return work;
  }
  const anyServer = () => random.pick(world.servers());

  async function proposeOne(): Promise<Proposed | null> {
    const calls = drawCalls(random, random.pick([1, 1, 2, 3]));
    const approval = await propose(world, { server: anyServer(), calls, as: random.pick(["member", "key"]) });
    if (approval !== null) proposed.set(approval.id, approval);
    return approval;
  }

  async function tick(now: Date): Promise<void> {
    const servers = world.servers();
    if (servers.length > 0) await world.tick(random.pick(servers), now);
  }

  async function playRound(round: number): Promise<void> {
    const strike = drawStrike(random, round);
    const waiting = (await Promise.all(Array.from({ length: random.whole(4, 9) }, proposeOne)))
      .filter((approval) => approval !== null);
    const left = strike.place.startsWith("claim_abandoned") ? 0.6 : 0.15;
    const forTick = waiting.filter(() => random.happens(left));
    await Promise.all(forTick.map((approval) => leaveToTick(world, approval)));
    striker.arm(world, strike);
    const people = waiting.filter((approval) => !forTick.includes(approval)).flatMap((approval) =>
      Array.from(
        { length: random.happens(0.3) ? 2 : 1 },
        () => track(decideStubbornly(world, { random, approval })),
      )
    );
    const ticks = ticksOf(forTick.length).map((now) =>
      track(wait(random.whole(0, 40)).then(() => tick(now)))
    );
    await struck(strike, Promise.allSettled([...people, ...ticks]));
    await world.heal();
    counts.rounds++;
    await settle();
  }

  /** Ticks that race the people: in their time, two at once, and one long before its time that gives up what is under way. */
  function ticksOf(forTick: number): Date[] {
    return [
      ...(forTick > 0 || random.happens(0.2) ? [new Date()] : []),
      ...(forTick > 1 ? [new Date()] : []),
      ...(random.happens(0.25) ? [new Date(clockMs + 2 * LEASE_SECONDS * 1_000)] : []),
    ];
  }

  async function struck(strike: Strike, all: Promise<unknown>): Promise<void> {
    if (strike.place === "any time") await wait(strike.afterMs).then(striker.strikeNow);
    await Promise.race([all, wait(ROUND_MS)]);
    if (await striker.end()) {
      const name = `${strike.victim}: ${strike.place}`;
      deaths[name] = (deaths[name] ?? 0) + 1;
    } else counts.missed++;
  }

  /** Ticks past every lease, and looks whether anything is left that no tick takes up. */
  async function settle(): Promise<void> {
    clockMs = Math.max(clockMs, Date.now()) + (2 * LEASE_SECONDS + 1) * 1_000;
    const now = new Date(clockMs);
    const before = await listLeasesOver(world, now);
    for (let tries = 1;; tries++) {
      const { status, body } = await world.tick(anyServer(), now);
      if (status === 200 && body.failed > 0) violations.add(`A tick failed at ${body.failed} pieces of work`);
      if (status === 200 && body.more === false) break;
      if (tries === MAX_TICKS) {
        violations.add(`No tick came to its end: ${status}`);
        break;
      }
      await wait(100);
    }
    const after = await listLeasesOver(world, now);
    for (const lease of before) {
      if (after.has(lease)) violations.add(`Stuck in running past its lease: ${lease}`);
    }
  }

  /** One nap after the other, beside the rounds; at least one. */
  async function nap(
    { random, longestNapMs, isOver }: { random: Random; longestNapMs: number; isOver: () => boolean },
  ): Promise<void> {
    do {
      const napped = await takeNap(world, { random, ms: random.whole(SHORTEST_NAP_MS, longestNapMs) });
      if (napped === null) continue;
      counts.naps++;
      proposed.set(napped.approval.id, napped.approval);
      for (const violation of napped.violations) violations.add(violation);
    } while (!isOver());
  }

  /** When nothing is under way any more: all of it once more, from the beginning. */
  async function finish(): Promise<void> {
    world.other.letGo();
    while (underWay.size > 0) await Promise.allSettled(underWay);
    await world.heal();
    await settle();
    await settle();
    for (const violation of await judgeWorld(world, proposed)) violations.add(violation);
  }

  async function tell(): Promise<Played> {
    const received = [...world.other.received.values()].reduce((sum, { count }) => sum + count, 0);
    return { ...counts, deaths, received, ...await countWorld(world), violations: [...violations] };
  }

  return { playRound, nap, finish, tell };
}

function wait(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
