import { assertEquals } from "@std/assert";
import { readTally } from "./summary.ts";

const PRINTED: [line: string, success: boolean, passed: number, failed: number, ignored: number][] = [
  ["ok | 44 passed | 0 failed (41ms)", true, 44, 0, 0],
  ["FAILED | 3 passed (1 step) | 2 failed | 1 ignored (66ms)", false, 3, 2, 1],
  [
    "FAILED | 3 passed (12 steps) | 1 failed (2 steps) | 1 ignored (3 steps) | 4 filtered out (1s)",
    false,
    3,
    1,
    1,
  ],
  ["ok | 0 passed | 0 failed | 7 filtered out (2ms)", true, 0, 0, 0],
  ["\x1b[0m\x1b[32mok\x1b[0m | 5 passed | 0 failed \x1b[0m\x1b[38;5;245m(41ms)\x1b[0m", true, 5, 0, 0],
  ["error: Module not found", false, 0, 1, 0],
  ["ok | 5 passed | 0 failed (1ms)\nerror: a leak", false, 5, 1, 0],
  ["ok | 1 passed | 0 failed (1ms)\nran a run\nok | 2 passed | 0 failed (1ms)", true, 2, 0, 0],
];

for (const [line, success, passed, failed, ignored] of PRINTED) {
  Deno.test(`readTally() counts ${passed}, ${failed} and ${ignored} in ${JSON.stringify(line)}`, () => {
    assertEquals(readTally(`running 1 test\n${line}\n`, { success }), { passed, failed, ignored });
  });
}
