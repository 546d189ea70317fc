/**
 * Reads a TypeScript source into the facts the rules judge: its imports, the globals it names, its opening comment
 * and its length. Leaves every judgement to the rules. Pure.
 */

import { parse } from "@babel/parser";

/** One import of a file: static, re-export, dynamic or in a type position. */
export interface ImportFact {
  /** As written; `null` for a dynamic import whose specifier is computed. */
  readonly specifier: string | null;
  /** The names taken; `*` for a namespace, a re-export of all and a dynamic import; empty for a side effect. */
  readonly names: readonly string[];
  /** Leaves nothing behind when the types are stripped. */
  readonly typeOnly: boolean;
  readonly line: number;
}

/** One use of a name the file does not declare: `fetch`, `Deno.readFile`, `Date.now`, `new Date()`, `Date()`. */
export interface GlobalFact {
  readonly name: string;
  readonly line: number;
}

export interface SourceFacts {
  readonly imports: readonly ImportFact[];
  readonly globals: readonly GlobalFact[];
  /** The text of the comments the file opens with, empty without one. */
  readonly opening: string;
  readonly lines: number;
}

/** As much of a syntax node as is read here; its other members are looked at by name. */
interface Node {
  readonly type: string;
  readonly loc: { readonly start: { readonly line: number } };
  readonly [member: string]: unknown;
}

/** Where a node hangs. */
interface Place {
  readonly parent: Node | null;
  readonly member: string;
  readonly inType: boolean;
}

interface Collected {
  readonly imports: ImportFact[];
  readonly globals: GlobalFact[];
  readonly declared: Set<string>;
}

/** Type nodes around an expression that stays when the types are stripped. */
const TYPED_EXPRESSIONS = new Set([
  "TSAsExpression",
  "TSSatisfiesExpression",
  "TSNonNullExpression",
  "TSTypeAssertion",
  "TSInstantiationExpression",
  "TSParameterProperty",
  "TSEnumDeclaration",
  "TSEnumBody",
  "TSEnumMember",
]);

/**
 * The facts of one source. A name that is declared anywhere in the file is never counted as a global: the rules
 * guard against a slip, not against an author who hides one. Throws a `SyntaxError` for what does not parse.
 */
export function readSourceFacts(source: string, { jsx = false }: { jsx?: boolean } = {}): SourceFacts {
  const file = parse(source, { sourceType: "module", plugins: jsx ? ["typescript", "jsx"] : ["typescript"] });
  const collected: Collected = { imports: [], globals: [], declared: new Set() };
  visit(file.program as unknown as Node, { parent: null, member: "", inType: false }, collected);
  return {
    imports: collected.imports,
    globals: collected.globals.filter(({ name }) =>
      !collected.declared.has(/^(?:new )?(\w+)/.exec(name)?.[1] ?? "")
    ),
    opening: openingOf(source, file.comments ?? []),
    lines: source.split("\n").length - (source.endsWith("\n") ? 1 : 0),
  };
}

function openingOf(
  source: string,
  comments: readonly { start?: number | null; end?: number | null; value: string }[],
) {
  const opening: string[] = [];
  let end = /^#!.*/.exec(source)?.[0].length ?? 0;
  for (const comment of comments) {
    if (source.slice(end, comment.start ?? 0).trim() !== "") break;
    opening.push(comment.value);
    end = comment.end ?? 0;
  }
  return opening.join("\n").trim();
}

function visit(node: Node, place: Place, collected: Collected): void {
  collectImport(node, collected);
  if (!place.inType) {
    collectDeclared(node, collected.declared);
    collectGlobal(node, place, collected.globals);
  }
  const inType = place.inType || (node.type.startsWith("TS") && !TYPED_EXPRESSIONS.has(node.type));
  for (const [member, value] of Object.entries(node)) {
    for (const child of Array.isArray(value) ? value : [value]) {
      if (isNode(child)) visit(child, { parent: node, member, inType }, collected);
    }
  }
}

function isNode(value: unknown): value is Node {
  return typeof value === "object" && value !== null && typeof (value as Node).type === "string" &&
    (value as Node).loc !== undefined;
}

