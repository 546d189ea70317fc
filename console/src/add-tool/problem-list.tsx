/** Every problem in words, each leading to its place in the editor. */

import { type Ref, useMemo } from "react";
import { Said } from "../ui/said.tsx";
import type { PlacedProblem } from "./problem-places.ts";

export function ProblemList(
  { ref, title, text, problems, onGo }: {
    ref?: Ref<HTMLHeadingElement>;
    title: string;
    /** The text that the problems are of. */
    text: string;
    problems: readonly PlacedProblem[];
    onGo: (problem: PlacedProblem) => void;
  },
) {
  const lines = useMemo(() => lineNumbers(text, problems), [text, problems]);
  return (
    <section className="stack-tight">
      <h2 ref={ref} tabIndex={-1}>{title}</h2>
      <ol className="plain problems">
        {problems.map((problem, at) => (
          <li key={problem.line}>
            <button type="button" className="problem" onClick={() => onGo(problem)}>
              <span className="problem-line number">Line {lines[at]}</span>
              <span>
                {problem.path !== "file" && (
                  <>
                    <code>
                      <Said>{problem.path}</Said>
                    </code>
                    {": "}
                  </>
                )}
                <Said>{problem.says}</Said>
              </span>
            </button>
          </li>
        ))}
      </ol>
    </section>
  );
}

function lineNumbers(text: string, problems: readonly PlacedProblem[]): number[] {
  const breaks = [...text.matchAll(/\n/g)].map(({ index }) => index);
  return problems.map(({ from }) => {
    let [low, high] = [0, breaks.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (breaks[middle]! < from) low = middle + 1;
      else high = middle;
    }
    return low + 1;
  });
}
