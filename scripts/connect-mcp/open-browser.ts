/** Opens an address in the person's browser. */

import { spawn } from "node:child_process";
import process from "node:process";
import { isThisMachine } from "../runner/api-address.ts";

/**
 * Asks the system to open the address; nobody waits for it, and where there is no browser nothing happens. Only what a
 * browser shows is opened, through no shell: a server must not be able to start another program by the address it names.
 */
export function openBrowser(url: URL): void {
  if (!isShown(url)) return;
  const [program, ...args] = opener(process.platform);
  try {
    const child = spawn(program, [...args, url.href], { stdio: "ignore", detached: true });
    child.on("error", () => {});
    child.unref();
  } catch {
    // The address stands on standard error too.
  }
}

/** Whether a browser shows it, over TLS or from this machine. */
export function isShown({ protocol, hostname }: URL): boolean {
  return protocol === "https:" || (protocol === "http:" && isThisMachine(hostname));
}

function opener(platform: string): [program: string, ...args: string[]] {
  switch (platform) {
    case "darwin":
      return ["open"];
    case "win32":
      return ["rundll32", "url.dll,FileProtocolHandler"];
    default:
      return ["xdg-open"];
  }
}
