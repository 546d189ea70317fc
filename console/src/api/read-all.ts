/** Reads a list to its end, page by page: for lists that are short by nature. */

import type { Api, Params } from "./client.ts";

const PAGE = 200;

/** All entries under `name` of the answers at `path`. Throws `Problem`. */
export async function readAll<T>(
  api: Api,
  { path, name, params = {}, signal }: { path: string; name: string; params?: Params; signal?: AbortSignal },
): Promise<T[]> {
  const all: T[] = [];
  let cursor: string | null = null;
  do {
    const page: Record<string, unknown> = await api.get(
      path,
      { ...params, limit: PAGE, cursor },
      signal === undefined ? {} : { signal },
    );
    all.push(...page[name] as T[]);
    cursor = page.next_cursor as string | null;
  } while (cursor !== null);
  return all;
}
