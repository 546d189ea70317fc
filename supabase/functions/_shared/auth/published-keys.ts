/** The keys that sign-in publishes for whoever verifies its tokens, asked for so seldom that no made-up token buys a request. */

/** A public key as sign-in publishes it (RFC 7517). */
export interface PublishedKey extends JsonWebKey {
  readonly kid: string;
  readonly kty: string;
}

export interface PublishedKeys {
  /**
   * The keys, with `kid` among them where sign-in publishes it. Null where sign-in did not tell them.
   *
   * Asked for every ten minutes, for a name that is new once in ten seconds, and never twice at the same time.
   */
  read(kid: string | null): Promise<readonly PublishedKey[] | null>;
}

/** For so long keys are good without asking again, in milliseconds: as the client of sign-in has it. */
const KEPT_MS = 10 * 60_000;
/** A name nobody published is asked about no more often, in milliseconds: a key that is new is not met before. */
const ASKED_AGAIN_MS = 10_000;

/** Keys of which none has been asked for. `ask` may throw or answer what is no success: then they are not told. */
export function createPublishedKeys(
  { ask, nowMs = () => performance.now() }: { ask: () => Promise<Response>; nowMs?: () => number },
): PublishedKeys {
  let known: { readonly keys: readonly PublishedKey[]; readonly atMs: number } | null = null;
  let asking: Promise<readonly PublishedKey[] | null> | null = null;

  async function readAnew(): Promise<readonly PublishedKey[] | null> {
    const keys = await ask().then(keysIn).catch(() => null);
    if (keys !== null) known = { keys, atMs: nowMs() };
    return keys;
  }

  return {
    async read(kid) {
      if (known !== null) {
        const isKnown = kid === null || known.keys.some((key) => key.kid === kid);
        if (nowMs() - known.atMs < (isKnown ? KEPT_MS : ASKED_AGAIN_MS)) return known.keys;
      }
      asking ??= readAnew().finally(() => asking = null);
      return await asking;
    },
  };
}

async function keysIn(response: Response): Promise<PublishedKey[] | null> {
  if (!response.ok) {
    await response.body?.cancel();
    return null;
  }
  const { keys } = await response.json();
  if (!Array.isArray(keys)) return null;
  return keys.filter((key) => typeof key?.kid === "string" && typeof key.kty === "string");
}
