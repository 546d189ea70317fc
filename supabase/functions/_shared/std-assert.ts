/**
 * The part of `@std/assert` the tests use, over `node:assert/strict`, for machines that cannot reach jsr. For tests alone.
 *
 * To use the original, set `"@std/assert": "jsr:@std/assert@1.0.19"` in the imports of deno.json; the names are the same.
 */

import { deepStrictEqual, notDeepStrictEqual, strictEqual } from "node:assert/strict";

export class AssertionError extends Error {
  override name = "AssertionError";
}

/** Throws unless `condition` is truthy. */
export function assert(condition: unknown, message = "Expected a truthy value"): asserts condition {
  if (!condition) throw new AssertionError(message);
}

/** Throws unless both are deeply equal. */
export function assertEquals<T>(actual: T, expected: T, message?: string): void {
  deepStrictEqual(plain(actual), plain(expected), message);
}

/** Throws when both are deeply equal. */
export function assertNotEquals<T>(actual: T, expected: T, message?: string): void {
  notDeepStrictEqual(plain(actual), plain(expected), message);
}

/** Throws unless both are the same value. */
export function assertStrictEquals<T>(actual: unknown, expected: T, message?: string): asserts actual is T {
  strictEqual(actual, expected, message);
}

/** Throws when `actual` is null or undefined. */
export function assertExists<T>(actual: T, message = "Expected a value"): asserts actual is NonNullable<T> {
  if (actual === null || actual === undefined) throw new AssertionError(message);
}

/** Throws unless the text holds `expected`. */
export function assertStringIncludes(actual: string, expected: string, message?: string): void {
  if (!actual.includes(expected)) {
    throw new AssertionError(message ?? `Expected to find ${JSON.stringify(expected)} in:\n${actual}`);
  }
}

/** Throws unless the text matches. */
export function assertMatch(actual: string, expected: RegExp, message?: string): void {
  if (!expected.test(actual)) {
    throw new AssertionError(message ?? `Expected ${expected} to match:\n${actual}`);
  }
}

// Whatever a constructor takes is its own affair.
// deno-lint-ignore no-explicit-any
type ErrorClass<E extends Error> = new (...args: any[]) => E;

/** Runs `fn`, which has to throw an error of the class with the text in its message, and returns it. */
export function assertThrows<E extends Error = Error>(
  fn: () => unknown,
  errorClass: ErrorClass<E> = Error as never,
  includes = "",
): E {
  try {
    fn();
  } catch (error) {
    return checked(error, errorClass, includes);
  }
  throw new AssertionError("Expected the function to throw");
}

/** Awaits `fn`, which has to reject with an error of the class with the text in its message, and returns it. */
export async function assertRejects<E extends Error = Error>(
  fn: () => PromiseLike<unknown>,
  errorClass: ErrorClass<E> = Error as never,
  includes = "",
): Promise<E> {
  try {
    await fn();
  } catch (error) {
    return checked(error, errorClass, includes);
  }
  throw new AssertionError("Expected the promise to reject");
}

function checked<E extends Error>(error: unknown, errorClass: ErrorClass<E>, includes: string): E {
  if (!(error instanceof errorClass)) {
    throw new AssertionError(`Expected a ${errorClass.name}, got ${String(error)}`);
  }
  assertStringIncludes(error.message, includes);
  return error;
}

/** `@std/assert` does not tell a null-prototype object from a plain one; `node:assert` does. */
function plain(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value !== "object" || value === null) return value;
  const prototype = Object.getPrototypeOf(value);
  if (prototype !== null && prototype !== Object.prototype) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, plain(inner)]));
}
