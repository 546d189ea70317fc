/** The field of one argument. */

import { shownText } from "../../../supabase/functions/_shared/approvals/visible.ts";
import { SelectField, TextArea, TextField } from "../ui/field.tsx";
import { Said } from "../ui/said.tsx";
import type { ArgumentKind } from "./argument-fields.ts";
import { compact } from "./file-words.ts";

export function ArgumentField(
  { field, value, error, onChange }: {
    field: ArgumentKind;
    value: string;
    error: string | undefined;
    onChange: (value: string) => void;
  },
) {
  const { name, control, choices, isRequired, type, description } = field;
  const told = {
    label: (
      <>
        <Said>{name}</Said> {!isRequired && <span className="muted argument-optional">optional</span>}
      </>
    ),
    hint: (
      <>
        {description !== "" && (
          <>
            <Said>{description}</Said>
            {control === "json" && ". "}
          </>
        )}
        {description === "" && control !== "json" && <Said>{type}</Said>}
        {control === "json" && (
          <>
            As JSON: <Said>{type}</Said>
          </>
        )}
      </>
    ),
    error,
    value,
    required: isRequired,
    onChange: (event: { target: { value: string } }) => onChange(event.target.value),
  };
  switch (control) {
    case "text":
      return <TextField {...told} autoComplete="off" />;
    case "number":
      return <TextField {...told} autoComplete="off" inputMode={field.isWhole ? "numeric" : "decimal"} />;
    case "long":
      return <TextArea {...told} />;
    case "json":
      return <TextArea {...told} rows={3} spellCheck={false} className="mono" />;
    case "boolean":
      return (
        <SelectField {...told}>
          <option value="">Left out</option>
          <option value="true">Yes</option>
          <option value="false">No</option>
        </SelectField>
      );
    case "choice":
      return (
        <SelectField {...told}>
          <option value="">{isRequired ? "Choose one" : "Left out"}</option>
          {choices.map((choice, index) => (
            <option key={index} value={index}>{shownText(compact(choice))}</option>
          ))}
        </SelectField>
      );
    default:
      return control satisfies never;
  }
}
