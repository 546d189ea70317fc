import { assert, assertEquals } from "@std/assert";
import { FILES } from "../../../supabase/functions/_shared/definition/testdata/files.ts";
import { checkText } from "./checked.ts";
import { placeProblems } from "./problem-places.ts";

const TEXT = `{
  "slug": "rooms",
  "request": {
    "headers": { "X-Api-Key": "mine" },
    "url": "http://a"
  },
  "fixtures": [
    { "response": 1 },
    { "example": { "floor": 1, "a.b": [] }, "response": { "rooms": [{ "name": "Oak" }] } }
  ]
}
`;

Deno.test("placeProblems() finds the key or value that a line is about", () => {
  const cases: [line: string, place: string, path: string][] = [
    ["slug: of a key", '"slug": "rooms"', "slug"],
    ['request.headers["X-Api-Key"]: quoted', '"X-Api-Key": "mine"', 'request.headers["X-Api-Key"]'],
    ["request.url: an address that starts with https:// is wanted", '"url": "http://a"', "request.url"],
    ["fixtures[0].response: of an element", '"response": 1', "fixtures[0].response"],
    ["fixtures[1].example: an object is marked at its name", '"example"', "fixtures[1].example"],
    ['fixtures[1].example["a.b"]: a dot in a key', '"a.b"', 'fixtures[1].example["a.b"]'],
    [
      "fixtures[1].response.rooms[0].name: deep: with colons",
      '"name": "Oak"',
      "fixtures[1].response.rooms[0].name",
    ],
    [
      "fixtures[1].example.missing: what is missing stands where it is missing",
      '"example"',
      "fixtures[1].example.missing",
    ],
    ["fixtures[7]: no such element", '"fixtures"', "fixtures[7]"],
    ["name: missing; text is wanted", "{", "name"],
    ["file: as a whole", "{", "file"],
  ];
  for (const [line, place, path] of cases) {
    const [found] = placeProblems(TEXT, [line]);
    assertEquals(TEXT.slice(found!.from, found!.to), place, line);
    assertEquals(found!.path, path, line);
    assertEquals(`${found!.path}: ${found!.says}`, line);
  }
});

Deno.test("placeProblems() finds a place that the line itself names", () => {
  const [broken] = checkText('{\n  "slug": "a",\n  nonsense\n}').problems;
  assertEquals(broken!.from, '{\n  "slug": "a",\n  '.length);
  const twice = '{\n  "slug": "a",\n  "slug": "b"\n}';
  const said = checkText(twice).problems.find(({ says }) => says.includes("more than once"));
  assertEquals(said!.from, twice.lastIndexOf('"slug"'));
});

Deno.test("placeProblems() does not go to a place that a file makes its line name", () => {
  const text = '{\n  "access": "reed at line 1, column 1"\n}';
  const said = checkText(text).problems.find(({ path }) => path === "access");
  assertEquals(said!.from, text.indexOf('"access"'));
});

Deno.test("every line of every bad file has a place in it", () => {
  for (const { name, bytes, lines } of FILES.invalid) {
    const text = new TextDecoder().decode(bytes);
    const placed = placeProblems(text, lines);
    assertEquals(placed.map(({ line }) => line), [...lines], name);
    for (const { path, says, line, from, to } of placed) {
      assert(0 <= from && from <= to && to <= text.length, `${name}: ${line}`);
      assertEquals(`${path}: ${says}`, line, name);
    }
  }
});

Deno.test("a problem below the root is not told at the beginning of a file that has its first key", () => {
  const lost: string[] = [];
  for (const { name, bytes, lines } of FILES.invalid) {
    const text = new TextDecoder().decode(bytes);
    for (const { line, from } of placeProblems(text, lines)) {
      const first = /^([A-Za-z_$][\w$]*)[.[:]/.exec(line)?.[1];
      if (
        first !== undefined && first !== "file" &&
        new RegExp(`^ {0,2}"${first.replace("$", "\\$")}":`, "m").test(text) && from <= 1
      ) {
        lost.push(`${name}: ${line}`);
      }
    }
  }
  assertEquals(lost, []);
});
