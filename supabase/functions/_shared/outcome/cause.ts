/** What of an unexpected error is fit for our own log. Pure. */

/** The error's name and code. Never its message: a database's may quote values. */
export function causeOf(error: unknown): string {
  if (!(error instanceof Error)) return "not an error";
  const code = (error as Error & { code?: unknown }).code;
  return typeof code === "string" ? `${error.name} ${code}` : error.name;
}

/** Where it came from, at most 12 frames. */
export function stackOf(error: unknown): string[] {
  const lines = error instanceof Error ? error.stack?.split("\n") ?? [] : [];
  return lines.filter((line) => /^\s+at /.test(line)).slice(0, 12).map((line) => line.trim());
}
