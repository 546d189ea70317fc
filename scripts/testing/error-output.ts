/** What a function writes to its own log, taken by a test instead of shown. */

/** The lines that went to standard error while `work` ran, with what it came to. */
export async function withErrorOutput<T>(work: () => Promise<T>): Promise<{ value: T; lines: string[] }> {
  const lines: string[] = [];
  const { error } = console;
  console.error = (line: string) => lines.push(line);
  try {
    return { value: await work(), lines };
  } finally {
    console.error = error;
  }
}
