/**
 * What is kept of a sign-in to one Connect: a file that only its owner reads, always whole, whoever writes at the same
 * time; and claims, by which processes of one machine tell each other who does what only one may.
 */

import { createHash, randomUUID } from "node:crypto";
import { chmod, mkdir, open, readFile, rename, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import process from "node:process";
import { codeOf, systemWords } from "../runner/system-error.ts";
import { Failure } from "./failure.ts";

/** What the file holds. */
export interface SignIn {
  /** Whose registration and tokens these are. */
  readonly issuer: string;
  readonly clientId: string;
  /** Null where the registration is all there is. */
  readonly tokens: Tokens | null;
  /** When the last sign-in came to nothing, in milliseconds of the epoch; not one whose process was ended before. */
  readonly failedAt?: number;
}

export interface Tokens {
  readonly access: string;
  /** Null where none was given. */
  readonly refresh: string | null;
  /** In milliseconds of the epoch; null where that was not said. */
  readonly expiresAt: number | null;
}

export interface SignInFile {
  readonly path: string;
  /** Null where there is none, or one that cannot be read as one. */
  read(): Promise<SignIn | null>;
  write(signIn: SignIn): Promise<void>;
  remove(): Promise<void>;
  /** Takes the claim of that name for this process; null where another has it. */
  claim(name: string): Promise<Claim | null>;
  /** Whether a claim is held, or was left behind by a process that is gone or has had it for longer than `maxAgeMs`. */
  look(name: string, options: { maxAgeMs: number }): Promise<"held" | "left" | "free">;
  /** Takes a claim away that was left behind. */
  clear(name: string): Promise<void>;
}

export interface Claim {
  release(): Promise<void>;
}

/** The file in `folder` for the Connect at `serverUrl`. Nothing is made before something is written. */
export function signInFile(folder: string, serverUrl: string): SignInFile {
  const digest = createHash("sha256").update(serverUrl).digest("hex").slice(0, 12);
  const host = new URL(serverUrl).hostname.replace(/[^a-z0-9.-]/gi, "");
  const path = join(folder, `connect-${host}-${digest}.json`);
  const claimPath = (name: string) => `${path}.${name}.claim`;

  async function write(signIn: SignIn) {
    const temporary = `${path}.${process.pid}.${randomUUID()}.tmp`;
    try {
      await makeFolder(folder);
      await writeWhole(temporary, `${JSON.stringify({ server: serverUrl, ...signIn }, null, 2)}\n`);
      await rename(temporary, path);
    } catch (error) {
      await rm(temporary, { force: true }).catch(() => {});
      throw new Failure(`The sign-in cannot be kept in ${folder}: ${systemWords(error)}.`);
    }
  }

  return {
    path,
    async read() {
      try {
        const text = await readFile(path, "utf8");
        // Made readable to others since: it is the owner's alone again before anything in it is used.
        if (process.platform !== "win32" && ((await stat(path)).mode & 0o077) !== 0) await chmod(path, 0o600);
        return readSignIn(text, serverUrl);
      } catch (error) {
        if (codeOf(error) === "ENOENT") return null;
        throw new Failure(`The sign-in in ${path} cannot be read: ${systemWords(error)}.`);
      }
    },
    write,
    remove: () => rm(path, { force: true }),
    async claim(name) {
      try {
        await makeFolder(folder);
        await writeWhole(claimPath(name), String(process.pid));
      } catch (error) {
        if (codeOf(error) === "EEXIST") return null;
        throw new Failure(`The sign-in cannot be kept in ${folder}: ${systemWords(error)}.`);
      }
      return { release: () => rm(claimPath(name), { force: true }) };
    },
    async look(name, { maxAgeMs }) {
      try {
        const [{ mtimeMs }, pid] = [await stat(claimPath(name)), await readFile(claimPath(name), "utf8")];
        const isOld = Date.now() - mtimeMs > maxAgeMs;
        return isOld || (pid !== "" && !isRunning(Number(pid))) ? "left" : "held";
      } catch (error) {
        if (codeOf(error) === "ENOENT") return "free";
        throw new Failure(`The sign-in in ${folder} cannot be read: ${systemWords(error)}.`);
      }
    },
    clear: (name) => rm(claimPath(name), { force: true }),
  };
}

async function makeFolder(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  if (process.platform !== "win32" && ((await stat(folder)).mode & 0o077) !== 0) await chmod(folder, 0o700);
}

/** Makes a file that was not there, its owner's alone from the first byte on, and on the disk before it counts. */
async function writeWhole(path: string, text: string): Promise<void> {
  const file = await open(path, "wx", 0o600);
  try {
    await file.writeFile(text);
    await file.sync();
  } finally {
    await file.close();
  }
}

/** Whoever writes nonsense into the file signs in anew; nothing of it is sent anywhere. */
function readSignIn(text: string, serverUrl: string): SignIn | null {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return null;
  }
  if (!isRecord(value) || value.server !== serverUrl) return null;
  const { issuer, clientId, tokens, failedAt } = value;
  if (typeof issuer !== "string" || typeof clientId !== "string") return null;
  if (!isRecord(tokens) || typeof tokens.access !== "string") {
    return { issuer, clientId, tokens: null, ...(typeof failedAt === "number" ? { failedAt } : {}) };
  }
  const { access, refresh, expiresAt } = tokens;
  return {
    issuer,
    clientId,
    tokens: {
      access,
      refresh: typeof refresh === "string" ? refresh : null,
      expiresAt: typeof expiresAt === "number" ? expiresAt : null,
    },
  };
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return codeOf(error) === "EPERM";
  }
}
