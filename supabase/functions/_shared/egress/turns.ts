/** How much is under way at one host at once; the rest waits for its turn, and who waits takes turns by workspace. */

/** A place among those under way. Has to be given back; a second time gives nothing more. */
export type GiveBack = () => void;

/** Who asks for a turn. */
export interface Turn {
  /** Whose it is: each has its own queue, and the queues take turns. */
  readonly workspaceId: string;
  /** Ends the wait. */
  readonly signal: AbortSignal;
  /** How much of the room it takes; 1 unless said. No more than one workspace may have. */
  readonly size?: number;
}

export interface Turns {
  /**
   * Resolves when it is this request's turn at `host`; null at once when too many wait there already. Rejects with the
   * signal's reason when it aborts first. Hosts do not wait for each other.
   */
  take(host: string, turn: Turn): Promise<GiveBack | null>;
}

/** What there is at each host: of `each`, what one workspace may have of it. Whole is above each, so that nobody has all. */
export interface Room {
  readonly atOnce: { readonly all: number; readonly each: number };
  readonly waiting: { readonly all: number; readonly each: number };
}

interface Waiter {
  readonly size: number;
  readonly onTurn: () => void;
}

/** What one workspace has under way and waiting. */
interface Share {
  used: number;
  readonly queue: Set<Waiter>;
}

/** In the order in which they are next; whoever had a turn goes to the end. */
interface Host {
  used: number;
  waiting: number;
  readonly shares: Map<string, Share>;
}

/** Turns of which none is taken. */
export function createTurns({ atOnce, waiting }: Room): Turns {
  const hosts = new Map<string, Host>();

  /** Gives turns as long as there is room. What is next and does not fit holds up all but those at their own limit. */
  function serve(host: Host): void {
    for (
      let next = nextOf(host);
      next !== null && host.used + next.waiter.size <= atOnce.all;
      next = nextOf(host)
    ) {
      const { workspaceId, share, waiter } = next;
      leave(host, { share, waiter });
      host.used += waiter.size;
      share.used += waiter.size;
      host.shares.delete(workspaceId);
      host.shares.set(workspaceId, share);
      waiter.onTurn();
    }
  }

  function nextOf({ shares }: Host): { workspaceId: string; share: Share; waiter: Waiter } | null {
    for (const [workspaceId, share] of shares) {
      const [waiter] = share.queue;
      if (waiter !== undefined && share.used + waiter.size <= atOnce.each) {
        return { workspaceId, share, waiter };
      }
    }
    return null;
  }

  function leave(host: Host, { share, waiter }: { share: Share; waiter: Waiter }): boolean {
    const waited = share.queue.delete(waiter);
    if (waited) host.waiting -= 1;
    return waited;
  }

  function forgetIdle(name: string, workspaceId: string): void {
    const host = hosts.get(name)!;
    const share = host.shares.get(workspaceId);
    if (share?.used === 0 && share.queue.size === 0) host.shares.delete(workspaceId);
    if (host.shares.size === 0) hosts.delete(name);
  }

  return {
    async take(name, { workspaceId, signal, size = 1 }) {
      signal.throwIfAborted();
      const host = getOrSet(hosts, name, () => ({ used: 0, waiting: 0, shares: new Map() }));
      const share = getOrSet(host.shares, workspaceId, () => ({ used: 0, queue: new Set() }));
      const { promise, resolve, reject } = Promise.withResolvers<GiveBack | null>();
      let isTaken = true;
      const giveBack = () => {
        if (!isTaken) return;
        isTaken = false;
        host.used -= size;
        share.used -= size;
        serve(host);
        forgetIdle(name, workspaceId);
      };
      const waiter = { size, onTurn: () => resolve(giveBack) };
      share.queue.add(waiter);
      host.waiting += 1;
      serve(host);
      const isTooMany = host.waiting > waiting.all || share.queue.size > waiting.each;
      if (isTooMany && leave(host, { share, waiter })) {
        forgetIdle(name, workspaceId);
        return null;
      }
      const onAbort = () => {
        if (!leave(host, { share, waiter })) return;
        serve(host);
        forgetIdle(name, workspaceId);
        reject(signal.reason);
      };
      signal.addEventListener("abort", onAbort);
      try {
        return await promise;
      } finally {
        signal.removeEventListener("abort", onAbort);
      }
    },
  };
}

function getOrSet<V>(map: Map<string, V>, key: string, create: () => V): V {
  let value = map.get(key);
  if (value === undefined) map.set(key, value = create());
  return value;
}