function collectImport(node: Node, { imports }: Collected): void {
  const line = node.loc.start.line;
  switch (node.type) {
    case "ImportDeclaration":
    case "ExportNamedDeclaration": {
      if (!isNode(node.source)) return;
      const specifiers = node.specifiers as Node[];
      const kinds = [
        node.importKind ?? node.exportKind,
        ...specifiers.map((one) => one.importKind ?? one.exportKind),
      ];
      const typeOnly = kinds[0] === "type" ||
        (specifiers.length > 0 && kinds.slice(1).every((kind) => kind === "type"));
      imports.push({ specifier: textOf(node.source), names: specifiers.map(takenName), typeOnly, line });
      return;
    }
    case "ExportAllDeclaration":
      imports.push({
        specifier: textOf(node.source),
        names: ["*"],
        typeOnly: node.exportKind === "type",
        line,
      });
      return;
    case "ImportExpression":
      imports.push({ specifier: textOf(node.source), names: ["*"], typeOnly: false, line });
      return;
    case "TSImportType":
      imports.push({ specifier: textOf(node.source), names: ["*"], typeOnly: true, line });
      return;
  }
}

/** The name a specifier takes from the other file. */
function takenName(specifier: Node): string {
  if (specifier.type === "ImportDefaultSpecifier") return "default";
  const name = specifier.type === "ImportSpecifier" ? specifier.imported : specifier.local;
  if (specifier.type === "ImportNamespaceSpecifier" || specifier.type === "ExportNamespaceSpecifier") {
    return "*";
  }
  return isNode(name) ? String(name.name ?? name.value) : "*";
}

function textOf(source: unknown): string | null {
  return isNode(source) && source.type === "StringLiteral" ? String(source.value) : null;
}

function collectDeclared(node: Node, declared: Set<string>): void {
  switch (node.type) {
    case "VariableDeclarator":
    case "ClassDeclaration":
    case "ClassExpression":
    case "TSEnumDeclaration":
      addNames(node.id, declared);
      return;
    case "ImportSpecifier":
    case "ImportDefaultSpecifier":
    case "ImportNamespaceSpecifier":
      addNames(node.local, declared);
      return;
    case "CatchClause":
      addNames(node.param, declared);
      return;
  }
  if (Array.isArray(node.params)) {
    for (const param of [node.id, ...node.params]) {
      addNames(param, declared);
    }
  }
}

/** Adds every name a pattern binds. */
function addNames(pattern: unknown, declared: Set<string>): void {
  if (!isNode(pattern)) return;
  if (pattern.type === "Identifier") declared.add(String(pattern.name));
  for (const member of ["left", "argument", "parameter"]) addNames(pattern[member], declared);
  for (const element of (pattern.elements ?? []) as unknown[]) addNames(element, declared);
  for (const property of (pattern.properties ?? []) as Node[]) addNames(property.value ?? property, declared);
}

function collectGlobal(node: Node, { parent, member }: Place, globals: GlobalFact[]): void {
  if (node.type !== "Identifier" || parent === null || isOnlyName(parent, member)) return;
  const line = node.loc.start.line;
  const name = String(node.name);
  const isCallee = member === "callee" && (parent.arguments as unknown[]).length === 0;
  if (member === "object" && /MemberExpression$/.test(parent.type)) {
    const property = parent.property as Node;
    const key = parent.computed ? textOf(property) : String(property.name);
    globals.push({ name: key === null ? name : `${name}.${key}`, line });
  } else if (isCallee) {
    globals.push({ name: parent.type === "NewExpression" ? `new ${name}()` : `${name}()`, line });
  } else {
    globals.push({ name, line });
  }
}

/** Whether an identifier under `member` of `parent` is the name of a member and not a reference. */
function isOnlyName(parent: Node, member: string): boolean {
  if (member === "key" || member === "property") return parent.computed !== true;
  if (member === "id") return parent.type === "TSEnumMember";
  return member === "label" ||
    /^(?:Import|Export)\w*Specifier$|^ImportAttribute$|^MetaProperty$/.test(parent.type);
}
