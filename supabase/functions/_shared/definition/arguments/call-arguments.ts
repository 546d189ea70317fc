/** The arguments of one call against the schema of their tool: what is declared, then what each has to be. Pure. */

import { isJsonObject, type JsonObject, type JsonValue } from "../json.ts";
import type { Path, Problem } from "../problem.ts";
import { evaluate } from "./evaluate.ts";
import { findObstacle, MAX_STEPS, MAX_VALUE_BYTES, MAX_VALUE_LEVELS } from "./limits.ts";
import { alwaysApplied, everApplied, type SchemaNode } from "./node.ts";
import { checkMembers, checkNames, namesOf, unknownArgument } from "./object-rules.ts";
import type { Subject } from "./rule.ts";
import { memberPlace, Run, type StepBudget } from "./run.ts";
import { count, kindOf } from "../words.ts";

/** The root of a schema that was read without problems, and what calls ask of it again and again. */
export class CallArguments {
  readonly names: ReadonlySet<string>;
  readonly required: ReadonlySet<string>;
  readonly open: boolean;
  readonly #root: SchemaNode;
  readonly #always: readonly SchemaNode[];
  readonly #ever: readonly SchemaNode[];

  constructor(root: SchemaNode) {
    this.#root = root;
    this.#always = alwaysApplied(root);
    this.#ever = everApplied(root);
    this.names = namesOf(this.#ever);
    this.required = new Set(this.#always.flatMap(({ schema }) => (schema.required ?? []) as string[]));
    this.open = root.schema.additionalProperties === true;
  }

  /** The problems with `args` below `path`, and the steps it took to find them, which `budget` pays. */
  check(
    args: JsonValue,
    { path, partial, budget = { left: MAX_STEPS } }: { path: Path; partial: boolean; budget?: StepBudget },
  ): { problems: Problem[]; steps: number } {
    const unfit = this.#findUnfit(args);
    if (unfit !== null) return { problems: [{ path: [...path, ...unfit.path], says: unfit.says }], steps: 0 };
    const run = new Run(Math.min(MAX_STEPS, budget.left));
    const undeclared = this.#tellUndeclared(args as JsonObject, run);
    if (partial) this.#checkEach(args as JsonObject, run);
    else evaluate(this.#root, args, { place: null, run, seen: null });
    // A root that says `additionalProperties: false` finds the same names again.
    const problems = run.problems(path).filter((problem, index) =>
      index < undeclared.size || problem.path.length !== path.length + 1 ||
      !undeclared.has(problem.path[path.length] as string)
    );
    budget.left = Math.max(0, budget.left - run.steps);
    return { problems, steps: run.steps };
  }

  /** What no schema is asked about: no object at all, too large, too deep, a key that could mean a prototype. */
  #findUnfit(args: JsonValue): Problem | null {
    if (!isJsonObject(args)) {
      return { path: [], says: `found ${kindOf(args)}; an object, the arguments by name, is wanted` };
    }
    const obstacle = findObstacle(args, { maxBytes: MAX_VALUE_BYTES, maxLevels: MAX_VALUE_LEVELS });
    if (obstacle === null) return null;
    switch (obstacle.kind) {
      case "bytes":
        return { path: [], says: `are more than ${count(MAX_VALUE_BYTES, "byte")}; send less` };
      case "levels":
        // The whole path would be as deep as what it complains about.
        return {
          path: obstacle.path.slice(0, 1),
          says: `is nested more than ${MAX_VALUE_LEVELS} levels deep; make it flatter`,
        };
      case "__proto__":
        return { path: obstacle.path, says: "has a key `__proto__`, which is never taken" };
      case "no JSON":
        return { path: obstacle.path, says: "is not a value of JSON" };
      default:
        return obstacle satisfies never;
    }
  }

  #tellUndeclared(args: JsonObject, run: Run): ReadonlySet<string> {
    const undeclared = new Set<string>();
    if (this.open) return undeclared;
    for (const name of Object.keys(args)) {
      if (this.#isDeclared(name, run)) continue;
      if (run.over) break;
      undeclared.add(name);
      run.say(
        memberPlace(null, name),
        () => unknownArgument(name, { names: this.names, run }),
      );
    }
    return undeclared;
  }

  /** By its name, by a pattern its name matches, or by a schema that the root holds for all others. */
  #isDeclared(name: string, run: Run): boolean {
    if (!run.spend(1)) return false;
    const rest = this.#root.one.get("additionalProperties");
    if (this.names.has(name) || (rest !== undefined && !rest.never)) return true;
    return this.#ever.some(({ named, patterns }) =>
      [...named.get("patternProperties")?.keys() ?? []].some((source) => {
        const pattern = patterns.get(source)!;
        return run.spend(pattern.stepsFor(name)) && pattern.matches(name);
      })
    );
  }

  /** Each given argument by itself, against what always applies to it. */
  #checkEach(args: JsonObject, run: Run): void {
    for (const node of this.#always) {
      const subject: Subject = { node, place: null, run, seen: null, evaluate };
      checkMembers(args, subject);
      if (node.one.has("propertyNames")) checkNames(args, subject);
    }
  }
}
