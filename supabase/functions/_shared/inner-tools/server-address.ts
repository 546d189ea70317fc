/** Which outside server an address leads to, in one spelling, however a file writes it. Pure. */

import { hostOf } from "../definition/request/host.ts";

/**
 * The address of a server by which what it lists is kept: the host as a browser reads it, without the usual port or a dot
 * at its end; the path without a slash at its end; nothing encoded that need not be. Whoever writes the same server in
 * another way finds what is known of it. framed.server_address() says the same. Source: RFC 3986 §6.2.
 */
export function serverAddress(url: string): string {
  const [, path = "", query = ""] = /^https:\/\/[^/?#]*([^?#]*)\??([^#]*)/i.exec(url) ?? [];
  const bare = path.replace(/\/+$/, "");
  return `https://${hostOf(url)}${plain(bare === "" ? "/" : bare)}${query === "" ? "" : `?${plain(query)}`}`;
}

function plain(text: string): string {
  return text.replace(/%[0-9a-f]{2}/gi, (encoded) => {
    const character = String.fromCharCode(parseInt(encoded.slice(1), 16));
    return /[A-Za-z0-9._~-]/.test(character) ? character : encoded.toUpperCase();
  });
}
