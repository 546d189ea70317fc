/**
 * Who is signed in here, and the token that says so. A session that ends while somebody works is renewed by asking them
 * to sign in again over the page they are on: what waits for a token goes on then, and nothing typed is lost.
 */

import { AuthClient, isAuthRetryableFetchError, type Session as AuthSession } from "@supabase/supabase-js";
import type { Config } from "../config.ts";

export interface Person {
  readonly id: string;
  readonly email: string;
}

export interface SessionState {
  /** Null while nobody is signed in. */
  readonly person: Person | null;
  /** The session of `person` has ended, and something waits for them to sign in again. */
  readonly hasEnded: boolean;
}

/** Thrown to what waited for a token when its person chose to leave instead. */
export class SignedOut extends Error {}

/** Thrown where sign-in does not answer: whether a session that ran out goes on is not known. */
export class SignInAway extends Error {}

/** How long a page waits for a token to be renewed. Sign-in's client goes on trying for longer, behind it. */
const RENEWAL_MS = 5_000;

export class Session {
  readonly #auth: InstanceType<typeof AuthClient>;
  readonly #listeners = new Set<() => void>();
  /** Whoever signs out in one tab means the others too: what stands there is not for the next at this screen. */
  readonly #leaving = new BroadcastChannel("framed.leaving");
  #state: SessionState = { person: null, hasEnded: false };
  #again: PromiseWithResolvers<string> | null = null;
  #refreshing: Promise<AuthSession | null> | null = null;
  /** The session that was told of last: what another tab stored with it may be seen here a moment later. */
  #told: AuthSession | null = null;

  constructor({ supabaseUrl, publishableKey }: Pick<Config, "supabaseUrl" | "publishableKey">) {
    this.#auth = new AuthClient({
      url: `${supabaseUrl}/auth/v1`,
      headers: { apikey: publishableKey },
      storageKey: "framed.session",
      detectSessionInUrl: false,
    });
  }

  /** Finds the session that this browser kept, and follows what other tabs do with it. */
  async open(): Promise<void> {
    // One that cannot be renewed right now lets its person in as soon as it is.
    this.#take(await this.#kept().catch(() => null));
    this.#leaving.addEventListener("message", () => this.#leave());
    this.#auth.onAuthStateChange((event, session) => {
      if (event === "SIGNED_OUT") this.#told = null;
      if (event === "SIGNED_OUT" && this.#state.person !== null) return this.#end();
      if (session === null) return;
      const { person } = this.#state;
      // Another tab signed in as someone else: what stands here is not theirs to see.
      if (person !== null && person.id !== session.user.id) return location.reload();
      this.#take(session);
      this.#again?.resolve(session.access_token);
      this.#again = null;
    });
  }

  readonly subscribe = (listener: () => void): () => void => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  readonly state = (): SessionState => this.#state;

  /**
   * A token of `person` that is good now. Waits for them to sign in again where theirs has ended; throws `SignedOut` where
   * they leave, also where somebody else is signed in by now, and `SignInAway`.
   */
  async token(person: string | null): Promise<string> {
    this.#requireHere(person);
    if (this.#again !== null) return await this.#again.promise;
    return (await this.#keptOf(person))?.access_token ?? await this.#ask(person);
  }

  /** The same after `refused` was refused: renewed where that can be, once for all who ask meanwhile. */
  async tokenAfter(refused: string, person: string | null): Promise<string> {
    this.#requireHere(person);
    if (this.#again !== null) return await this.#again.promise;
    const now = (await this.#keptOf(person))?.access_token;
    if (now !== undefined && now !== refused) return now;
    this.#refreshing ??= this.#refresh().finally(() => this.#refreshing = null);
    const renewed = await this.#refreshing;
    if (renewed === null) return await this.#ask(person);
    return theirs(renewed, person).access_token;
  }

  /** Null when it worked, else why not, in words. */
  async signIn(email: string, password: string): Promise<string | null> {
    const { data, error } = await this.#auth.signInWithPassword({ email, password });
    if (error !== null) {
      if (error.code === "email_not_confirmed") {
        return "This e-mail address is not confirmed yet: open the link that was sent to it.";
      }
      if (error.code === "user_banned") return "This account is barred from signing in.";
      if (error.status === 400) return "This e-mail address and password do not belong together.";
      if (error.status === 429) return "Too many tries. Wait a minute, then try again.";
      return "Sign-in cannot be reached right now. Try again in a moment.";
    }
    const { person } = this.#state;
    if (person !== null && person.id !== data.user.id) {
      location.reload();
      return null;
    }
    this.#take(data.session);
    this.#again?.resolve(data.session.access_token);
    this.#again = null;
    return null;
  }

  /** Forgets the person, in every tab of this browser. What they had not sent is gone. */
  async signOut(): Promise<void> {
    this.#leave();
    this.#leaving.postMessage(null);
    // A session that has ended already, or a network that is away, is no reason to stay.
    await this.#auth.signOut({ scope: "local" }).catch(() => {});
  }

  #leave(): void {
    try {
      // Drafts too: they are for who wrote them, and for reloads.
      sessionStorage.clear();
    } catch {
      // A browser that keeps nothing has none.
    }
    const again = this.#again;
    this.#again = null;
    this.#told = null;
    this.#set({ person: null, hasEnded: false });
    again?.reject(new SignedOut());
  }

  /** What this browser keeps, renewed where it ran out. */
  async #kept(): Promise<AuthSession | null> {
    const { data, error } = await inTime(this.#auth.getSession());
    if (isAuthRetryableFetchError(error)) throw new SignInAway();
    return data.session;
  }

  /** The same, of `person` alone: what one person began is not gone on with as another who signed in since. */
  async #keptOf(person: string | null): Promise<AuthSession | null> {
    const kept = await this.#kept();
    if (kept?.user.id === person) return kept;
    const told = this.#told;
    if (told?.user.id === person && (told.expires_at ?? 0) * 1000 > Date.now()) return told;
    return kept === null ? null : theirs(kept, person);
  }

  async #refresh(): Promise<AuthSession | null> {
    const { data, error } = await inTime(this.#auth.refreshSession());
    if (isAuthRetryableFetchError(error)) throw new SignInAway();
    return data.session;
  }

  async #ask(person: string | null): Promise<string> {
    this.#requireHere(person);
    this.#end();
    return await this.#again!.promise;
  }

  #requireHere(person: string | null): void {
    if (person === null || this.#state.person?.id !== person) throw new SignedOut();
  }

  #end(): void {
    if (this.#again === null) {
      this.#again = Promise.withResolvers();
      this.#again.promise.catch(() => {});
    }
    this.#set({ ...this.#state, hasEnded: true });
  }

  #take(session: AuthSession | null): void {
    if (session === null) return;
    this.#told = session;
    const { id, email = "" } = session.user;
    this.#set({ person: { id, email }, hasEnded: false });
  }

  #set(state: SessionState): void {
    this.#state = state;
    for (const listener of this.#listeners) listener();
  }
}

function theirs(session: AuthSession, person: string | null): AuthSession {
  if (session.user.id !== person) throw new SignedOut();
  return session;
}

async function inTime<T>(asked: Promise<T>): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new SignInAway()), RENEWAL_MS);
  });
  try {
    return await Promise.race([asked, late]);
  } finally {
    clearTimeout(timer);
  }
}
