/** Where a person's sign-in is kept on their machine. Pure. */

import type { Environment } from "../runner/api-address.ts";

/**
 * The folder: `framed` in the place that the system has for a person's configuration. Null where the environment names
 * neither that nor a home. A relative `XDG_CONFIG_HOME` counts as none. Source: XDG Base Directory Specification.
 */
export function configFolder(
  env: Environment,
  { platform, home }: { platform: string; home: string },
): string | null {
  if (platform === "win32") return env.APPDATA ? `${env.APPDATA}\\framed` : null;
  const named = env.XDG_CONFIG_HOME;
  if (named?.startsWith("/")) return `${named.replace(/\/+$/, "")}/framed`;
  return home.startsWith("/") ? `${home.replace(/\/+$/, "")}/.config/framed` : null;
}
