/** Waiting for something, but not for ever. */

/** What `promise` settles with, or `"late"` after `ms` milliseconds; the promise itself goes on. */
export async function within<T>(ms: number, promise: Promise<T>): Promise<T | "late"> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<"late">((resolve) => timer = setTimeout(() => resolve("late"), ms));
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}
