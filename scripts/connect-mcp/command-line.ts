/** What `connect-mcp` was asked to do, read from its arguments and environment. Pure. */

import { nameOf } from "../../supabase/functions/_shared/definition/words.ts";
import {
  type ApiAddress,
  type Environment,
  readApiAddress,
  type UsageProblem,
} from "../runner/api-address.ts";

export type Command =
  | { readonly does: "help" | "version" }
  | { readonly does: "serve" | "login" | "logout"; readonly address: ApiAddress };

const COMMANDS = ["login", "logout"] as const;

/** The command that `args` ask for, or what is wrong with them. Without a word it serves a host. Repeats no credential. */
export function readCommand(args: readonly string[], env: Environment): Command | UsageProblem {
  const words: string[] = [];
  let told: "help" | "version" | null = null;
  for (const arg of args) {
    if (arg === "--help" || arg === "-h") told = "help";
    else if (arg === "--version") told ??= "version";
    else if (arg.startsWith("-")) {
      const name = `--${nameOf(arg.replace(/^-+/, "").split("=", 1)[0]!)}`;
      return {
        usage: `There is no option ${name}; there are --help and --version. A key goes in FRAMED_API_KEY.`,
      };
    } else words.push(arg);
  }
  if (told !== null) return { does: told };
  const [word, ...more] = words;
  const does = word === undefined ? "serve" : COMMANDS.find((name) => name === word);
  if (does === undefined || more.length > 0) {
    return {
      usage: does === undefined
        ? `There is no command ${nameOf(word!)}; there are login and logout, and none to serve a host.`
        : `${word} takes nothing.`,
    };
  }
  const address = readApiAddress(env);
  if ("usage" in address) return address;
  if (does === "login" && address.apiKey !== null) {
    return { usage: "FRAMED_API_KEY is set, so that nobody signs in: unset it first." };
  }
  return { does, address };
}
