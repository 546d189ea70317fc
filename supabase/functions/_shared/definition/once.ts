/** What is made when it is first asked for: a function that starts cold pays for everything its modules make. Pure. */

/** Calls `make` at the first call and answers with that same value from then on. */
export function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => (made ??= { value: make() }).value;
}
