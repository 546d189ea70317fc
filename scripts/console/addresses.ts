/** What the built console is told when it starts: where the API, sign-in and Connect are. Pure. */

/** As `/config.json` answers it; no address ends with a slash. */
export interface ConsoleAddresses {
  readonly api: string;
  readonly supabase_url: string;
  readonly publishable_key: string;
  readonly connect: string;
}

/** The path of the answer. */
export const CONFIG_PATH = "/config.json";

/** The text of the answer. */
export function configText({ api, supabase_url, publishable_key, connect }: ConsoleAddresses): string {
  return `${JSON.stringify({ api, supabase_url, publishable_key, connect }, null, 2)}\n`;
}

/** The origins that a page asks, each once. */
export function originsOf({ api, supabase_url, connect }: ConsoleAddresses): string[] {
  return [...new Set([api, supabase_url, connect].map((address) => new URL(address).origin))];
}
