/** Where the console finds what it talks to: read once at the start, from beside the page. */

/** What `/config.json` holds. No address ends in a slash. */
export interface Config {
  readonly api: string;
  readonly supabaseUrl: string;
  readonly publishableKey: string;
  /** Where programs sign in over Connect. */
  readonly connect: string;
}

/** Reads `/config.json`. Throws in words where it is missing or lacks something. */
export async function readConfig(): Promise<Config> {
  const response = await fetch("/config.json", { cache: "no-cache" });
  const body: unknown = response.ok ? await response.json().catch(() => null) : null;
  if (typeof body !== "object" || body === null) {
    throw new Error("This console was put up without its config.json, so it does not know whom to ask.");
  }
  const read = (name: string): string => {
    const value: unknown = (body as Record<string, unknown>)[name];
    if (typeof value !== "string" || value === "") throw new Error(`config.json has no ${name}.`);
    return value.replace(/\/+$/, "");
  };
  return {
    api: read("api"),
    supabaseUrl: read("supabase_url"),
    publishableKey: read("publishable_key"),
    connect: read("connect"),
  };
}
