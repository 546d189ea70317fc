/** Reads which request of a program an address is about. Pure. */

const REQUEST_ID = /^[\w-]{43}$/;

/** The id in the query of the address; null where there is none, or what stands there is none. */
export function requestIdIn(search: string): string | null {
  const id = new URLSearchParams(search).get("request") ?? "";
  return REQUEST_ID.test(id) ? id : null;
}
