import { assert, assertEquals } from "@std/assert";
import fc from "fast-check";
import { checkFramedTool, readFramedTool } from "../framed-tool.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "./json.ts";
import { MAX_LINES } from "./problem.ts";
import { FILES } from "./testdata/files.ts";
import { GOOD, mutatedFile } from "./testdata/mutated.ts";

const quickStart = GOOD[FILES.valid.findIndex(({ name }) => name === "quick-start-ledger")] as JsonObject;
const fixtureTool = GOOD[FILES.valid.findIndex(({ name }) => name === "shortest-slug")] as JsonObject;

function problemsOf(value: unknown, options = {}): string[] {
  const result = checkFramedTool(value, options);
  return result.ok ? [] : result.problems;
}

Deno.test("checkFramedTool() gives back the very value it took, changed in nothing", () => {
  for (const file of GOOD) {
    const before = JSON.stringify(file);
    const result = checkFramedTool(file);
    assert(result.ok && result.tool as unknown === file);
    assertEquals(JSON.stringify(file), before);
  }
});

Deno.test("checkFramedTool() lets only a seeded file name the secrets of a built-in client", () => {
  const file = { ...quickStart, auth: { secret: "CONNECTOR_MONEYBIRD_TOKEN" } };
  assertEquals(problemsOf(file, { origin: "seeded" }), []);
  assertEquals(problemsOf(file).length, 1);
  assertEquals(problemsOf({ ...quickStart, auth: { secret: "CONNECTOR_MONEYBIRDS" } }), []);
});

Deno.test("checkFramedTool() stops at what no check may look into", () => {
  const holdsItself: JsonObject = { ...fixtureTool };
  holdsItself.fixtures = [holdsItself];
  let deep: JsonValue = [];
  for (let level = 0; level < 50_000; level++) deep = [deep];
  const cases: [unknown, RegExp][] = [
    [
      { ...fixtureTool, fixtures: [{ response: deep }] },
      /^file: lists and objects stand more than 200 levels/,
    ],
    [holdsItself, /^file: (lists and objects stand more|more than 262,144 bytes)/],
    [{ ...fixtureTool, fixtures: [{ response: "x".repeat(262_144) }] }, /^file: more than 262,144 bytes/],
    [
      { ...fixtureTool, fixtures: [{ response: undefined }] },
      /^fixtures\[0\]\.response: found something that is no JSON/,
    ],
    [{ ...fixtureTool, name: Symbol("x") }, /^name: found something that is no JSON/],
    [{ ...fixtureTool, fixtures: [{ response: NaN }] }, /no JSON/],
    [{ ...fixtureTool, fixtures: [{ response: 1n }] }, /no JSON/],
    [{ ...fixtureTool, fixtures: [{ response: () => 1 }] }, /no JSON/],
    [undefined, /^file: found something that is no JSON/],
  ];
  for (const [value, line] of cases) {
    const problems = problemsOf(value);
    assertEquals(problems.length, 1);
    assert(line.test(problems[0]!), problems[0]);
  }
});

Deno.test("checkFramedTool() tells problems in the order of the file, what is missing after its siblings", () => {
  const told = problemsOf({
    fixtures: [{ response: 1, example: { b: 1, a: 2 } }],
    kind: "fixture",
    arguments: { type: "object", properties: { c: { type: 1 } } },
    slug: "A",
  });
  assertEquals(told.map((line) => line.slice(0, line.indexOf(":"))), [
    "fixtures[0].example.b",
    "fixtures[0].example.a",
    "arguments.properties.c.type",
    "slug",
    "format",
    "name",
    "description",
    "access",
  ]);
});

Deno.test("checkFramedTool() repeats no credential, wherever one stands", () => {
  const canary = `sk_${"live"}_Canary4eC39HqLyjWDarjt`;
  for (const file of GOOD) {
    for (const spoiled of withCanary(file, canary)) {
      const problems = problemsOf(spoiled);
      assert(problems.length > 0, JSON.stringify(spoiled));
      assert(!problems.join("\n").includes("Canary"), problems.join("\n"));
    }
  }
});

