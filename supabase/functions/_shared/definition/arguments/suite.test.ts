/** The official test suite of JSON Schema against the reader and the evaluation. Origin: testdata/draft-07. */

import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import type { JsonObject, JsonValue } from "../json.ts";
import { evaluate } from "./evaluate.ts";
import { readSchema } from "./reader.ts";
import { resolveReferences } from "./references.ts";
import { Run } from "./run.ts";

interface Group {
  readonly description: string;
  readonly schema: JsonObject | boolean;
  readonly tests: readonly {
    readonly description: string;
    readonly data: JsonValue;
    readonly valid: boolean;
  }[];
}

const DRAFT_07 = "http://json-schema.org/draft-07/schema#";
const TESTDATA = new URL("./testdata/draft-07/", import.meta.url);

/** What a file may not have though draft-07 has it, with a part of each problem that says so. */
const REFUSED: Record<string, string[]> = {
  "definitions.json: invalid definition": ["nothing else is fetched"],
  "definitions.json: valid definition": ["nothing else is fetched"],
  "ref.json: Recursive references between schemas": [
    "is not taken",
    "is not taken",
    "nothing else is fetched",
    "nothing else is fetched",
  ],
  // These refer to places under words that are no keywords, where no subschema stands.
  "ref.json: escaped pointer ref": ["no subschema stands", "no subschema stands", "no subschema stands"],
  "ref.json: ref overrides any sibling keywords": ["stands beside `$ref`, where draft-07 ignores it"],
  "ref.json: remote ref, containing refs itself": ["nothing else is fetched"],
  "ref.json: root pointer ref": ["leads back to itself"],
};

/** Files about what 2020-12 says in other words, or says differently. */
const ONLY_DRAFT_07: ReadonlySet<string> = new Set([
  "additionalItems.json",
  "dependencies.json",
  "items.json",
  "ref.json",
  "uniqueItems.json",
]);

function groupsOf(file: string): Group[] {
  return JSON.parse(Deno.readTextFileSync(new URL(file, TESTDATA)));
}

function filesIn(folder: string): string[] {
  return [...Deno.readDirSync(new URL(folder, TESTDATA))]
    .filter(({ name }) => name.endsWith(".json")).map(({ name }) => folder + name).sort();
}

/** One group in one dialect: what is refused, and the cases whose verdict is not the suite's. */
function runGroup({ schema, tests }: Group, dialect: string | null): { refused: string[]; wrong: string[] } {
  const whole = typeof schema === "boolean" ? { allOf: [schema] } : schema;
  const reading = readSchema(dialect === null ? whole : { $schema: dialect, ...whole }, []);
  const problems = [...reading.problems, ...resolveReferences(reading)];
  if (problems.length > 0) return { refused: problems.map(({ says }) => says), wrong: [] };
  const wrong = tests.filter(({ data, valid }) => {
    return evaluate(reading.root, data, { place: null, run: new Run(), seen: null }) !== valid;
  });
  return { refused: [], wrong: wrong.map(({ description }) => description) };
}

/** All groups of `files`, by name: what was refused, and what came out otherwise than the suite says. */
function runFiles(files: readonly string[], dialect: string | null) {
  const refused: Record<string, string[]> = {};
  const wrong: Record<string, string[]> = {};
  let cases = 0;
  for (const file of files) {
    for (const group of groupsOf(file)) {
      const name = `${file.slice(2)}: ${group.description}`;
      const outcome = runGroup(group, dialect);
      if (outcome.refused.length > 0) refused[name] = outcome.refused;
      if (outcome.wrong.length > 0) wrong[name] = outcome.wrong;
      cases += group.tests.length;
    }
  }
  return { refused, wrong, cases };
}

Deno.test("evaluate() gives every verdict of the draft-07 suite, and what is refused is refused in words", () => {
  const { refused, wrong, cases } = runFiles([...filesIn("./"), ...filesIn("./format/")], DRAFT_07);
  assertEquals(wrong, {});
  assertEquals(Object.keys(refused).sort(), Object.keys(REFUSED).sort());
  for (const [name, parts] of Object.entries(REFUSED)) {
    assertEquals(refused[name]!.length, parts.length, name);
    for (const [index, part] of parts.entries()) assertStringIncludes(refused[name]![index]!, part);
  }
  assert(cases > 450, `only ${cases} cases were found`);
});

Deno.test("evaluate() gives the same verdicts in 2020-12 wherever the dialects agree", () => {
  const files = filesIn("./").filter((file) =>
    !ONLY_DRAFT_07.has(file.slice(2)) && !file.includes("definitions")
  );
  const { refused, wrong, cases } = runFiles(files, null);
  assertEquals(wrong, {});
  assertEquals(refused, {});
  assert(cases > 300, `only ${cases} cases were found`);
});
