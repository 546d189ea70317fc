/** Makes what a strike names die when something comes to its place. */

import type { ServerProcess } from "./server-process.ts";
import type { Held } from "./statement-proxy.ts";
import { readStatementPlace, type Strike } from "./strike.ts";
import type { World } from "./world.ts";

/** Strikes at most once each time it is armed. */
export interface Striker {
  arm(world: World, strike: Strike): void;
  /** Strikes now, whatever is at its place. */
  strikeNow(): void;
  onSend(when: string, by: string): void;
  /** Stands down; resolves with whether it struck, once what died has died. */
  end(): Promise<boolean>;
}

/** One that is not armed. */
export function createStriker(): Striker {
  let armed: { world: World; strike: Strike } | null = null;
  let dying: Promise<void> | null = null;

  /** Takes the one strike there is. */
  function take(): { world: World; strike: Strike } | null {
    const taken = armed;
    armed = null;
    for (const server of taken?.world.servers() ?? []) server.statements.arm(null);
    return taken;
  }

  async function killDatabase({ world, strike }: { world: World; strike: Strike }): Promise<void> {
    if (strike.victim === "database") return await world.cluster.crash(strike.signal);
    const [row] = await world.sql((sql) =>
      sql<{ pid: number }[]>`select pid from pg_stat_activity
        where application_name = 'framed' and datname = current_database() order by random() limit 1`
    );
    if (row !== undefined) Deno.kill(row.pid, "SIGKILL");
  }

  function kill(taken: { world: World; strike: Strike }, server: ServerProcess | undefined): void {
    switch (taken.strike.victim) {
      case "process":
        server?.kill();
        break;
      case "database":
      case "backend":
        dying = killDatabase(taken);
        break;
      case "connection":
        break;
      default:
        taken.strike.victim satisfies never;
    }
  }

  async function onHeld(
    held: Held,
    server: ServerProcess,
    when: "before" | "sent" | "answered",
  ): Promise<void> {
    const taken = take();
    if (taken === null) {
      await held.send();
      await held.answered;
      return await held.deliver();
    }
    dying = Promise.resolve();
    if (when !== "before") await held.send();
    if (when === "answered") await held.answered;
    kill(taken, server);
    held.cut();
  }

  return {
    arm(world, strike) {
      armed = { world, strike };
      dying = null;
      const place = readStatementPlace(strike.place);
      if (place === null) return;
      for (const server of world.servers()) {
        server.statements.arm({
          statement: place.statement,
          onHeld: (held) => onHeld(held, server, place.when),
        });
      }
    },
    strikeNow() {
      const taken = take();
      if (taken === null) return;
      dying = Promise.resolve();
      kill(taken, taken.world.servers()[0]);
    },
    onSend(when, by) {
      if (armed?.strike.place !== `the send ${when}`) return;
      const taken = take()!;
      dying = Promise.resolve();
      kill(taken, taken.world.named(by));
    },
    async end() {
      take();
      const struck = dying !== null;
      await dying;
      return struck;
    },
  };
}
