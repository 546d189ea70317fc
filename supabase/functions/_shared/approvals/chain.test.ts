import { assert, assertEquals } from "@std/assert";
import fc from "fast-check";
import type { ToolCall } from "../definition/call.ts";
import { checkFramedTool } from "../definition/check.ts";
import type { FramedTool } from "../definition/format.ts";
import type { JsonObject, JsonValue } from "../definition/json.ts";
import { FILES } from "../definition/testdata/files.ts";
import { GOOD } from "../definition/testdata/mutated.ts";
import {
  type ChainCall,
  checkLateCall,
  fillLate,
  findLateValues,
  type LateValues,
  needsAdministrator,
  withoutLateValues,
} from "./chain.ts";

function file(name: string): FramedTool {
  const checked = checkFramedTool(GOOD[FILES.valid.findIndex((one) => one.name === name)]);
  assert(checked.ok, name);
  return checked.tool;
}

const BOOK = file("ledger-book-invoice");
const SHOP = file("tenant-in-host");
const ERP = file("mcp-stricter");
const WAGE = file("sensitive-wage");
const OPEN = file("open-arguments");

const INVOICE = { invoice_number: "PI-2041", supplier: "Harbour Bakery", amount: "12.50" };
const FIRST: ChainCall = { file: BOOK, call: { args: INVOICE } };

function found(calls: readonly ChainCall[]): readonly LateValues[] {
  const late = findLateValues(calls);
  assert(late.ok, JSON.stringify(late));
  return late.value;
}

/** The late values of `call` as the second of a chain. */
function lateOf(tool: FramedTool, args: JsonObject): LateValues {
  return found([FIRST, { file: tool, call: { args } }])[1]!;
}

function refusedLines(calls: readonly ChainCall[]): readonly string[] {
  const late = findLateValues(calls);
  assert(!late.ok);
  assertEquals(late.refusal.reason, "bad_arguments");
  return late.refusal.problems!;
}

Deno.test("findLateValues() tells for each call which values come later, from which call, and where they stand", () => {
  const args = {
    ...INVOICE,
    supplier: "{{calls.0.result.contact.name}} ({{calls.1.result.id}})",
    amount: "{{calls.1.result.lines.0.total}}",
  };
  const late = found([FIRST, FIRST, { file: BOOK, call: { args } }]);
  assertEquals(late.map(({ values }) => values), [[], [], [
    { path: "supplier", call: 0, result_path: "contact.name" },
    { path: "supplier", call: 1, result_path: "id" },
    { path: "amount", call: 1, result_path: "lines.0.total" },
  ]]);
  assertEquals(late[2]!.places, [{ at: ["supplier"], whole: false }, { at: ["amount"], whole: true }]);
  const mcp = {
    action: "call",
    tool: "book",
    arguments: { company: "north", of: ["{{calls.0.result.id}}"] },
  };
  assertEquals(lateOf(ERP, mcp).values, [{ path: "arguments.of.0", call: 0, result_path: "id" }]);
});

Deno.test("findLateValues() says of every {{ that is none where it stands and what is wanted", () => {
  const wanted = "{{calls.<n>.result.<path>}} of an earlier call is wanted, with n from 0";
  const cases: [FramedTool, JsonObject, string][] = [
    [OPEN, { a: "{{result.id}}" }, `a: "{{result.id}}" is no value that a chain fills; ${wanted}`],
    [OPEN, { a: "{{secret}}" }, `a: "{{secret}}" is no value that a chain fills; ${wanted}`],
    [OPEN, { a: "{{calls.0.result}}" }, `a: "{{calls.0.result}}" is no value that a chain fills; ${wanted}`],
    [
      OPEN,
      { a: "{{calls.00.result.id}}" },
      `a: "{{calls.00.result.id}}" is no value that a chain fills; ${wanted}`,
    ],
    [
      OPEN,
      { a: "{{calls.-1.result.id}}" },
      `a: "{{calls.-1.result.id}}" is no value that a chain fills; ${wanted}`,
    ],
    [
      OPEN,
      { a: "{{calls.0.args.id}}" },
      `a: "{{calls.0.args.id}}" is no value that a chain fills; ${wanted}`,
    ],
    [OPEN, { a: "{{calls.0.result.id" }, `a: a {{ is never closed; ${wanted}`],
    [OPEN, { a: ["x", { b: "{{x}}" }] }, `a[1].b: "{{x}}" is no value that a chain fills; ${wanted}`],
    [
      OPEN,
      { "{{calls.0.result.id}}": 1 },
      '["{{calls.0.result.id}}"]: a key is never filled; values of earlier calls stand in values',
    ],
    [
      OPEN,
      { a: "{{calls.1.result.id}}" },
      'a: "{{calls.1.result.id}}" comes from no earlier call; a call from 0 to 0 is wanted',
    ],
    [
      OPEN,
      { a: "{{calls.19.result.id}}" },
      'a: "{{calls.19.result.id}}" comes from no earlier call; a call from 0 to 0 is wanted',
    ],
    [
      SHOP,
      { tenant: "{{calls.0.result.shop}}" },
      "tenant: stands in the host that is called; the host of a call is written out",
    ],
    [
      ERP,
      { action: "call", tool: "{{calls.0.result.tool}}" },
      "tool: which of the server's tools is called is written out; only its arguments may come from an earlier call",
    ],
    [
      ERP,
      { action: "call", tool: "x", arguments: "{{calls.0.result.all}}" },
      "arguments: which of the server's tools is called is written out; only its arguments may come from an earlier call",
    ],
  ];
  for (const [tool, args, line] of cases) {
    const at = line.startsWith("[") ? `calls[1].args${line}` : `calls[1].args.${line}`;
    assertEquals(refusedLines([FIRST, { file: tool, call: { args } }]), [at]);
  }
});