Deno.test("checkFramedTool() repeats nothing that stands where a secret's name is wanted", () => {
  for (const value of ["hunter2", "Canary", "canary_of_nobody", ["Canary"], { Canary: "Canary" }]) {
    const secret = problemsOf({ ...quickStart, auth: { secret: value } });
    const env = problemsOf({ ...quickStart, auth: { secret: "CONNECTOR_A", env: { clientId: value } } });
    for (const line of [...secret, ...env]) assert(!/canary|hunter2/i.test(line), line);
  }
});

Deno.test("readFramedTool() never throws and always answers, for any bytes and any text", () => {
  fc.assert(
    fc.property(fc.oneof(fc.uint8Array({ maxLength: 200 }), fc.string({ unit: "binary" })), answers),
    {
      numRuns: 2_000,
    },
  );
  const brackets = fc.array(fc.constantFrom(...'[]{}:,"\\0e-1.5tn \u0000'), { maxLength: 60 });
  fc.assert(fc.property(brackets.map((all) => all.join("")), answers), { numRuns: 2_000 });
});

function answers(source: Uint8Array | string): void {
  const result = readFramedTool(source);
  assert(result.ok || result.problems.length > 0);
}

Deno.test("checkFramedTool() never throws and reads its input a bounded number of times, for 10,000 mutated files and any JSON", () => {
  let accepted = 0;
  const bounded = (file: JsonValue) => {
    const { value, reads } = countReads(file);
    const result = checkFramedTool(value);
    if (result.ok) accepted++;
    else assert(result.problems.length > 0 && result.problems.length <= MAX_LINES + 1);
    assert(reads.count <= 2_000 + 200 * nodesIn(file), `${reads.count} reads of ${nodesIn(file)} nodes`);
  };
  fc.assert(fc.property(mutatedFile, bounded), { numRuns: 10_000 });
  fc.assert(fc.property(fc.jsonValue({ maxDepth: 5 }), (file) => bounded(file as JsonValue)), {
    numRuns: 2_000,
  });
  assert(accepted > 500, `only ${accepted} mutated files were accepted`);
});

Deno.test("readFramedTool() tells the problems of the text in few and short lines, however long the key above them is", () => {
  const result = readFramedTool(`{"${"k".repeat(200_000)}": [${"1e999,".repeat(2_000)}0]}`);
  assert(!result.ok && result.problems.length === MAX_LINES + 1);
  assert(result.problems.join("\n").length < 201 * 1_000);
});

Deno.test("checkFramedTool() reads the largest hostile files a bounded number of times", () => {
  const many = <T>(length: number, make: (at: number) => T) => Array.from({ length }, (_, at) => make(at));
  const args = { type: "object", properties: { n: { type: "integer" } } };
  const hostile: JsonObject[] = [
    { ...fixtureTool, ...Object.fromEntries(many(20_000, (at) => [`key_${at}`, 0])) },
    { ...fixtureTool, arguments: args, fixtures: many(7_000, (n) => ({ example: { n }, response: 0 })) },
    { ...fixtureTool, fixtures: many(6_000, (n) => ({ exampel: { n }, respons: 0 })) },
    {
      ...quickStart,
      request: { method: "GET", url: `https://ledger.example/${"{supplier}".repeat(20_000)}` },
    },
    { ...quickStart, request: { method: "GET", url: `https://ledger.example/?${"a={".repeat(60_000)}` } },
    {
      ...quickStart,
      request: { method: "POST", url: "https://a.example", body: many(20_000, () => "{{secret}}") },
    },
    {
      ...fixtureTool,
      access: "write",
      follow_up: { what: "{{".repeat(120_000), until: "{{args.x}}".repeat(20_000) },
    },
    { ...fixtureTool, rules: many(5_000, (at) => ({ path: `n${at}`, op: "in", value: 1, then: "deny" })) },
    { ...fixtureTool, name: "sk_".repeat(80_000) },
    {
      ...quickStart,
      request: {
        method: "POST",
        url: "https://a.example",
        body: { ["b".repeat(100_000)]: many(20_000, () => "{z}") },
      },
    },
    {
      ...fixtureTool,
      capabilities: many(5_000, (at) => ({ id: `n${at % 9}.read`, operations: ["get", "get"] })),
    },
  ];
  for (const file of hostile) {
    const { value, reads } = countReads(file);
    const result = checkFramedTool(value);
    assert(result.ok || result.problems.length > 0);
    assert((result.ok ? "" : result.problems.join("\n")).length < 201 * 1_000);
    assert(reads.count <= 2_000 + 200 * nodesIn(file), `${reads.count} reads of ${nodesIn(file)} nodes`);
  }
});

