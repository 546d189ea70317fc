/**
 * Reads a schema: checks it against what the dialect's meta-schema and our limits ask, all problems in one pass, and
 * builds the tree that is evaluated. Pure. Sizes are `limits.ts`, references `references.ts`.
 */

import { canonicalJson } from "../canonical-json.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "../json.ts";
import type { Path, Problem } from "../problem.ts";
import { formatMeantBy } from "./format.ts";
import { type Dialect, dialectOf, judgeKeyword, KEYWORDS, type Shape } from "./keywords.ts";
import { MAX_PATTERN_SIZES, MAX_SCHEMA_DEPTH, MAX_SUBSCHEMAS } from "./limits.ts";
import type { SchemaNode } from "./node.ts";
import { compilePattern, measurePattern } from "./pattern.ts";
import { wrongType } from "./type-names.ts";
import { isTypeName, kindOf, quote, tell, type TypeName } from "../words.ts";

/** What reading gives: the tree, and every subschema by its JSON pointer (tokens as JSON) for references. */
export interface SchemaReading {
  readonly dialect: Dialect;
  readonly root: SchemaNode;
  readonly places: ReadonlyMap<string, SchemaNode>;
  readonly problems: Problem[];
}

/** Reads `schema`, which {@link findObstacle} let pass, at `path` of its file. Never throws; work is linear in it. */
export function readSchema(schema: JsonObject, path: Path): SchemaReading {
  const named = Object.hasOwn(schema, "$schema") ? schema.$schema : undefined;
  const dialect = (typeof named === "string" ? dialectOf(named) : null) ?? "2020-12";
  const reader = new SchemaReader(dialect);
  const root = reader.read(schema, { path, tokens: [] });
  return { dialect, root, places: reader.places, problems: reader.problems };
}

/** The key under which a place inside the schema is found again. */
export function placeKey(tokens: readonly string[]): string {
  return JSON.stringify(tokens);
}

interface Place {
  readonly path: Path;
  /** The JSON pointer from the root of the schema, unescaped. */
  readonly tokens: readonly string[];
  /** How many subschemas it stands in. */
  readonly depth?: number;
}

/** Where a keyword stands and whose it is. */
interface KeywordPlace extends Place {
  readonly keyword: string;
  readonly node: SchemaNode;
  readonly depth: number;
}

type ShapeReader = (value: JsonValue, place: KeywordPlace) => void;

class SchemaReader {
  readonly problems: Problem[] = [];
  readonly places = new Map<string, SchemaNode>();
  #subschemas = 0;
  #patternSizes = 0;

  constructor(readonly dialect: Dialect) {}

  read(schema: JsonValue, { path, tokens, depth = 0 }: Place): SchemaNode {
    const node = emptyNode(path, schema);
    this.places.set(placeKey(tokens), node);
    if (typeof schema === "boolean") return node;
    if (!isJsonObject(schema)) {
      this.#say(path, `found ${kindOf(schema)}; a schema, which is an object, true or false, is wanted`);
      return node;
    }
    for (const keyword of Object.keys(schema)) {
      const place = { path: [...path, keyword], tokens: [...tokens, keyword], keyword, node, depth };
      const wrong = judgeKeyword(keyword, this.dialect);
      if (wrong !== null) this.#say(place.path, wrong);
      const row = KEYWORDS.get(keyword);
      if (row !== undefined) this.#shapes[row.shape](schema[keyword]!, place);
    }
    return node;
  }

