/** A person signs in: their browser is opened, and what it brings back is made into tokens. */

import { randomBytes } from "node:crypto";
import {
  type AuthorizationServer,
  beginAuthorization,
  type Fetch,
  findServer,
  redeemCode,
  register,
} from "./authorization-server.ts";
import { Redirected } from "./connect-fetch.ts";
import { Failure } from "./failure.ts";
import { listenForAnswer, type Loopback } from "./loopback.ts";
import { isShown } from "./open-browser.ts";
import type { SignInFile } from "./sign-in-file.ts";

/** What a sign-in needs of what is around it. */
export interface SignInMeans {
  readonly serverUrl: string;
  readonly file: SignInFile;
  readonly fetch: Fetch;
  /** Shows the page to the person. */
  readonly show: (url: URL) => void;
  /** Ends the wait, with its reason. */
  readonly signal: AbortSignal;
  /** How long the person has. */
  readonly timeoutMs: number;
}

/** As long as Connect keeps a request for consent. */
export const SIGN_IN_MS = 600_000;

/** A sign-in that a person has been shown. */
export interface BegunSignIn {
  readonly url: URL;
  /** Resolves when the tokens are kept; rejects in words when there are none. */
  readonly done: Promise<void>;
}

/** Begins a sign-in. The registration of an earlier one is used again where Connect still knows it. */
export async function beginSignIn(means: SignInMeans): Promise<BegunSignIn> {
  const { serverUrl, file, fetch, show } = means;
  const server = await findServer(serverUrl, fetch);
  const state = randomBytes(32).toString("base64url");
  const loopback = await listenForAnswer(state);
  try {
    const { redirectUri } = loopback;
    const known = await file.read();
    let clientId = known?.issuer === server.issuer ? known.clientId : null;
    let begun = clientId === null ? null : await beginAuthorization(server, { clientId, redirectUri, state });
    // Connect forgets registrations that nobody uses, and would tell so to the person, who can do nothing about it.
    if (begun !== null && !await isWelcome(begun.url, fetch)) begun = null;
    if (clientId === null || begun === null) {
      clientId = await register(server, fetch);
      await file.write({ issuer: server.issuer, clientId, tokens: null });
      begun = await beginAuthorization(server, { clientId, redirectUri, state });
    }
    const { url, verifier } = begun;
    if (!isShown(url)) throw new Failure(`${serverUrl} names no page to sign in at.`);
    show(url);
    const done = finish(means, { server, loopback, clientId, verifier });
    // Whoever asks for it hears of it; a failure that nobody waits for ends nothing.
    done.catch(() => {});
    return { url, done };
  } catch (error) {
    loopback.close();
    throw error;
  }
}

async function isWelcome(url: URL, fetch: Fetch): Promise<boolean> {
  try {
    const response = await fetch(url);
    await response.body?.cancel();
    return response.status < 400 || response.status >= 500;
  } catch (error) {
    if (error instanceof Redirected) return true;
    throw error;
  }
}

async function finish(
  { file, fetch, signal, timeoutMs }: SignInMeans,
  { server, loopback, clientId, verifier }: {
    server: AuthorizationServer;
    loopback: Loopback;
    clientId: string;
    verifier: string;
  },
): Promise<void> {
  const late = new AbortController();
  const timer = setTimeout(() => late.abort(new Failure(inVain(timeoutMs))), timeoutMs);
  try {
    const answer = await loopback.answer([signal, late.signal]);
    if (!answer.has("code")) throw new Failure(turnedAway(answer));
    const tokens = await redeemCode(
      server,
      { answer, clientId, redirectUri: loopback.redirectUri, verifier },
      fetch,
    );
    await file.write({ issuer: server.issuer, clientId, tokens });
  } catch (error) {
    // For those who wait for it elsewhere: who turned this page away is shown no other. One that was only ended is gone on with.
    if (!signal.aborted) {
      await file.write({ issuer: server.issuer, clientId, tokens: null, failedAt: Date.now() }).catch(
        () => {},
      );
    }
    throw error;
  } finally {
    clearTimeout(timer);
    loopback.close();
  }
}

function inVain(timeoutMs: number): string {
  const minutes = Math.round(timeoutMs / 60_000);
  const within = minutes < 1 ? "in time" : `within ${minutes} ${minutes === 1 ? "minute" : "minutes"}`;
  return `Nobody signed in ${within}. Start again, or sign in first with: connect-mcp login`;
}

function turnedAway(answer: URLSearchParams): string {
  if (answer.get("error") === "access_denied") {
    return "The sign-in was turned away: on the page, this program was not let in.";
  }
  const code = (answer.get("error") ?? "").replace(/[^a-z_]/g, "").slice(0, 60);
  return `The sign-in came to nothing${code === "" ? "" : `: ${code}`}. Start again.`;
}
