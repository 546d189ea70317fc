/** What is pressed: a button, and a link that looks like one. */

import type { ButtonHTMLAttributes, ReactNode } from "react";
import { Go, type GoProps } from "../shell/go.tsx";
import "./button.css";

export type ButtonVariant = "primary" | "secondary" | "danger" | "quiet";

export interface ButtonProps extends ButtonHTMLAttributes<HTMLButtonElement> {
  variant?: ButtonVariant;
  /** What it began is under way: it says so and takes no second press. */
  isBusy?: boolean;
  children: ReactNode;
}

/** A button. It is no form's submit unless `type` says so. */
export function Button({ variant = "secondary", isBusy = false, className = "", ...props }: ButtonProps) {
  return (
    <button
      type="button"
      {...props}
      className={`button button-${variant} ${className}`}
      // Not `disabled`: the focus would be lost, and with it who listens.
      aria-disabled={isBusy || props.disabled || undefined}
      aria-busy={isBusy || undefined}
      disabled={props.disabled}
      onClick={(event) => isBusy ? event.preventDefault() : props.onClick?.(event)}
    />
  );
}

export function ButtonLink(
  { variant = "secondary", className = "", ...props }: GoProps & { variant?: ButtonVariant },
) {
  return <Go {...props} className={`button button-${variant} ${className}`} />;
}
