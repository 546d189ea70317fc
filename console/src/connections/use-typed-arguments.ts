/** What somebody types into the fields of a call, held until it can be sent. */

import { type FormEvent, useState } from "react";
import type { JsonObject } from "../../../supabase/functions/_shared/definition/json.ts";
import { type ArgumentKind, readArguments, type Typed } from "./argument-fields.ts";

export interface TypedArguments {
  /** The value of a field, what is wrong with it, and what takes another one. */
  readonly fieldProps: (field: ArgumentKind) => {
    readonly field: ArgumentKind;
    readonly value: string;
    readonly error: string | undefined;
    readonly onChange: (value: string) => void;
  };
  /** Hands on the arguments of a form that is sent, or leads to the first field that is wrong. */
  readonly onSubmit: (event: FormEvent<HTMLFormElement>) => void;
}

export function useTypedArguments(
  fields: readonly ArgumentKind[],
  send: (args: JsonObject) => void,
): TypedArguments {
  const [typed, setTyped] = useState<Typed>({});
  const [faults, setFaults] = useState<ReadonlyMap<string, string>>(new Map());
  return {
    fieldProps: (field) => ({
      field,
      value: typed[field.name] ?? "",
      error: faults.get(field.name),
      onChange: (value) => setTyped({ ...typed, [field.name]: value }),
    }),
    onSubmit(event) {
      event.preventDefault();
      const form = event.currentTarget;
      const read = readArguments(fields, typed);
      setFaults(read.faults);
      if (read.faults.size === 0) return send(read.args);
      requestAnimationFrame(() => form.querySelector<HTMLElement>("[aria-invalid]")?.focus());
    },
  };
}
