import { assertEquals } from "@std/assert";
import fc from "fast-check";
import type { ResultFormat } from "../definition/format.ts";
import type { JsonValue } from "../definition/json.ts";
import { extractRows, minimizeAnswer } from "./rows.ts";

Deno.test("extractRows() takes the list the file names, else the answer, else its only list of objects", () => {
  const cases: [JsonValue, ResultFormat, JsonValue[] | null][] = [
    [{ data: { items: [{ a: 1 }], more: [{ b: 2 }] } }, { rows: "data.items" }, [{ a: 1 }]],
    [{ data: { items: [] } }, { rows: "data.items" }, []],
    [{ data: [{ items: [1] }] }, { rows: "data.0.items" }, [1]],
    [{ data: { items: {} } }, { rows: "data.items" }, null],
    [{ items: [{ a: 1 }] }, { rows: "data.items" }, null],
    [[{ a: 1 }], { rows: "data.items" }, null],
    [{}, { rows: "constructor.prototype" }, null],
    [[1, "two"], {}, [1, "two"]],
    [[], {}, []],
    [{ rows: [{ id: 1 }], total: 1 }, {}, [{ id: 1 }]],
    [{ rows: [] }, {}, []],
    [{ rows: [{ id: 1 }], errors: [] }, {}, [{ id: 1 }]],
    [{ rows: [{ id: 1 }], tags: ["a"] }, {}, [{ id: 1 }]],
    [{ rows: [], errors: [] }, {}, null],
    [{ rows: [{ a: 1 }], others: [{ b: 1 }] }, {}, null],
    [{ rows: [{ a: 1 }, 2] }, {}, null],
    [{ data: { rows: [{ a: 1 }] } }, {}, null],
    ["text", {}, null],
    [null, {}, null],
    [7, {}, null],
  ];
  for (const [answer, result, rows] of cases) {
    const found = extractRows(answer, result);
    assertEquals(found === null ? null : found.rows, rows, JSON.stringify([answer, result]));
  }
});

Deno.test("minimizeAnswer() lets only the fields of rows leave, where the rows were", () => {
  const contact = {
    id: "1",
    name: "Harbour Bakery",
    iban: "hidden",
    address: { city: "Gouda", street: "hidden" },
  };
  const cases: [JsonValue, ResultFormat, JsonValue][] = [
    [{ a: 1 }, {}, { a: 1 }],
    [[contact], { fields: ["id", "address.city"] }, [{ id: "1", address: { city: "Gouda" } }]],
    [[contact], { fields: ["address", "address.city"] }, [{ address: contact.address }]],
    [[contact], { fields: ["address.city", "address"] }, [{ address: contact.address }]],
    [{ data: { items: [contact], owner: "hidden" }, page: 1 }, { rows: "data.items", fields: ["id"] }, {
      data: { items: [{ id: "1" }] },
    }],
    [{ rows: [contact], owner: "hidden" }, { fields: ["name"] }, { rows: [{ name: "Harbour Bakery" }] }],
    [contact, { fields: ["name", "nothing"] }, { name: "Harbour Bakery" }],
    [contact, { rows: "data.items", fields: ["id"] }, { id: "1" }],
    [[{ lines: [{ n: 1, tax: "hidden" }, { n: 2 }, "hidden"] }], { fields: ["lines.n"] }, [{
      lines: [{ n: 1 }, { n: 2 }, null],
    }]],
    [["hidden", 7, null], { fields: ["id"] }, [null, null, null]],
    ["hidden", { fields: ["id"] }, null],
    [[{ "a.b": "hidden", a: { b: 1 } }], { fields: ["a.b"] }, [{ a: { b: 1 } }]],
  ];
  for (const [answer, result, left] of cases) {
    assertEquals(minimizeAnswer(answer, result), left, JSON.stringify([answer, result]));
  }
});

Deno.test("minimizeAnswer() lets no text leave that stands outside the fields, whatever the answer", () => {
  const key = fc.constantFrom("id", "name", "rows", "deep");
  const secret = fc.constant("HIDDEN");
  const { answer } = fc.letrec<{ answer: JsonValue }>((tie) => ({
    answer: fc.oneof(
      { maxDepth: 5 },
      secret,
      fc.array(tie("answer"), { maxLength: 3 }),
      fc.dictionary(key, tie("answer"), { maxKeys: 4 }) as fc.Arbitrary<JsonValue>,
    ),
  }));
  fc.assert(fc.property(answer, fc.constantFrom(undefined, "rows", "deep.rows", "rows.0"), (value, rows) => {
    const result = { ...(rows === undefined ? {} : { rows }), fields: ["shown", "deep.shown"] };
    assertEquals(JSON.stringify(minimizeAnswer(value, result)).includes("HIDDEN"), false);
  }));
});

Deno.test("extractRows() finds none inside one thing that was read by its id, unless the file says where", () => {
  const invoice = { id: 1, details: [{ price: "1.0", url: "hidden" }], url: "hidden" };
  assertEquals(extractRows(invoice, { single: true }), null);
  assertEquals(extractRows({ data: [invoice] }, { single: true, rows: "data" })?.rows, [invoice]);
  assertEquals(minimizeAnswer(invoice, { single: true, fields: ["id", "details.price"] }), {
    id: 1,
    details: [{ price: "1.0" }],
  });
});
