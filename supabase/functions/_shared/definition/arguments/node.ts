/** A schema once it has been read: the tree that `evaluate.ts` walks. Pure. */

import type { JsonObject } from "../json.ts";
import type { Path } from "../problem.ts";
import type { Pattern } from "./pattern.ts";
import type { Rule } from "./rule.ts";
import type { TypeName } from "../words.ts";

/**
 * One subschema. Keywords that hold plain values are read from `schema`; what holds subschemas, names or regular
 * expressions is here in the form 2020-12 has for it, whatever the dialect it was written in.
 */
export interface SchemaNode {
  /** Where the subschema stands in the file. */
  readonly path: Path;
  /** The subschema as written; empty for `true` and `false`. */
  readonly schema: JsonObject;
  /** The subschema is `false`: no value is taken. */
  readonly never: boolean;
  readonly types: ReadonlySet<TypeName>;
  /** Canonical forms of what `const` and `enum` let pass; `null` without them. */
  allowed: { readonly const?: string; readonly enum?: ReadonlySet<string> } | null;
  readonly one: Map<string, SchemaNode>;
  readonly many: Map<string, SchemaNode[]>;
  readonly named: Map<string, Map<string, SchemaNode>>;
  /** By the name that is there, the names that then have to be there too. */
  readonly requires: Map<string, readonly string[]>;
  /** By source, `pattern` and the names of `patternProperties`. */
  readonly patterns: Map<string, Pattern>;
  /** What `$ref` names. */
  target: SchemaNode | null;
  /** The rules of its keywords, once it has been evaluated. */
  rules: readonly Rule[] | null;
}

/** The subschemas directly inside of `node` that are evaluated, its reference included. */
export function childrenOf(node: SchemaNode): SchemaNode[] {
  const children = [...node.one.values()];
  for (const list of node.many.values()) children.push(...list);
  for (const [keyword, map] of node.named) {
    if (keyword !== "$defs" && keyword !== "definitions") children.push(...map.values());
  }
  if (node.target !== null) children.push(node.target);
  return children;
}

/** `node` and what always applies to the very same value: its reference and `allOf`, and theirs. */
export function alwaysApplied(node: SchemaNode): SchemaNode[] {
  const found = new Set([node]);
  // A set is walked in the order of insertion, what is added on the way included.
  for (const { target, many } of found) {
    if (target !== null) found.add(target);
    for (const each of many.get("allOf") ?? []) found.add(each);
  }
  return [...found];
}

/** `node` and everything that may say something about the very same value when it is taken; `not` says nothing. */
export function everApplied(node: SchemaNode): SchemaNode[] {
  const found = new Set([node]);
  for (const { target, one, many, named } of found) {
    if (target !== null) found.add(target);
    for (const keyword of ["allOf", "anyOf", "oneOf"]) {
      for (const each of many.get(keyword) ?? []) found.add(each);
    }
    for (const keyword of ["if", "then", "else"]) {
      const each = one.get(keyword);
      if (each !== undefined) found.add(each);
    }
    for (const each of named.get("dependentSchemas")?.values() ?? []) found.add(each);
  }
  return [...found];
}
