import { assertEquals } from "@std/assert";
import { assertLinear } from "../../../../scripts/testing/linear.ts";
import type { RequestTool } from "../definition/format.ts";
import type { JsonObject } from "../definition/json.ts";
import { readNextPage } from "./next-page.ts";

const tool: RequestTool = {
  format: "framed-tool/1",
  slug: "contacts",
  name: "Contacts",
  description: "Contacts.",
  kind: "request",
  access: "read",
  arguments: {
    type: "object",
    properties: {
      page: { type: "integer", maximum: 50 },
      per_page: { type: "integer" },
      cursor: { type: "string" },
      tags: { type: "array", items: { type: "string" } },
      archived: { type: "boolean" },
      from: { type: "string" },
    },
  },
  request: {
    method: "GET",
    url: "https://crm.example/contacts?page[number]={page}&per_page={per_page}&archived={archived}&v=2",
    query: { after: "{cursor}", tag: "{tags}", period: "{from}..", api_key: "{{secret}}" },
  },
  fixtures: [{ response: [] }],
};
const SENT = "https://crm.example/contacts?per_page=50&v=2&api_key=S3cretS3cret";

function next(link: string | null, args: JsonObject = { per_page: 50 }) {
  return readNextPage(tool, { call: { args }, link, sentUrl: SENT });
}
const to = (query: string) => `<https://crm.example/contacts?${query}>; rel="next"`;

const PAGES: readonly [string, string | null, JsonObject | null | undefined][] = [
  ["no header", null, undefined],
  ["a header without a next", '<https://crm.example/contacts?page=1>; rel="first"', undefined],
  ["a header that is no link", "next please", undefined],
  ["an address that is none", "<https://[>; rel=next", undefined],
  ["a number as the schema takes it", to("page%5Bnumber%5D=2&per_page=50&v=2"), { per_page: 50, page: 2 }],
  ["another host and path: only the query is read", '<http://10.0.0.1/x?after=c2>; rel="next"', {
    per_page: 50,
    cursor: "c2",
  }],
  ["an address without a host", '<?after=c2>; rel="next"', { per_page: 50, cursor: "c2" }],
  ["a cursor of digits as the text the schema takes", to("after=42"), { per_page: 50, cursor: "42" }],
  ["true and false", to("archived=true"), { per_page: 50, archived: true }],
  ["a list, of one too", to("tag=a"), { per_page: 50, tags: ["a"] }],
  ["a list", to("tag=a&tag=b"), { per_page: 50, tags: ["a", "b"] }],
  ["a credential in the link: it is no argument and comes out nowhere", to("after=c&api_key=S3cretS3cret"), {
    per_page: 50,
    cursor: "c",
  }],
  ["a cursor the tool has no argument for", to("page_token=zzz"), null],
  ["a position beside one the tool has no argument for", to("page%5Bnumber%5D=2&page_token=zzz"), null],
  ["a value the schema refuses", to("page%5Bnumber%5D=51"), null],
  ["a value with NUL", to("after=%00"), null],
  ["a part of a longer text", to("period=2026.."), null],
  ["the page that was just read", to("per_page=50&v=2"), null],
  ["another size of page alone", to("per_page=100"), null],
  ["a size the tool has no argument for beside a position", to("page%5Bnumber%5D=2&limit=9"), {
    per_page: 50,
    page: 2,
  }],
];

for (const [name, link, expected] of PAGES) {
  Deno.test(`readNextPage() of ${name}`, () => assertEquals(next(link), expected));
}

Deno.test("readNextPage() finds next among links, relations and quoted commas", () => {
  const links = [
    '<https://crm.example/contacts?after=a>; rel="prev", <https://crm.example/contacts?after=b>; title="x, y"; rel="last next"',
    "<https://crm.example/contacts?after=b>;rel=NEXT",
    '<https://crm.example/a,b?after=b>; title="a \\" rel=prev"; rel = "next"; foo',
  ];
  for (const link of links) assertEquals(next(link, {}), { cursor: "b" }, link);
});

Deno.test("readNextPage() gives a text where the argument was given as one", () => {
  const open: RequestTool = { ...tool, arguments: { type: "object", properties: { cursor: {} } } };
  const of = (args: JsonObject) =>
    readNextPage(open, { call: { args }, link: to("after=42"), sentUrl: SENT });
  assertEquals([of({ cursor: "41" }), of({ cursor: 41 })], [{ cursor: "42" }, { cursor: 42 }]);
});

Deno.test("readNextPage() takes linear time on a header of nothing but links", () => {
  for (const part of ["<a>; ", "<"]) {
    assertLinear(part, 32_000, (length) => {
      const header = part.repeat(length / part.length);
      return () => assertEquals(next(header, {}), undefined);
    });
  }
});

/** A tool all of whose `names` fill a parameter, and the call of it. Tells whether the arguments were looked at. */
function countedTool(names: readonly string[]) {
  let isLookedAt = false;
  const counted: RequestTool = {
    ...tool,
    arguments: {
      type: "object",
      properties: Object.fromEntries(["looked_at", ...names].map((name) => [name, {}])),
    },
    request: {
      method: "GET",
      url: "https://crm.example/contacts",
      query: Object.fromEntries(names.map((name) => [name, `{${name}}`])),
    },
  };
  const args: JsonObject = {
    get looked_at() {
      isLookedAt = true;
      return "";
    },
  };
  return { counted, args, isLookedAt: () => isLookedAt };
}

Deno.test("readNextPage() takes ten parameters for a step to the next page, and does no work for more", () => {
  for (const [many, expected] of [[10, 10], [11, null], [800, null]] as const) {
    const names = Array.from({ length: many }, (_, at) => `p${at}`);
    const { counted, args, isLookedAt } = countedTool(names);
    const link = to(names.map((name) => `${name}=x${name}`).join("&"));
    const found = readNextPage(counted, { call: { args }, link, sentUrl: SENT });
    assertEquals(found && names.filter((name) => found[name] === `x${name}`).length, expected, `${many}`);
    assertEquals(isLookedAt(), expected !== null, `${many}`);
  }
});

Deno.test("readNextPage() holds the arguments against the schema ten times at most", () => {
  const names = Array.from({ length: 10 }, (_, at) => `p${at}`);
  const { counted, args } = countedTool(names);
  const lists: RequestTool = {
    ...counted,
    arguments: {
      type: "object",
      properties: {
        looked_at: {},
        ...Object.fromEntries(names.map((name) => [name, { type: "array" }])),
      },
    },
  };
  const of = (many: number) =>
    readNextPage(lists, {
      call: { args },
      link: to(names.slice(0, many).map((name) => `${name}=x`).join("&")),
      sentUrl: SENT,
    });
  assertEquals(of(3)?.p2, ["x"], "each is taken the third time");
  assertEquals(of(4), null);
});

Deno.test("readNextPage() takes linear time on an address of nothing but parameters", () => {
  for (const part of ["a&", "<n>&"]) {
    assertLinear(part, 32_000, (length) => {
      const query = Array.from({ length: length / 8 }, (_, at) => part.replace("<n>", at.toString(36))).join(
        "",
      );
      const sentUrl = `${SENT}&${query}`;
      const call = { args: {} };
      return () => assertEquals(readNextPage(tool, { call, link: to(query), sentUrl }), null);
    });
  }
});