Deno.test("findLateValues() refuses values of a sensitive call, of the first call, and more than 200 in one", () => {
  const wage = { file: WAGE, call: { args: { employee: 7 } } };
  assertEquals(refusedLines([wage, { file: OPEN, call: { args: { a: "{{calls.0.result.wage}}" } } }]), [
    'calls[1].args.a: "{{calls.0.result.wage}}" comes from a sensitive call, whose answer goes nowhere; write the value out',
  ]);
  assertEquals(refusedLines([{ file: OPEN, call: { args: { a: "{{calls.0.result.id}}" } } }]), [
    'calls[0].args.a: "{{calls.0.result.id}}" comes from no earlier call, since this is the first; write the value out',
  ]);
  const many = (amount: number) => [FIRST, {
    file: OPEN,
    call: { args: { a: Array<string>(amount).fill("{{calls.0.result.id}}") } },
  }];
  assertEquals(found(many(200))[1]!.values.length, 200);
  assertEquals(refusedLines(many(201)), [
    "calls[1].args: hold more than 200 values of earlier calls; write some out",
  ]);
});

Deno.test("checkLateCall() tells now all that does not hang on a late value, and leaves the rest to the sending", () => {
  const cases: [FramedTool, JsonObject, string[]][] = [
    [BOOK, { ...INVOICE, amount: "{{calls.0.result.total}}" }, []],
    [BOOK, { ...INVOICE, due_on: "{{calls.0.result.due}}" }, []],
    [BOOK, { ...INVOICE, invoice_number: "PI-{{calls.0.result.n}}" }, []],
    [BOOK, { ...INVOICE, colour: "{{calls.0.result.colour}}" }, ["args.colour"]],
    [BOOK, { supplier: "{{calls.0.result.name}}", amount: 12.5 }, ["args.invoice_number", "args.amount"]],
    [SHOP, { tenant: "north", since: "{{calls.0.result.at}}" }, []],
    [SHOP, { tenant: "No Label", since: "{{calls.0.result.at}}" }, ["args.tenant"]],
    [SHOP, { since: "{{calls.0.result.at}}" }, ["args.tenant"]],
    [WAGE, { employee: "{{calls.0.result.employee}}" }, []],
    [WAGE, { employee: "E{{calls.0.result.employee}}" }, ["args.employee"]],
    [ERP, { action: "call", tool: "x", arguments: { company: "north", id: "{{calls.0.result.id}}" } }, []],
    [ERP, { action: "call", tool: "x", arguments: { company: "{{calls.0.result.id}}" } }, []],
    [ERP, { action: "call", tool: "x", arguments: { id: "{{calls.0.result.id}}" } }, [
      "args.arguments.company",
    ]],
    [ERP, { action: "run", arguments: { id: "{{calls.0.result.id}}" } }, ["args.action"]],
    [OPEN, { a: "{{calls.0.result.id}}", form: "x".repeat(64 * 1024) }, ["args"]],
    [OPEN, { a: Array<string>(200).fill(`{{calls.0.result.${"x".repeat(400)}}}`) }, ["args"]],
  ];
  for (const [tool, args, paths] of cases) {
    const checked = checkLateCall(tool, { args }, lateOf(tool, args));
    const lines = checked.ok ? [] : checked.refusal.problems ?? [checked.refusal.reason];
    assertEquals(
      lines.map((line) => line.slice(0, line.indexOf(":"))),
      paths,
      JSON.stringify(args).slice(0, 120),
    );
  }
});

Deno.test("withoutLateValues() leaves out the arguments that rules cannot look at yet", () => {
  const args = { ...INVOICE, amount: "{{calls.0.result.total}}" };
  const { amount: _, ...rest } = INVOICE;
  assertEquals(withoutLateValues(args, lateOf(BOOK, args)), rest);
  const mcp = { action: "call", tool: "x", arguments: { a: 1, b: { c: "{{calls.0.result.id}}" } } };
  assertEquals(withoutLateValues(mcp, lateOf(ERP, mcp)), { action: "call", tool: "x", arguments: { a: 1 } });
  assertEquals(withoutLateValues(INVOICE, lateOf(BOOK, INVOICE)), INVOICE);
});

