/** The id of a request for consent: what the person's browser carries to the console. Stored as a hash only. */

/** A new one, of 256 random bits. */
export function newRequestId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(32));
  return btoa(String.fromCharCode(...bytes)).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

/** Whether it could be one: anything else is refused before any query. */
export function isRequestId(text: string): boolean {
  return /^[A-Za-z0-9_-]{43}$/.test(text);
}
