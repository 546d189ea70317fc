/** How PostgreSQL runs what a store asks: for tests that hold a page to what it shows. */

import type postgres from "postgres";

/** A step of a plan, as `explain (analyze, format json)` tells it. */
export interface PlanNode {
  readonly "Node Type": string;
  readonly "Relation Name"?: string;
  readonly "Index Name"?: string;
  readonly "Actual Rows": number;
  readonly "Actual Loops": number;
  readonly "Rows Removed by Filter"?: number;
  readonly Plans?: readonly PlanNode[];
}

/** The step and all below it. */
export function nodesOf(plan: PlanNode): PlanNode[] {
  return [plan, ...(plan.Plans ?? []).flatMap(nodesOf)];
}

/** The same transaction, which explains each statement instead of answering it. */
export function explaining(tx: postgres.TransactionSql, plans: PlanNode[]): postgres.TransactionSql {
  return ((strings: TemplateStringsArray, ...values: never[]) => {
    if (!/^\s*select /.test(strings[0]!)) return tx(strings, ...values);
    const parts = [`explain (analyze, format json) ${strings[0]}`, ...strings.slice(1)];
    const explain = Object.assign(parts, { raw: parts });
    return tx(explain as unknown as TemplateStringsArray, ...values).then((rows) => {
      plans.push(rows[0]!["QUERY PLAN"][0].Plan);
      return Array(plans.at(-1)!["Actual Rows"]).fill({});
    });
  }) as unknown as postgres.TransactionSql;
}

/** The most rows that one node of the plan took up over all its loops. */
export function mostRows(nodes: readonly PlanNode[]): number {
  return Math.max(
    ...nodes.map((node) =>
      (node["Actual Rows"] + (node["Rows Removed by Filter"] ?? 0)) * node["Actual Loops"]
    ),
  );
}
