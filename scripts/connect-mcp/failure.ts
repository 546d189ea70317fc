/** Why Connect could not be reached or signed in to, in words that a person may read. */

/** An end that can be expected. Its message is for a person and holds nothing that opens anything. */
export class Failure extends Error {
  override readonly name = "Failure";
}

/** The failure in what was thrown, however a library wrapped it; null where it is something else. */
export function failureIn(error: unknown): Failure | null {
  for (let [at, depth] = [error, 0]; at instanceof Error && depth < 8; depth++, at = at.cause) {
    if (at instanceof Failure) return at;
  }
  return null;
}

/** What a request failed with before there was an answer, in a few words. */
export function whyUnreachable(error: unknown): string {
  let [at, code]: [unknown, string] = [error, ""];
  while (at instanceof Error) {
    if (at.name === "TimeoutError") return "it did not answer in time";
    if ("code" in at && typeof at.code === "string") code = at.code;
    if (!(at.cause instanceof Error)) break;
    at = at.cause;
  }
  const words = at instanceof Error ? at.message : String(at);
  return (words || code || "no reason given").split("\n")[0]!.replace(/\.$/, "");
}
