import { Buffer } from "node:buffer";
import fc from "fast-check";
import { assert, assertEquals, assertStrictEquals } from "@std/assert";
import { assertLinear } from "../../../../scripts/testing/linear.ts";
import { createRedactor } from "./redact.ts";

const CREDENTIAL = 'canary/8+7="q\\z" é—&%41\n-and-a-tail_x~9';
const SHORT = "s3cr/t+é";

/** Ways to write a text so that it can be read back, each with its reading. */
const ESCAPES: Record<string, { write: (text: string) => string; read: (text: string) => string }> = {
  "as it is": { write: (text) => text, read: (text) => text },
  "encodeURIComponent": { write: encodeURIComponent, read: readPercent },
  "percent, lower case": {
    write: (text) => encodeURIComponent(text).replace(/%../g, (hex) => hex.toLowerCase()),
    read: readPercent,
  },
  "percent, every byte": {
    write: (text) => Buffer.from(text).toString("hex").replace(/../g, "%$&"),
    read: readPercent,
  },
  "form": {
    write: (text) => new URLSearchParams({ "": text }).toString().slice(1),
    read: (text) => readPercent(text.replaceAll("+", " ")),
  },
  "JSON": { write: (text) => JSON.stringify(text).slice(1, -1), read: readJson },
  "JSON, ASCII only, slashes escaped": {
    write: (text) =>
      JSON.stringify(text).slice(1, -1).replaceAll("/", "\\/")
        .replace(/[\u007f-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`),
    read: readJson,
  },
  "JSON, every unit": {
    write: (text) =>
      text.replace(/[^]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0").toUpperCase()}`),
    read: readJson,
  },
  "HTML": {
    write: (text) =>
      text.replace(
        /[&<>"']/g,
        (char) => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" })[char] ?? "&#39;",
      ),
    read: readHtml,
  },
  "HTML, every character": {
    write: (text) => [...text].map((char) => `&#x${char.codePointAt(0)!.toString(16)};`).join(""),
    read: readHtml,
  },
};

/** Encodings of bytes, each with all that a remaining piece of it may say. */
const ENCODINGS: Record<string, { write: (text: string) => string; read: (piece: string) => string[] }> = {
  "base64": { write: (text) => Buffer.from(text).toString("base64"), read: readBase64 },
  "base64url": { write: (text) => Buffer.from(text).toString("base64url"), read: readBase64 },
  "hex": { write: (text) => Buffer.from(text).toString("hex"), read: readHex },
  "HEX": { write: (text) => Buffer.from(text).toString("hex").toUpperCase(), read: readHex },
};

const textAround = fc.string({ unit: "binary", maxLength: 40 });
const anyCredential = fc.oneof(
  fc.string({ unit: "binary", minLength: 8, maxLength: 120 }),
  fc.string({ unit: "grapheme-ascii", minLength: 8, maxLength: 60 }),
  fc.base64String({ minLength: 8, maxLength: 120 }),
  fc.array(fc.constantFrom("%41", "\\n", "&amp;", '"', "\\u0041", "a", " ", "+"), {
    minLength: 8,
    maxLength: 40,
  })
    .map((parts) => parts.join("")),
).filter((value) => Buffer.byteLength(value) >= 8);

Deno.test("text() leaves no run of a credential, whatever escapes it and whatever stands around it", () => {
  for (const [name, { write, read }] of Object.entries(ESCAPES)) {
    fc.assert(
      fc.property(anyCredential, textAround, textAround, (credential, before, after) => {
        const redacted = createRedactor([credential]).text(write(before + credential + after));
        assert(!holdsRun(read(redacted), credential), `${name}: ${JSON.stringify(redacted)}`);
      }),
      { numRuns: 150 },
    );
  }
});

Deno.test("text() leaves no run of a credential in base64 or hex at any alignment", () => {
  for (const [name, { write, read }] of Object.entries(ENCODINGS)) {
    fc.assert(
      fc.property(anyCredential, textAround, textAround, (credential, before, after) => {
        const redacted = createRedactor([credential]).text(write(before + credential + after));
        for (const piece of redacted.split(/[*~!|^]{3}/)) {
          for (const said of read(piece)) assert(!holdsRun(said, credential), `${name}: ${redacted}`);
        }
      }),
      { numRuns: 150 },
    );
  }
});

Deno.test("text() finds an escape around an escape or an encoding", () => {
  const redactor = createRedactor([CREDENTIAL]);
  const writers = [...Object.values(ESCAPES), ...Object.values(ENCODINGS)].map(({ write }) => write);
  const outer = ["encodeURIComponent", "form", "JSON", "JSON, ASCII only, slashes escaped", "HTML"];
  for (const name of outer) {
    for (const write of writers) {
      const text = ESCAPES[name]!.write(`a ${write(CREDENTIAL)} b`);
      const redacted = redactor.text(text);
      assert(redacted.includes("***"), `${name}: ${text}`);
      assert(!/canary|tail/.test(redacted), `${name}: ${text} became ${redacted}`);
    }
  }
});

Deno.test("text() reads each kind of escape by itself too", () => {
  // What stands before makes another escape of its first character, which is none where the text came from.
  assertEquals(createRedactor(['1"bc"ef"h']).text(String.raw`{"a":"%41\"bc\"ef\"h"}`), '{"a":"***"}');
  assertEquals(createRedactor(["nbc/ef/gh"]).text(String.raw`q=\nbc%2Fef%2Fgh`), "q=***");
});

Deno.test("text() takes out any run of 20 characters and keeps one of 19", () => {
  const credential = "abcdefghijklmnopqrstuvwxyz0123456789";
  const redactor = createRedactor([credential]);
  for (let from = 0; from + 20 <= credential.length; from++) {
    assertEquals(redactor.text(`(${credential.slice(from, from + 20)})`), "(***)");
    assertEquals(
      redactor.text(`(${credential.slice(from, from + 19)})`),
      `(${credential.slice(from, from + 19)})`,
    );
  }
});

Deno.test("text() takes out a run of 20 characters of a long credential when the text is nothing else", () => {
  const credential = Array.from({ length: 40 }, (_, index) => `p${index}`).join("-");
  const redactor = createRedactor([credential]);
  assertEquals(redactor.text(credential.slice(7, 27)), "***");
  assertEquals(redactor.text(credential.slice(7, 26)), credential.slice(7, 26));
});

Deno.test("text() changes nothing but the credential", () => {
  const redactor = createRedactor([CREDENTIAL, SHORT, "", "ab"]);
  assertEquals(redactor.text(`\ufeffé ${SHORT}${SHORT} %zz \\ & é`), "\ufeffé *** %zz \\ & é");
  assertEquals(redactor.text(`{"a":"\\n${CREDENTIAL.slice(0, 22)}"}`), `{"a":"\\n***"}`);
  assertEquals(redactor.text("cab"), "c***");
  for (const text of ["", "%", "\\", "&", "\ud800 lone", "\\u00", "%4", "&#;", "&#x110000;", "plain"]) {
    assertEquals(redactor.text(text), text);
  }
  assertEquals(createRedactor([]).text(`${CREDENTIAL} \\n %41`), `${CREDENTIAL} \\n %41`);
});

Deno.test("text() never cuts an escape in two", () => {
  assertEquals(createRedactor(["nine-letters"]).text(String.raw`"\nine-letters"`), '"***"');
  assertEquals(createRedactor(["1-and-the-rest"]).text("x=%41-and-the-rest"), "x=***");
});

Deno.test("text() is idempotent, also for a credential that looks like a marker", () => {
  const markers = fc.array(fc.constantFrom("*", "**", "~", "!", "a", "***"), { minLength: 8, maxLength: 30 });
  fc.assert(
    fc.property(
      fc.oneof(anyCredential, markers.map((parts) => parts.join(""))),
      textAround,
      (credential, around) => {
        const redactor = createRedactor([credential]);
        const once = redactor.text(around + credential + around + JSON.stringify(credential) + around);
        assertEquals(redactor.text(once), once);
      },
    ),
    { numRuns: 300 },
  );
});

Deno.test("json() redacts strings, keys and numbers at any depth and keeps the rest", () => {
  const redactor = createRedactor([CREDENTIAL, "1234567890123"]);
  assertEquals(
    redactor.json({
      rows: [{ id: 7, note: `is ${CREDENTIAL}`, ok: true, none: null }, [1234567890123, 12345]],
      [`${CREDENTIAL}!`]: "key",
      __proto__x: "x",
    }),
    {
      rows: [{ id: 7, note: "is ***", ok: true, none: null }, ["***", 12345]],
      "***!": "key",
      __proto__x: "x",
    },
  );
  const hostile = JSON.parse('{"__proto__": {"a": 1}}');
  assertEquals(JSON.stringify(redactor.json(hostile)), '{"__proto__":{"a":1}}');
});

Deno.test("json() copies nothing of a value that holds no credential, and no part that holds none of one that does", () => {
  const redactor = createRedactor([CREDENTIAL]);
  const clean = { rows: [{ id: 7, tags: ["a", { deep: null }] }], next: "x" };
  assertStrictEquals(redactor.json(clean), clean);
  const told = { first: clean, note: CREDENTIAL, last: [clean, CREDENTIAL] };
  const redacted = redactor.json(told) as typeof told;
  assertEquals(redacted, { first: clean, note: "***", last: [clean, "***"] });
  assertStrictEquals(redacted.first, clean);
  assertStrictEquals(redacted.last[0], clean);
  assertEquals(told.note, CREDENTIAL, "what was given stays as it was");
});

Deno.test("text() takes out as many credentials as five megabytes hold, in every reading of them", () => {
  const [pair, many] = [`${CREDENTIAL},`, Math.floor(5 * 1024 * 1024 / (CREDENTIAL.length + 1))];
  const text = `%41\\u0042&amp;${pair.repeat(many)}`;
  assertEquals(createRedactor([CREDENTIAL]).text(text) === `%41\\u0042&amp;${"***,".repeat(many)}`, true);
});

Deno.test("text() stays linear where text and credential are made to slow it down", () => {
  const table: [name: string, credential: string, textOf: (size: number) => string][] = [
    ["nothing but matches", "a".repeat(16 * 1024), (size) => "a".repeat(size)],
    ["nearly matches", "a".repeat(19) + "b", (size) => "a".repeat(size)],
    ["many escapes", CREDENTIAL, (size) => "%41\\u0042&#67;".repeat(size / 16)],
    ["lone marks", CREDENTIAL, (size) => "&\\%".repeat(size / 4)],
  ];
  for (const [name, credential, textOf] of table) {
    assertLinear(name, 5 * 1024 * 1024, (size) => {
      const text = textOf(size);
      return () => createRedactor([credential]).text(text);
    });
  }
});

/** Whether 20 characters of the credential in a row, or all of a shorter one, stand in the text. */
function holdsRun(text: string, credential: string): boolean {
  if (credential.length < 20) return text.includes(credential);
  for (let at = 0; at + 20 <= credential.length; at++) {
    if (text.includes(credential.slice(at, at + 20))) return true;
  }
  return false;
}

function readPercent(text: string): string {
  const bytes: number[] = [];
  for (const part of text.match(/%[0-9a-f]{2}|[^]/giu) ?? []) {
    if (part.length === 3) bytes.push(parseInt(part.slice(1), 16));
    else bytes.push(...Buffer.from(part));
  }
  return Buffer.from(bytes).toString();
}

function readJson(text: string): string {
  return JSON.parse(`"${text}"`);
}

function readHtml(text: string): string {
  const names: Record<string, string> = { amp: "&", lt: "<", gt: ">", quot: '"' };
  return text.replace(
    /&(?:#x([0-9a-f]+)|#(\d+)|(\w+));/g,
    (_, hex, decimal, name) => names[name] ?? String.fromCodePoint(hex ? parseInt(hex, 16) : Number(decimal)),
  );
}

function readBase64(piece: string): string[] {
  const letters = piece.replaceAll("-", "+").replaceAll("_", "/").replaceAll("=", "");
  return [0, 1, 2, 3].map((skip) => {
    const rest = letters.slice(skip);
    return Buffer.from(rest.slice(0, rest.length - rest.length % 4), "base64").toString();
  });
}

function readHex(piece: string): string[] {
  return [0, 1].map((skip) => Buffer.from(piece.slice(skip), "hex").toString());
}
