/** What every answer of the console carries, wherever it is served, and how long a browser may keep it. Pure. */

/** Of a file whose name changes with what is in it. */
export const KEPT_FOR_EVER = "public, max-age=31536000, immutable";
/** Of everything else: asked for again each time, and sent again where it has changed. */
export const ASKED_EACH_TIME = "no-cache";

/** The paths that the console answers with its one page, each where `*` is one or more of any character. */
export const PAGE_PATHS: readonly string[] = [
  "/",
  "/tasks",
  "/tasks/*",
  "/connections",
  "/connections/*",
  "/log",
  "/catch-up",
  "/people",
  "/connect/consent",
];

/**
 * The headers of every answer: a page runs its own scripts and styles, asks its own origin and `connectOrigins`, and
 * stands in nobody's frame.
 */
export function pageHeaders(connectOrigins: readonly string[] = []): Readonly<Record<string, string>> {
  const policy = [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' data:",
    "font-src 'self'",
    ["connect-src 'self'", ...connectOrigins].join(" "),
    "form-action 'none'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ];
  return {
    "content-security-policy": policy.join("; "),
    "cross-origin-opener-policy": "same-origin",
    "referrer-policy": "no-referrer",
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
  };
}
