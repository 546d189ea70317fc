/** A process that stands still between the claim of a call and its sending, longer than it may, and then goes on. */

import type { Proposed } from "./findings.ts";
import { decide, drawCalls, propose } from "./people.ts";
import type { Random } from "./random.ts";
import type { World } from "./world.ts";

/** From here on a claimed call that was not begun is not begun any more, in milliseconds; a little more than that. */
export const SHORTEST_NAP_MS = 15_500;

export interface Nap {
  readonly approval: Proposed;
  /** What does not hold, in words. */
  readonly violations: readonly string[];
}

/**
 * Stops the process aside as soon as its claim is answered, of the first call or of the second, and lets it go on after
 * `ms`. Null where there was nothing to stop, as when the database died meanwhile.
 */
export async function takeNap(
  world: World,
  { random, ms }: { random: Random; ms: number },
): Promise<Nap | null> {
  const { aside } = world;
  const calls = drawCalls(random, 2);
  const approval = await propose(world, { server: aside, calls, as: "key" });
  if (approval === null) return null;
  const stopped = Promise.withResolvers<boolean>();
  aside.statements.arm({
    statement: random.happens(0.5) ? /framed\.begin_approval\(/ : /framed\.end_call\(/,
    async onHeld(held) {
      try {
        await held.send();
        await held.answered;
        aside.signal("SIGSTOP");
        stopped.resolve(true);
      } catch {
        stopped.resolve(false);
      }
      await held.deliver();
    },
  });
  const decided = decide(world, { server: aside, approval, as: "member" });
  decided.then(() => stopped.resolve(false));
  if (!await stopped.promise) {
    aside.statements.arm(null);
    await decided;
    return null;
  }
  const before = keysReceived(world, approval);
  await new Promise((resolve) => setTimeout(resolve, ms));
  aside.signal("SIGCONT");
  await decided;
  const after = keysReceived(world, approval).filter((key) => !before.includes(key));
  return {
    approval,
    violations: after.map((key) => `${key} was sent after its sender stood still for ${ms} ms`),
  };
}

function keysReceived({ other }: World, { id, calls }: Proposed): string[] {
  return Array.from({ length: calls }, (_, n) => `${id}.${n}`).filter((key) => other.received.has(key));
}
