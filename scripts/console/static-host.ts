/** What a static host has to be told to serve the console as the local stack does, in the files that hosts read. Pure. */

import { CONFIG_PATH, configText, type ConsoleAddresses, originsOf } from "./addresses.ts";
import { ASKED_EACH_TIME, KEPT_FOR_EVER, PAGE_PATHS, pageHeaders } from "./page-headers.ts";

/** The files beside the site by name, for a console that is told of `addresses`; `index` is its page. */
export function hostFiles(
  { addresses, index, paths }: {
    addresses: ConsoleAddresses;
    index: string;
    /** Every file of the site. */
    paths: readonly string[];
  },
): ReadonlyMap<string, string> {
  return new Map([
    [CONFIG_PATH.slice(1), configText(addresses)],
    ["_headers", headersText(originsOf(addresses), paths)],
    ["_redirects", redirectsText()],
    // Of hosts that answer a path they do not have with this, and know nothing else.
    ["404.html", index],
  ]);
}

/**
 * The form that Netlify and Cloudflare Pages share: every rule that matches a path adds its headers. No two of these say
 * how long the same path may be kept, since one host would join what they say.
 */
function headersText(connectOrigins: readonly string[], paths: readonly string[]): string {
  const askedFor = [
    ...PAGE_PATHS,
    CONFIG_PATH,
    ...paths.filter((path) => !path.startsWith("assets/")).map((path) => `/${path}`),
  ];
  const rules: [path: string, headers: Readonly<Record<string, string>>][] = [
    ["/*", pageHeaders(connectOrigins)],
    ["/assets/*", { "cache-control": KEPT_FOR_EVER }],
    ...askedFor.map((path): typeof rules[number] => [path, { "cache-control": ASKED_EACH_TIME }]),
  ];
  return rules.map(([path, headers]) =>
    [path, ...Object.entries(headers).map(([name, value]) => `  ${name}: ${value}`)].join("\n") + "\n"
  ).join("\n");
}

/** Page by page, so that a file which is gone answers 404 and not with a page. */
function redirectsText(): string {
  const pages = PAGE_PATHS.filter((path) => path !== "/");
  return pages.map((path) => `${path} / 200\n`).join("");
}
