/**
 * `connect-mcp`: Connect for a host that starts MCP servers as programs. Standard output belongs to the protocol alone;
 * what a person should know goes to standard error.
 *
 * Runs on Deno and, bundled, on Node: it uses what both have and nothing else.
 */

import { homedir } from "node:os";
import process from "node:process";
import type { ApiAddress } from "../runner/api-address.ts";
import { openOutput, sayAside } from "../runner/output.ts";
import { printable } from "../runner/paint.ts";
import { VERSION } from "../runner/version.ts";
import { type Fetch, findServer, revoke } from "./authorization-server.ts";
import { readCommand } from "./command-line.ts";
import { configFolder } from "./config-folder.ts";
import { CALL_MS, connectFetch, plainFetch, SIGN_IN_REQUEST_MS } from "./connect-fetch.ts";
import { type Credential, keyCredential, signInCredential } from "./credential.ts";
import { Failure, failureIn } from "./failure.ts";
import { HELP } from "./help.ts";
import { listenToHost } from "./host-side.ts";
import { openBrowser } from "./open-browser.ts";
import { SIGN_IN_MS } from "./sign-in.ts";
import { type SignInFile, signInFile } from "./sign-in-file.ts";
import { connectUpstream } from "./upstream.ts";

const FINE = 0;
const FAILED = 1;
const USAGE = 2;

/** Does what `args` ask for and answers the exit code: 0 fine, 1 failed, 2 called wrongly. */
export async function main(args: readonly string[]): Promise<number> {
  const command = readCommand(args, process.env);
  if ("usage" in command) {
    sayAside(`${command.usage}\nMore: connect-mcp --help\n`);
    return USAGE;
  }
  if (!("address" in command)) {
    const output = openOutput();
    await output.write(command.does === "help" ? HELP : `${VERSION}\n`);
    return output.failure() === null ? FINE : FAILED;
  }
  const stop = new AbortController();
  // A second one ends the program at once.
  for (const name of ["SIGINT", "SIGTERM"] as const) {
    process.once(name, () => stop.abort(new Failure("Stopped.")));
  }
  try {
    const means = openMeans(command.address, stop.signal);
    return await DOES[command.does](means, stop);
  } catch (error) {
    sayAside(`${wordsOf(error)}\n`);
    return FAILED;
  }
}

const DOES = { serve, login: logIn, logout: logOut };

interface Means {
  readonly serverUrl: string;
  /** For requests to Connect as whoever calls, and for those of a sign-in. */
  readonly fetch: Fetch;
  readonly signInFetch: Fetch;
  readonly credential: Credential;
  /** Where a sign-in is kept, if there is one. */
  readonly file: SignInFile;
  readonly signal: AbortSignal;
}

function openMeans({ apiBase, apiKey }: ApiAddress, signal: AbortSignal): Means {
  const serverUrl = `${apiBase}/connect/mcp`;
  const folder = configFolder(process.env, { platform: process.platform, home: homedir() });
  if (folder === null && apiKey === null) {
    throw new Failure("There is no place to keep a sign-in: set HOME, or FRAMED_API_KEY to call with a key.");
  }
  const file = signInFile(folder ?? ".", serverUrl);
  // What renews a sign-in is not broken off: its answer would be lost, and with it the sign-in.
  const signInFetch = plainFetch({ timeoutMs: SIGN_IN_REQUEST_MS });
  const credential = apiKey !== null ? keyCredential(apiKey) : signInCredential({
    serverUrl,
    file,
    fetch: signInFetch,
    signal,
    timeoutMs: SIGN_IN_MS,
    show(url) {
      sayAside(`Sign in to Framed in your browser. If no page opens, go to:\n${url.href}\n`);
      openBrowser(url);
    },
    showOther: () => sayAside("A page to sign in to Framed is open in your browser already: go on there.\n"),
  });
  const fetch = connectFetch({ credential, fetch: plainFetch({ timeoutMs: CALL_MS }) });
  return { serverUrl, fetch, signInFetch, credential, file, signal };
}

/** Serves the host until it is gone or the program is told to end. */
async function serve(
  { serverUrl, fetch, credential, signal }: Means,
  stop: AbortController,
): Promise<number> {
  if (process.stdin.isTTY) {
    sayAside("connect-mcp serves a host that starts it; Ctrl-C ends it. To sign in: connect-mcp login\n");
  }
  const host = listenToHost();
  host.gone.then(() => stop.abort(new Failure("The host is gone.")));
  try {
    const upstream = await unlessStopped(connectUpstream(serverUrl, fetch), signal);
    credential.stopWaiting();
    host.serve(upstream);
    await stopped(signal);
    await upstream.close();
    return FINE;
  } catch (error) {
    if (!signal.aborted) await host.refuse(wordsOf(error));
    throw error;
  } finally {
    await host.close();
    await Promise.race([credential.settled(), patience()]);
  }
}

/** How long the end waits for what would be lost with the process. */
function patience(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 5_000).unref());
}

async function stopped(signal: AbortSignal): Promise<void> {
  await unlessStopped(new Promise(() => {}), signal).catch(() => {});
}

async function unlessStopped<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return await new Promise((resolve, reject) => {
    if (signal.aborted) reject(signal.reason);
    signal.addEventListener("abort", () => reject(signal.reason), { once: true });
    work.then(resolve, reject);
  });
}

async function logIn({ serverUrl, fetch, credential, signal }: Means): Promise<number> {
  try {
    const upstream = await unlessStopped(connectUpstream(serverUrl, fetch), signal);
    await upstream.close();
  } finally {
    await Promise.race([credential.settled(), patience()]);
  }
  sayAside("Signed in. Your host can start connect-mcp now.\n");
  return FINE;
}

/** Ends the sign-in here in any case; where Connect does not hear of it, the person is told what is left to do. */
async function logOut({ serverUrl, signInFetch: fetch, file }: Means): Promise<number> {
  const known = await file.read();
  await file.remove();
  if (known?.tokens == null) {
    sayAside("Nobody was signed in here.\n");
    return FINE;
  }
  const { clientId, issuer, tokens: { access, refresh } } = known;
  try {
    const server = await findServer(serverUrl, fetch);
    const isOver = server.issuer === issuer &&
      await revoke(server, { clientId, token: refresh ?? access }, fetch);
    if (!isOver) throw new Failure("It does not take a sign-out.");
  } catch (error) {
    sayAside(
      `Signed out on this machine, but Connect was not told: ${
        wordsOf(error)
      } End the grant in the console, under Connections.\n`,
    );
    return FAILED;
  }
  sayAside("Signed out, here and at Framed.\n");
  return FINE;
}

/** For a person, and for a host. What was not expected is told without its own words, which may hold anything. */
function wordsOf(error: unknown): string {
  const failure = failureIn(error);
  return failure === null ? "Something went wrong that should not: try again." : printable(failure.message);
}
