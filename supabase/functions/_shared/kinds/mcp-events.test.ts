import { assertEquals } from "@std/assert";
import fc from "fast-check";
import { createEventReader } from "./mcp-events.ts";

function readAll(pieces: readonly string[]): string[] {
  const reader = createEventReader();
  return [...pieces.flatMap((piece) => reader.push(piece)), ...reader.end()];
}

Deno.test("createEventReader() reads messages, and nothing else of a stream", () => {
  const cases: readonly (readonly [what: string, stream: string, messages: string[]])[] = [
    ["one", "data: a\n\n", ["a"]],
    ["without the blank after the colon", "data:a\n\n", ["a"]],
    ["of several lines", "data: a\ndata: b\n\n", ["a\nb"]],
    ["of its own type", "event: message\ndata: a\n\n", ["a"]],
    ["of another type", "event: ping\ndata: a\n\ndata: b\n\n", ["b"]],
    ["a comment and other fields", ": hello\nid: 7\nretry: 1\ndata: a\n\n", ["a"]],
    ["an event without data", "id: 7\n\ndata: a\n\n", ["a"]],
    ["lines that end with both, or one", "data: a\r\n\r\ndata: b\r\rdata: c\n\n", ["a", "b", "c"]],
    ["one that breaks off after its line", "data: a\n", ["a"]],
    ["one that breaks off within its line", "data: a", ["a"]],
    ["nothing", "", []],
  ];
  for (const [what, stream, messages] of cases) assertEquals(readAll([stream]), messages, what);
});

Deno.test("createEventReader() reads the same however the stream is cut into pieces", () => {
  const part = fc.constantFrom(
    "data: a",
    "data:",
    "event: x",
    "id: 1",
    ":",
    "\n",
    "\r",
    "\r\n",
    "\n\n",
    'data: {"b":1}',
  );
  fc.assert(
    fc.property(fc.array(part, { maxLength: 30 }), fc.array(fc.nat(200), { maxLength: 8 }), (parts, cuts) => {
      const stream = parts.join("");
      const at = [...new Set([0, ...cuts.filter((cut) => cut < stream.length), stream.length])].sort((a, b) =>
        a - b
      );
      const pieces = at.slice(1).map((end, index) => stream.slice(at[index], end));
      assertEquals(readAll(pieces), readAll([stream]));
    }),
  );
});
