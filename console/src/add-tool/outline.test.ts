import { assert, assertEquals } from "@std/assert";
import fc from "fast-check";
import { cursorPlace, type OutlineNode, outlineOf } from "./outline.ts";

/** What can be typed where `|` stands. */
function at(marked: string) {
  const text = marked.replace("|", "");
  const place = cursorPlace(outlineOf(text), marked.indexOf("|"));
  return place === null ? null : {
    path: place.path,
    wants: place.wants,
    typed: text.slice(place.from, place.to),
    taken: place.taken,
  };
}

Deno.test("cursorPlace() says what is typed at the cursor, also in a text that is not JSON yet", () => {
  const cases: [string, ReturnType<typeof at>][] = [
    ["{|}", { path: [], wants: "key", typed: "", taken: [] }],
    ["{|", { path: [], wants: "key", typed: "", taken: [] }],
    ['{"a|"}', { path: [], wants: "key", typed: '"a"', taken: [] }],
    ['{"a|', { path: [], wants: "key", typed: '"a', taken: [] }],
    ['{"a": |}', { path: ["a"], wants: "value", typed: "", taken: [] }],
    ['{"a": |, "b": 1}', { path: ["a"], wants: "value", typed: "", taken: [] }],
    ['{"a": "x|"}', { path: ["a"], wants: "value", typed: '"x"', taken: [] }],
    ['{"a": tr|}', { path: ["a"], wants: "value", typed: "tr", taken: [] }],
    ['{"a": 1, |}', { path: [], wants: "key", typed: "", taken: ["a"] }],
    ['{"a": 1,\n  "b|"\n  "c": 2}', { path: [], wants: "key", typed: '"b"', taken: ["a", "c"] }],
    ['{"a": {"b": 1, |}}', { path: ["a"], wants: "key", typed: "", taken: ["b"] }],
    ['{"a": [1, |]}', { path: ["a", 1], wants: "value", typed: "", taken: [] }],
    ['{"a": [{"b": 1}, {|}]}', { path: ["a", 1], wants: "key", typed: "", taken: [] }],
    ['{"a": {"b": "|', { path: ["a", "b"], wants: "value", typed: '"', taken: [] }],
    ['{"a": 1}|', null],
    ["|", null],
  ];
  for (const [marked, wanted] of cases) assertEquals(at(marked), wanted, marked);
});

Deno.test("outlineOf() finds every key and value of any JSON where it stands", () => {
  fc.assert(fc.property(fc.json(), fc.nat(3), (json, indent) => {
    const value = JSON.parse(json);
    const text = JSON.stringify(value, null, indent);
    assertEquals(valueOf(outlineOf(text)!, text), JSON.parse(text));
  }));
});

/** The value again, from the places alone. */
function valueOf(node: OutlineNode, text: string): unknown {
  if (node.type === "list") return node.children.map((child) => valueOf(child, text));
  if (node.type !== "object") return JSON.parse(text.slice(node.from, node.to));
  const pairs = node.children.map((child) => {
    assertEquals(JSON.parse(text.slice(child.key!.from, child.key!.to)), child.key!.name);
    return [child.key!.name, valueOf(child, text)] as const;
  });
  return Object.fromEntries(pairs);
}

Deno.test("outlineOf() and cursorPlace() read any text to its end, wherever the cursor is", () => {
  const pieces = fc.array(
    fc.constantFrom("{", "}", "[", "]", ":", ",", '"', '"a"', "1", "true", " ", "\n", "\\", "é"),
  );
  fc.assert(
    fc.property(pieces, fc.nat(60), (parts, position) => {
      const text = parts.join("");
      const root = outlineOf(text);
      const place = cursorPlace(root, Math.min(position, text.length));
      const waiting = root === null ? [] : [root];
      for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
        assert(0 <= node.from && node.from <= node.to && node.to <= text.length, JSON.stringify(text));
        waiting.push(...node.children);
      }
      assert(place === null || (place.from <= place.to && place.to <= text.length));
    }),
    { numRuns: 2_000 },
  );
});

Deno.test("outlineOf() reads a text of nothing but beginnings without running out of stack", () => {
  assertEquals(outlineOf("[".repeat(262_144))?.to, 262_144);
});
