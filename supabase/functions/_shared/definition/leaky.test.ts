import { assertEquals } from "@std/assert";
import { holdsFile, isLeaky } from "./leaky.ts";

const BYTES = "iVBORw0KGgoAAAANSUhEUgAAAAUA".repeat(40);

Deno.test("holdsFile() knows data: URLs and base64 over 1 KiB, and no text that people write", () => {
  const lines = (text: string, length: number, end: string) =>
    text.match(new RegExp(`.{1,${length}}`, "g"))!.join(end);
  const cases: [string, boolean][] = [
    ["data:image/png;base64,iVBORw0KGgo=", true],
    ["see data:,x", true],
    ["DATA:text/plain,x", true],
    ["metadata:a,b", false],
    ["data: a, b", false],
    [BYTES.slice(0, 1025), true],
    [BYTES.slice(0, 1024), false],
    [`the file: ${BYTES}==`, true],
    [BYTES.slice(0, 1100).replaceAll("A", "-").replaceAll("U", "_"), true],
    [lines(BYTES, 76, "\r\n"), true],
    [lines(BYTES, 64, "\n"), true],
    [lines(BYTES, 20, "\n"), false],
    [lines(BYTES, 64, " "), false],
    ["The invoice was booked by hand. ".repeat(500), false],
    ["PI-2041\n".repeat(500), false],
    ["", false],
  ];
  for (const [text, holds] of cases) assertEquals(holdsFile(text), holds, text.slice(0, 80));
});

Deno.test("isLeaky() also knows what is shaped like a credential", () => {
  assertEquals(isLeaky(`sk_${"live"}_abcdef0123456789`), true);
  assertEquals(isLeaky("PI-2041"), false);
});
