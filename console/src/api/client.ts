/** Asks the API as the person who was signed in when it was made, and as nobody else. */

import { type Session, SignInAway } from "../session/session.ts";
import { Problem } from "./problem.ts";

export type Params = Readonly<Record<string, string | number | null | undefined>>;

export interface Api {
  /** Throws `Problem`. Pairs whose value is null or undefined are left out. */
  get<T>(path: string, params?: Params, options?: { signal?: AbortSignal }): Promise<T>;
  /** The same with a body; `undefined` sends none. Answers null for 204. */
  send<T>(method: "POST" | "PUT" | "PATCH" | "DELETE", path: string, body?: unknown): Promise<T>;
  /** The answer as it comes, for what is downloaded. Throws `Problem` when it is refused. */
  open(path: string, params?: Params): Promise<Response>;
}

/** Slugs, names and ids in a path are encoded by who writes it: see `pathOf`. */
export function createApi(base: string, session: Session): Api {
  const person = session.state().person?.id ?? null;
  async function ask(path: string, init: RequestInit): Promise<Response> {
    const attempt = (token: string) =>
      fetch(base + path, {
        ...init,
        cache: "no-store",
        credentials: "omit",
        headers: {
          authorization: `Bearer ${token}`,
          ...(init.body === undefined ? {} : { "content-type": "application/json" }),
        },
      }).catch((error) => {
        if (init.signal?.aborted) throw error;
        throw Problem.unreachable();
      });
    const granted = (token: Promise<string>) =>
      token.catch((error) => {
        throw error instanceof SignInAway ? Problem.unreachable() : error;
      });
    let token = await granted(session.token(person));
    let response = await attempt(token);
    // Whoever signs in again in the meantime is asked no more than that.
    for (let tries = 0; response.status === 401 && tries < 2; tries++) {
      token = await granted(session.tokenAfter(token, person));
      response = await attempt(token);
    }
    if (response.ok) return response;
    const body = await response.json().catch(() => ({}));
    throw new Problem(response.status, body ?? {}, response.headers.get("retry-after"));
  }

  async function read<T>(response: Response): Promise<T> {
    if (response.status === 204) return null as T;
    try {
      return await response.json() as T;
    } catch {
      throw Problem.unreachable();
    }
  }

  return {
    async get(path, params = {}, { signal } = {}) {
      return await read(await ask(path + queryOf(params), signal === undefined ? {} : { signal }));
    },
    async send(method, path, body) {
      return await read(
        await ask(path, { method, ...(body === undefined ? {} : { body: JSON.stringify(body) }) }),
      );
    },
    open: (path, params = {}) => ask(path + queryOf(params), {}),
  };
}

/** A path with what stands in it encoded: ``pathOf`/tools/${slug}` ``. */
export function pathOf(parts: TemplateStringsArray, ...values: readonly (string | number)[]): string {
  return parts.reduce((path, part, index) => path + encodeURIComponent(values[index - 1]!) + part);
}

function queryOf(params: Params): string {
  const pairs = Object.entries(params).filter(([, value]) => value !== null && value !== undefined);
  if (pairs.length === 0) return "";
  return `?${new URLSearchParams(pairs.map(([name, value]) => [name, String(value)]))}`;
}
