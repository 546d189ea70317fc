/** What a keyword is to the evaluation: one function. Pure. */

import type { JsonValue } from "../json.ts";
import type { SchemaNode } from "./node.ts";
import type { Place, Run, Seen } from "./run.ts";

/** What a rule is asked about, beside the value. */
export interface Subject {
  readonly node: SchemaNode;
  readonly place: Place | null;
  readonly run: Run;
  /** Where members a keyword has had a say about are noted, when anyone will ask. */
  readonly seen: Seen | null;
  /** `evaluate()` of evaluate.ts, handed down because a rule is below what calls it. */
  readonly evaluate: (
    node: SchemaNode,
    value: JsonValue,
    at: { place: Place | null; run: Run; seen: Seen | null },
  ) => boolean;
}

/** Whether `value` passes a keyword of the node; has told the run when it does not, and spent what it cost. */
export type Rule<V extends JsonValue = JsonValue> = (value: V, subject: Subject) => boolean;

/** The rule, with the keywords any one of which brings it in. */
export type KeywordRules<V extends JsonValue = JsonValue> =
  readonly (readonly [readonly string[], Rule<V>])[];

/** The number that `keyword` of the node holds, `otherwise` without it. */
export function numberOf({ node }: Subject, keyword: string, otherwise: number): number {
  return Object.hasOwn(node.schema, keyword) ? (node.schema[keyword] as number) : otherwise;
}
