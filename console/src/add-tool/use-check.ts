/** The check as one types: a moment after the last key, in a worker, and only of what stands there then. */

import { useEffect, useMemo, useRef, useState } from "react";
import type { JsonObject } from "../../../supabase/functions/_shared/definition/json.ts";
import type { CheckAnswer, CheckQuestion } from "./check-messages.ts";
import type { Checked } from "./checked.ts";

const AFTER_MS = 200;

/** A text with what the check says of it. */
export interface CheckedText extends Checked {
  readonly text: string;
}

export interface Checking {
  /** Of the last text that was checked; null until then. */
  readonly checked: CheckedText | null;
  /** Whether that is not the text that stands there now. */
  readonly isBehind: boolean;
  /** The JSON Schema of the file; null until it is there. */
  readonly schema: JsonObject | null;
}

/** `told` are lines that the workspace told of the file. */
export function useCheck(text: string, told: readonly string[]): Checking {
  const worker = useRef<Worker | null>(null);
  const asked = useRef({ id: 0, text: "" });
  const [checked, setChecked] = useState<CheckedText | null>(null);
  const [schema, setSchema] = useState<JsonObject | null>(null);

  useEffect(() => {
    const made = new Worker(new URL("./check-worker.ts", import.meta.url), { type: "module" });
    const ask = (question: CheckQuestion) => made.postMessage(question);
    made.addEventListener("message", ({ data }: MessageEvent<CheckAnswer>) => {
      if (data.answers === "schema") setSchema(data.schema);
      else if (data.id === asked.current.id) setChecked({ ...data.checked, text: asked.current.text });
    });
    worker.current = made;
    ask({ asks: "schema" });
    return () => made.terminate();
  }, []);

  useEffect(() => {
    const timer = setTimeout(() => {
      asked.current = { id: asked.current.id + 1, text };
      worker.current?.postMessage(
        { asks: "check", id: asked.current.id, text, told } satisfies CheckQuestion,
      );
    }, AFTER_MS);
    return () => clearTimeout(timer);
  }, [text, told]);

  return useMemo(
    () => ({ checked, isBehind: checked === null || checked.text !== text, schema }),
    [checked, text, schema],
  );
}
