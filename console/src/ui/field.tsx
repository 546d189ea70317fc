/** What is typed and chosen: a label, the control, a hint and what is wrong with it, told to who listens too. */

import { type ComponentPropsWithRef, type InputHTMLAttributes, type ReactNode, useId } from "react";
import "./field.css";

interface FieldProps {
  label: ReactNode;
  hint?: ReactNode;
  /** Why what stands there does not do; null or left out where it does. */
  error?: ReactNode;
}

export function TextField(
  { label, hint, error, ...props }: FieldProps & ComponentPropsWithRef<"input">,
) {
  return (
    <Frame label={label} hint={hint} error={error}>
      {(told) => <input {...props} {...told} className={`control ${props.className ?? ""}`} />}
    </Frame>
  );
}

export function TextArea(
  { label, hint, error, ...props }: FieldProps & ComponentPropsWithRef<"textarea">,
) {
  return (
    <Frame label={label} hint={hint} error={error}>
      {(told) => <textarea rows={4} {...props} {...told} className={`control ${props.className ?? ""}`} />}
    </Frame>
  );
}

/** The browser's own list, which every phone knows how to show. */
export function SelectField(
  { label, hint, error, ...props }: FieldProps & ComponentPropsWithRef<"select">,
) {
  return (
    <Frame label={label} hint={hint} error={error}>
      {(told) => <select {...props} {...told} className={`control ${props.className ?? ""}`} />}
    </Frame>
  );
}

/** One box to tick, or with `type="radio"` one of several. */
export function Choice(
  { label, hint, ...props }: { label: ReactNode; hint?: ReactNode } & InputHTMLAttributes<HTMLInputElement>,
) {
  const id = useId();
  return (
    <div className="choice">
      <input type="checkbox" {...props} id={id} aria-describedby={hint ? `${id}-hint` : undefined} />
      <div>
        <label htmlFor={id}>{label}</label>
        {hint && <p id={`${id}-hint`} className="field-hint">{hint}</p>}
      </div>
    </div>
  );
}

interface Told {
  id: string;
  "aria-describedby": string | undefined;
  "aria-invalid": true | undefined;
}

function Frame({ label, hint, error, children }: FieldProps & { children: (told: Told) => ReactNode }) {
  const id = useId();
  const hasError = error !== undefined && error !== null && error !== false;
  const described = [hint && `${id}-hint`, hasError && `${id}-error`].filter(Boolean).join(" ");
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      {hint && <p id={`${id}-hint`} className="field-hint">{hint}</p>}
      {children({
        id,
        "aria-describedby": described || undefined,
        "aria-invalid": hasError || undefined,
      })}
      {hasError && <p id={`${id}-error`} className="field-error">{error}</p>}
    </div>
  );
}
