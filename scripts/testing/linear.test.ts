import { assertThrows } from "@std/assert";
import { assertLinear } from "./linear.ts";

/** Work that is not optimised away. */
function count(steps: number): () => number {
  return () => {
    let sum = 0;
    for (let step = 0; step < steps; step++) sum = (sum * 31 + step) % 65_521;
    return sum;
  };
}

Deno.test("assertLinear() lets linear work pass, and work with a logarithm to it", () => {
  assertLinear("linear", 4_000_000, count);
  assertLinear("a sort", 1_000_000, (size) => {
    const numbers = Array.from({ length: size }, (_, at) => (at * 7_919) % 1_000_003);
    return () => numbers.toSorted((one, other) => one - other);
  });
});

Deno.test("assertLinear() throws for quadratic work, naming it", () => {
  assertThrows(() => assertLinear("squares", 4_000, (size) => count(size * size)), Error, "squares: ");
});
