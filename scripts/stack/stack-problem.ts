/**
 * Why the stack cannot start or go on, in one line for the person at the terminal.
 *
 * Thrown, not returned: nothing between the step that fails and the command that prints the line can do anything
 * about it but clean up, and `finally` does that.
 */
export class StackProblem extends Error {
  override name = "StackProblem";
}

/** The system's own words for what went wrong, on one line: "No space left on device (os error 28)". */
export function systemWords(error: unknown): string {
  const words = error instanceof Error ? error.message : String(error);
  return words.replaceAll(/\s+/g, " ").trim();
}