Deno.test("needsAdministrator() is true once a value goes from one host's answer to another host", () => {
  const from = (call: number) => [{ path: "a", call, result_path: "id" }];
  const cases: [[string | null, number | null][], boolean][] = [
    [[["a.example", null], ["b.example", null]], false],
    [[["a.example", null], ["a.example", 0]], false],
    [[["a.example", null], ["b.example", 0]], true],
    [[["a.example", null], ["a.example:8443", 0]], true],
    [[["a.example", null], ["b.example", null], ["a.example", 0]], false],
    [[["a.example", null], ["b.example", null], ["a.example", 1]], true],
    [[[null, null], ["a.example", 0]], true],
    [[["a.example", null], [null, 0]], true],
    [[[null, null], [null, 0]], false],
    [[["a.example", 7]], true],
  ];
  for (const [calls, needed] of cases) {
    const hosts = calls.map(([host, call]) => ({ host, from_calls: call === null ? [] : from(call) }));
    assertEquals(needsAdministrator(hosts), needed, JSON.stringify(calls));
  }
});

Deno.test("fillLate() keeps types, writes texts out, fills once, and says in words what does not fit", () => {
  const answers = new Map<number, JsonValue>([
    [0, { id: 7, name: "{{calls.1.result.id}}", paid: true, none: null, lines: [{ n: 1 }, { n: 2 }] }],
    [1, { id: "second", long: "x".repeat(70_000), huge: "x".repeat(300_000) }],
  ]);
  const cases: [string, JsonObject | string[]][] = [
    ["{{calls.0.result.id}}", { a: 7 }],
    ["{{calls.0.result.paid}}", { a: true }],
    ["No {{calls.0.result.id}} of {{calls.1.result.id}}", { a: "No 7 of second" }],
    ["{{calls.0.result.name}}", { a: "{{calls.1.result.id}}" }],
    ["{{calls.0.result.lines.1.n}}", { a: 2 }],
    ["{{calls.0.result.nothing}}", ['args.a: "{{calls.0.result.nothing}}" leads to nothing']],
    [
      "{{calls.0.result.lines.n}}",
      ['args.a: "{{calls.0.result.lines.n}}" leads to several values; name the place of one, as in items.0.id'],
    ],
    [
      "{{calls.0.result.lines}}",
      ['args.a: "{{calls.0.result.lines}}" is a list; a text, a number, true or false is wanted here'],
    ],
    [
      "{{calls.0.result.none}}",
      ['args.a: "{{calls.0.result.none}}" is null; a text, a number, true or false is wanted here'],
    ],
    ["{{calls.2.result.id}}", ["args.a: the answer this comes from is not there"]],
    ["{{calls.1.result.long}}", ["args: more than 65,536 bytes as compact JSON; send less"]],
    [
      "{{calls.1.result.huge}}",
      ['args.a: "{{calls.1.result.huge}}" leads to more than one filling takes (262,144 characters); name less of it'],
    ],
  ];
  for (const [value, wanted] of cases) {
    const filled = fillLate({ a: value }, answers);
    assertEquals<unknown>(filled.ok ? filled.value : filled.refusal.problems, wanted, value);
    if (!filled.ok) assertEquals(filled.refusal.reason, "bad_arguments");
  }
});

Deno.test("checkLateCall() refuses no call that some answer would make one its tool takes", () => {
  const path = fc.constantFrom("{{calls.0.result.v}}", "PI-{{calls.0.result.v}}", "{{calls.0.result.v}}0");
  const argument = fc.oneof(
    path,
    fc.constantFrom<JsonValue>("PI-2041", "12.50", "2026-03-04", "", 7, null, [], "north"),
  );
  const answers: JsonValue[] = [
    "PI-2041",
    "2041",
    "12.50",
    "12.5",
    "2026-03-04",
    "north",
    "x",
    7,
    2041,
    true,
  ];
  let taken = 0;
  let refused = 0;
  fc.assert(
    fc.property(
      fc.constantFrom(BOOK, SHOP, WAGE, OPEN),
      fc.dictionary(
        fc.constantFrom("invoice_number", "supplier", "amount", "due_on", "since", "employee", "form"),
        argument,
        { maxKeys: 5 },
      ),
      fc.boolean(),
      (tool, some, whole) => {
        const args: JsonObject = whole && tool === BOOK
          ? { ...INVOICE, ...some }
          : { tenant: "north", ...some };
        const late = lateOf(tool, args);
        const check = (call: ToolCall, values: LateValues) => checkLateCall(tool, call, values).ok;
        if (check({ args }, late)) return void taken++;
        refused++;
        for (const v of answers) {
          const filled = fillLate(args, new Map([[0, { v }]]));
          assert(
            !filled.ok || !check({ args: filled.value }, { ...late, values: [], places: [] }),
            JSON.stringify(args),
          );
        }
      },
    ),
    { numRuns: 1_000 },
  );
  assert(taken > 20 && refused > 100, `${taken} taken, ${refused} refused`);
});