/** `file` behind a counter of every look at one of its members. */
function countReads(file: JsonValue): { value: JsonValue; reads: { count: number } } {
  const reads = { count: 0 };
  const seen = new WeakMap<object, object>();
  const wrap = <T>(value: T): T => {
    if (typeof value !== "object" || value === null) return value;
    if (!seen.has(value)) {
      seen.set(
        value,
        new Proxy(value, {
          get: (target, key, receiver) => (reads.count++, wrap(Reflect.get(target, key, receiver))),
          ownKeys: (target) => {
            const keys = Reflect.ownKeys(target);
            reads.count += keys.length;
            return keys;
          },
        }),
      );
    }
    return seen.get(value) as T;
  };
  return { value: wrap(file), reads };
}

function nodesIn(value: JsonValue): number {
  if (Array.isArray(value)) return value.reduce<number>((sum, one) => sum + nodesIn(one), 1);
  return isJsonObject(value) ? Object.values(value).reduce<number>((sum, one) => sum + nodesIn(one), 1) : 1;
}

/** The file with `canary` in place of one of its texts, and as a key beside one, for each of them. */
function* withCanary(file: JsonValue, canary: string): Generator<JsonValue> {
  if (typeof file === "string") yield canary;
  if (Array.isArray(file)) {
    for (const [at, member] of file.entries()) {
      for (const spoiled of withCanary(member, canary)) yield file.with(at, spoiled);
    }
  } else if (isJsonObject(file)) {
    yield { ...file, [canary]: 1 };
    for (const [key, member] of Object.entries(file)) {
      for (const spoiled of withCanary(member, canary)) yield { ...file, [key]: spoiled };
    }
  }
}

Deno.test("checkFramedTool() answers where an example makes any size of a request, and holds all examples together to one", () => {
  const { auth: _, ...withoutAuth } = quickStart;
  const made = (request: JsonObject, examples: readonly JsonObject[]) =>
    problemsOf({
      ...withoutAuth,
      access: "write",
      request: { method: "POST", url: "https://ledger.example/api", ...request },
      arguments: { type: "object", properties: { a: { type: ["string", "array"] } } },
      fixtures: examples.map((example) => ({ example, response: {} })),
    });
  const long = { a: "x".repeat(60_000) };
  for (
    const [request, part] of [
      [{ query: { q: "{a}".repeat(20_000) } }, "address of the request longer than 8,192"],
      [{ headers: { "X-A": "{a}".repeat(20_000) } }, "headers of the request together longer than 32,768"],
      [{ body: { q: "{a}".repeat(20_000) } }, "body of the request longer than 1,048,576"],
      [
        { body_format: "form", body: { q: "{a}".repeat(20_000) } },
        "body of the request longer than 1,048,576",
      ],
    ] as const
  ) {
    assertEquals(made(request, [long]), [
      `fixtures[0].example.a: makes the ${part} characters; shorter values are wanted`,
    ]);
  }
  const many = Array.from({ length: 400 }, (_, at) => ({ a: `${at}`.padEnd(600, "x") }));
  const told = made({ body: { q: "{a}".repeat(1_600) } }, many);
  assert(told.length < 10, told.join("\n"));
  assertEquals(
    told.at(-1),
    "fixtures: too many for requests and rules as long as these; fewer fixtures, or shorter ones are wanted",
  );
});