  readonly #shapes: Record<Shape, ShapeReader> = {
    "any value": (value, { keyword, node }) => {
      if (keyword === "const") node.allowed = { ...node.allowed, const: canonicalJson(value) };
    },
    "boolean": (value, { path }) => {
      if (typeof value !== "boolean") this.#wants(path, value, "true or false");
    },
    "count": (value, { path }) => {
      if (!Number.isInteger(value) || (value as number) < 0) {
        this.#wants(path, value, "a whole number of at least 0");
      }
    },
    "number": (value, { path, keyword }) => {
      if (typeof value === "boolean" && keyword.startsWith("exclusive")) {
        this.#say(path, `found ${value}, which is draft-04; the limit itself, a number, is wanted`);
      } else if (typeof value !== "number") this.#wants(path, value, "a number");
    },
    "positive number": (value, { path }) => {
      if (typeof value !== "number" || value <= 0) this.#wants(path, value, "a number above 0");
    },
    "text": (value, { path }) => {
      if (typeof value !== "string") this.#wants(path, value, "text");
    },
    "list": (value, { path }) => {
      if (!Array.isArray(value)) this.#wants(path, value, "a list");
    },
    "dialect": (value, place) => this.#readDialect(value, place),
    "types": (value, place) => this.#readTypes(value, place),
    "enumeration": (value, place) => this.#readEnumeration(value, place),
    "format": (value, place) => {
      if (typeof value !== "string") return this.#wants(place.path, value, "the name of a format");
      const meant = formatMeantBy(value);
      if (meant !== null) {
        this.#say(place.path, `found ${quote(value)}, which is no format; did you mean "${meant}"?`);
      }
    },
    "regular expression": (value, { path, node }) => {
      if (typeof value !== "string") return this.#wants(path, value, "a regular expression as text");
      this.#readPattern(value, { path, node });
    },
    "reference": (value, { path }) => {
      if (typeof value !== "string") {
        this.#wants(path, value, "a place inside the schema such as `#/$defs/address`");
      }
    },
    "names": (value, place) => {
      if (value === true || value === false) {
        this.#say(
          place.path,
          "found true or false, which is draft-03; name it in the list `required` one level up",
        );
      } else this.#readNames(value, place);
    },
    "names by name": (value, place) => {
      for (const [name, names] of this.#members(value, place.path, "lists of names, by name")) {
        place.node.requires.set(name, this.#readNames(names, { ...place, path: [...place.path, name] }));
      }
    },
    "schema": (value, place) => {
      const { keyword, node } = place;
      const child = this.#child(value, place);
      if (child === null) return;
      // Draft-07: beside a list `items`, `additionalItems` is what 2020-12 calls `items`; alone it says nothing.
      if (keyword !== "additionalItems") node.one.set(keyword, child);
      else if (Array.isArray(own(node.schema, "items"))) node.one.set("items", child);
    },
    "schemas": (value, place) => this.#readList(value, place, place.keyword),
    "items": (value, place) => {
      if (!Array.isArray(value)) return this.#shapes.schema(value, place);
      if (this.dialect === "draft-07") return this.#readList(value, place, "prefixItems");
      this.#say(
        place.path,
        "found a list, which is draft-07; 2020-12 says `prefixItems` for the items one by one",
      );
    },
    "schemas by name": (value, place) => {
      this.#readMap(value, place, place.keyword);
    },
    "pattern schemas": (value, place) => {
      this.#readMap(value, place, place.keyword);
      if (!isJsonObject(value)) return;
      for (const source of Object.keys(value)) {
        this.#readPattern(source, { path: [...place.path, source], node: place.node });
      }
    },
    "dependencies": (value, place) => {
      const schemas: JsonObject = {};
      for (const [name, needed] of this.#members(value, place.path, "schemas or lists of names, by name")) {
        if (Array.isArray(needed)) {
          place.node.requires.set(name, this.#readNames(needed, { ...place, path: [...place.path, name] }));
        } else schemas[name] = needed;
      }
      this.#readMap(schemas, place, "dependentSchemas");
    },
  };

  #readDialect(value: JsonValue, { path, tokens }: KeywordPlace): void {
    if (tokens.length > 1) {
      this.#say(path, "stands inside a subschema; only the schema as a whole has a `$schema`");
    } else if (typeof value !== "string" || dialectOf(value) === null) {
      this.#wants(
        path,
        value,
        '"https://json-schema.org/draft/2020-12/schema" or "http://json-schema.org/draft-07/schema#"',
      );
    }
  }

  #readTypes(value: JsonValue, { path, node }: KeywordPlace): void {
    const names = Array.isArray(value) ? value : [value];
    if (names.length === 0) this.#say(path, "found an empty list; at least one type is wanted");
    for (const [index, name] of names.entries()) {
      const at = Array.isArray(value) ? [...path, index] : path;
      if (!isTypeName(name)) this.#say(at, wrongType(name));
      else if (node.types.has(name)) this.#say(at, `names "${name}" a second time`);
      else (node.types as Set<TypeName>).add(name);
    }
  }

  #readEnumeration(value: JsonValue, { path, node }: KeywordPlace): void {
    if (!Array.isArray(value)) return this.#wants(path, value, "a list of values");
    // The meta-schema takes an empty list and one that repeats itself: both only say little.
    node.allowed = { ...node.allowed, enum: new Set(value.map(canonicalJson)) };
  }

  #readNames(value: JsonValue, { path }: Place): string[] {
    if (!Array.isArray(value)) {
      this.#wants(path, value, "a list of names");
      return [];
    }
    const names = new Set<string>();
    for (const [index, name] of value.entries()) {
      const at = [...path, index];
      if (typeof name !== "string") this.#wants(at, name, "a name as text");
      else if (name === "__proto__") this.#say(at, "names `__proto__`, which no property may be called");
      else if (names.has(name)) this.#say(at, `names ${quote(name)} a second time`);
      else names.add(name);
    }
    return [...names];
  }

  #readList(value: JsonValue, place: KeywordPlace, keyword: string): void {
    if (!Array.isArray(value) || (value.length === 0 && place.keyword !== "items")) {
      return this.#wants(place.path, value, "a list of at least one schema");
    }
    const children: SchemaNode[] = [];
    for (const [index, each] of value.entries()) {
      const child = this.#child(each, step(place, index));
      if (child === null) return;
      children.push(child);
    }
    place.node.many.set(keyword, children);
  }

  #readMap(value: JsonValue, place: KeywordPlace, keyword: string): void {
    const children = new Map<string, SchemaNode>();
    for (const [name, each] of this.#members(value, place.path, "schemas, by name")) {
      const child = this.#child(each, step(place, name));
      if (child === null) return;
      children.set(name, child);
    }
    place.node.named.set(keyword, children);
  }

  #readPattern(source: string, { path, node }: { path: Path; node: SchemaNode }): void {
    const measured = measurePattern(source);
    if ("refused" in measured) return this.#say(path, measured.refused);
    const before = this.#patternSizes;
    this.#patternSizes += measured.size;
    if (this.#patternSizes > MAX_PATTERN_SIZES) {
      if (before > MAX_PATTERN_SIZES) return;
      // None is compiled beyond that: each takes its time, and the schema is refused.
      return this.#say(
        path,
        "is where the regular expressions of this schema come to too much together; use fewer",
      );
    }
    const pattern = compilePattern(measured);
    if ("refused" in pattern) return this.#say(path, pattern.refused);
    node.patterns.set(source, pattern);
  }

  /** The subschema at `place`; `null` once there are too many, or for one that stands too deep. */
  #child(value: JsonValue, { path, tokens, depth }: KeywordPlace): SchemaNode | null {
    this.#subschemas++;
    if (this.#subschemas === MAX_SUBSCHEMAS + 1) {
      this.#say(path, `is one subschema too many; a schema has at most ${MAX_SUBSCHEMAS}`);
    }
    if (this.#subschemas > MAX_SUBSCHEMAS) return null;
    if (depth === MAX_SCHEMA_DEPTH) {
      this.#say(
        path,
        `stands in more than ${MAX_SCHEMA_DEPTH} subschemas, one inside the other; make it flatter`,
      );
      return null;
    }
    return this.read(value, { path, tokens, depth: depth + 1 });
  }

  #members(value: JsonValue, path: Path, wanted: string): [string, JsonValue][] {
    if (isJsonObject(value)) return Object.entries(value);
    this.#wants(path, value, `an object of ${wanted}`);
    return [];
  }

  #wants(path: Path, found: JsonValue, wanted: string): void {
    this.#say(path, `found ${tell(found)}; ${wanted} is wanted`);
  }

  #say(path: Path, says: string): void {
    this.problems.push({ path, says });
  }
}

function emptyNode(path: Path, schema: JsonValue): SchemaNode {
  return {
    path,
    schema: isJsonObject(schema) ? schema : {},
    never: schema === false,
    types: new Set(),
    allowed: null,
    one: new Map(),
    many: new Map(),
    named: new Map(),
    requires: new Map(),
    patterns: new Map(),
    target: null,
    rules: null,
  };
}

function own(schema: JsonObject, keyword: string): JsonValue | undefined {
  return Object.hasOwn(schema, keyword) ? schema[keyword] : undefined;
}

function step(place: KeywordPlace, key: string | number): KeywordPlace {
  return { ...place, path: [...place.path, key], tokens: [...place.tokens, String(key)] };
}
