import { assertEquals } from "@std/assert";
import { startAge } from "./age.ts";

Deno.test("startAge() counts by whichever clock says more, and never back", () => {
  const table: [name: string, elapsedMs: number, wallMs: number, age: number][] = [
    ["both go on", 5_000, 5_000, 5_000],
    ["the machine slept, and one clock with it", 10, 60_000, 60_000],
    ["the clock was set back", 5_000, -3_600_000, 5_000],
    ["the clock was set on", 5_000, 3_600_000, 3_600_000],
  ];
  for (const [name, elapsedMs, wallMs, age] of table) {
    const clocks = { elapsed: 1_000, wall: 1_796_000_000_000 };
    const startedAge = startAge({ elapsedMs: () => clocks.elapsed, wallMs: () => clocks.wall });
    assertEquals([name, startedAge()], [name, 0]);
    clocks.elapsed += elapsedMs;
    clocks.wall += wallMs;
    assertEquals([name, startedAge()], [name, age]);
  }
});
