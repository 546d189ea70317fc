/** Kind `fixture`: answers from the file and nothing else. */

import { selectFixture } from "../definition/fixtures.ts";
import type { FixtureTool } from "../definition/format.ts";
import { ok, refuse } from "../outcome/result.ts";
import { endUnsent, type Execute } from "./kind.ts";

/** The answer of the fixture whose example fits the call. Reaches nothing. Refuses `not_found` where no fixture is of the operation. */
export const executeFixture: Execute<FixtureTool> = (tool, { call }) => {
  const fixture = selectFixture(tool, call);
  return Promise.resolve(
    fixture === null
      ? endUnsent(refuse("not_found", { detail: "No fixture of the file answers this operation." }))
      : {
        landing: "applied",
        answered: ok({ value: fixture.response, answersWith: "configured example" }),
      },
  );
};
