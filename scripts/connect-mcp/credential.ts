/** Who calls: by a key that does not change, or by a sign-in that is renewed, and asked for anew when it has ended. */

import { Failure } from "./failure.ts";
import { pause } from "./pause.ts";
import { renewOnce } from "./renewal.ts";
import { beginSignIn, type SignInMeans } from "./sign-in.ts";

export type Header = readonly [name: string, value: string];

/** What a request says about who calls. */
export interface Credential {
  /** The header to send; `refused` is the one that Connect has just turned away. Fails in words where there is none. */
  header(refused?: Header): Promise<Header>;
  /** From now on, who has to sign in first is told so with the address, and not waited for. */
  stopWaiting(): void;
  /** Waits until nothing is under way that would be lost with this process. */
  settled(): Promise<void>;
}

/** A key, which is refused once and for all. */
export function keyCredential(apiKey: string): Credential {
  return {
    header: (refused) =>
      refused === undefined
        ? Promise.resolve(["x-framed-api-key", apiKey])
        : Promise.reject(new Failure(KEY_REFUSED)),
    stopWaiting() {},
    settled: () => Promise.resolve(),
  };
}

const KEY_REFUSED =
  "Connect refuses the key: it is wrong, or has ended, or its owner is no administrator any more. Check FRAMED_API_KEY.";

/** Tokens that end within this time are renewed first. */
const EARLY_MS = 60_000;
/** How often tokens are looked for before it is given up: each time another process was at it. */
const MAX_LOOKS = 10;

/** A sign-in that goes on, here or in another process of this machine. */
interface Waiting {
  readonly done: Promise<void>;
  /** For who is not waited for. */
  readonly says: string;
}

/** What it needs of what is around it. */
export interface SharedSignInMeans extends SignInMeans {
  /** Tells the person that another process has shown them a page. */
  readonly showOther: () => void;
}

/** A sign-in, kept in a file that several processes of one machine use at once. */
export function signInCredential(means: SharedSignInMeans): Credential {
  const { file, signal, timeoutMs } = means;
  let signingIn: Promise<Waiting> | null = null;
  let turn: Promise<unknown> = Promise.resolve();
  let waits = true;

  /** One after another: many calls find at once that the tokens have ended. */
  function inTurn<T>(work: () => Promise<T>): Promise<T> {
    const mine = turn.then(work, work);
    turn = mine.catch(() => {});
    return mine;
  }

  /** A token that was not refused, fresh where it can be; null where somebody has to sign in. */
  async function findAccess(refused: string | undefined): Promise<string | null> {
    let isFresh = false;
    for (let looks = 0; looks < MAX_LOOKS; looks++) {
      signal.throwIfAborted();
      const known = await file.read();
      if (known?.tokens == null) return null;
      const { access, refresh, expiresAt } = known.tokens;
      const isRefused = `Bearer ${access}` === refused;
      const ends = expiresAt !== null && expiresAt - Date.now() < EARLY_MS;
      if (!isRefused && (isFresh || !ends || refresh === null)) return access;
      if (refresh === null || isFresh) return null;
      const renewed = await renewOnce(means, { ...known, refresh });
      if (renewed === "ended") return null;
      isFresh = renewed === "renewed";
    }
    throw new Failure("The sign-in is not renewed: other processes on this machine are at it. Try again.");
  }

  async function signIn(): Promise<void> {
    signingIn ??= begin();
    let waiting: Waiting;
    try {
      waiting = await signingIn;
    } catch (error) {
      signingIn = null;
      throw error;
    }
    const over = () => void (signingIn = null);
    waiting.done.then(over, over);
    if (!waits) throw new Failure(waiting.says);
    await waiting.done;
  }

  /** The person is shown one page, whichever process it is of. */
  async function begin(): Promise<Waiting> {
    const claim = await file.claim(CLAIM);
    if (claim === null) return await watchOther();
    try {
      const { url, done } = await beginSignIn(means);
      const ended = done.finally(() => claim.release());
      ended.catch(() => {});
      return { done: ended, says: `Nobody is signed in. Sign in at ${url.href} and ask again.` };
    } catch (error) {
      await claim.release();
      throw error;
    }
  }

  async function watchOther(): Promise<Waiting> {
    const look = () => file.look(CLAIM, { maxAgeMs: 2 * timeoutMs });
    if (await look() === "left") {
      await file.clear(CLAIM);
      return await begin();
    }
    const sinceMs = Date.now();
    if (waits) means.showOther();
    const done = (async () => {
      while (await look() === "held") await pause(signal);
      const known = await file.read();
      if (known?.tokens != null) return;
      if (known?.failedAt !== undefined && known.failedAt >= sinceMs) throw new Failure(OTHER_IN_VAIN);
      // Its process was ended midway, and its page leads nowhere: somebody has to show another.
      await (await begin()).done;
    })();
    done.catch(() => {});
    return { done, says: OTHER_WAITS };
  }

  return {
    async header(refused) {
      for (let times = 0; times < 3; times++) {
        const access = await inTurn(() => findAccess(refused?.[1]));
        if (access !== null) return ["authorization", `Bearer ${access}`];
        await signIn();
      }
      throw new Failure("Connect does not take the sign-in it has just given. Try: connect-mcp logout");
    },
    stopWaiting: () => void (waits = false),
    async settled() {
      await turn;
      await signingIn?.then(({ done }) => done).catch(() => {});
    },
  };
}

const CLAIM = "sign-in";
const OTHER_WAITS =
  "Nobody is signed in. A page to sign in at is open in the browser already: go on there, and ask again.";
const OTHER_IN_VAIN = "The sign-in of another connect-mcp on this machine came to nothing. Start again.";
