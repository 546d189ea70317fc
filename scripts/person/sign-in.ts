/** Signs a person in from a shell, as the console does in a browser: with supabase-js, by what the environment says. */

import { createClient } from "@supabase/supabase-js";

/** A command that was called with something missing or wrong. */
export class UsageProblem extends Error {}

/** The variable's value. Throws `UsageProblem` where it is not set. */
export function need(name: string): string {
  const value = Deno.env.get(name);
  if (value === undefined || value === "") throw new UsageProblem(`${name} is not set.`);
  return value;
}

/** The address of the API, with no slash at its end. */
export function apiBase(): string {
  return need("FRAMED_API_BASE").replace(/\/+$/, "");
}

/** The access token of who `FRAMED_EMAIL` and `FRAMED_PASSWORD` name; an hour later it is over. */
export async function signIn(): Promise<string> {
  const supabaseUrl = Deno.env.get("FRAMED_SUPABASE_URL") ?? new URL(apiBase()).origin;
  const client = createClient(supabaseUrl, need("FRAMED_PUBLISHABLE_KEY"), {
    auth: { persistSession: false, autoRefreshToken: false },
  });
  const { data, error } = await client.auth.signInWithPassword({
    email: need("FRAMED_EMAIL"),
    password: need("FRAMED_PASSWORD"),
  });
  if (error !== null) throw new Error(`Signing in failed: ${error.message}.`);
  return data.session.access_token;
}

/** Where to sign in and as whom, for a command's help. */
export const SIGN_IN_VARIABLES = `  FRAMED_API_BASE         the API, such as http://127.0.0.1:54321/api
  FRAMED_SUPABASE_URL     where people sign in; left out, the API's own origin
  FRAMED_PUBLISHABLE_KEY  the project's publishable key
  FRAMED_EMAIL            the person who signs in
  FRAMED_PASSWORD         and their password`;

/** Runs a command and gives its exit code: 0, 1 with what went wrong in words, 2 with the usage for who called it wrongly. */
export async function runCommand(usage: string, run: (args: string[]) => Promise<void>): Promise<number> {
  const args = Deno.args;
  if (args.includes("--help") || args.includes("-h")) {
    console.log(usage);
    return 0;
  }
  try {
    await run(args);
    return 0;
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    console.error(error instanceof UsageProblem ? `${message}\n\n${usage}` : message);
    return error instanceof UsageProblem ? 2 : 1;
  }
}
