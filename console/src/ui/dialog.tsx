/** What stands over the page until it is answered: keeps the focus in it, and gives it back. */

import { AlertDialog as BaseAlert } from "@base-ui/react/alert-dialog";
import { Dialog as Base } from "@base-ui/react/dialog";
import type { ReactNode, RefObject } from "react";
import { Icon } from "./icon.tsx";
import "./dialog.css";

export interface DialogProps {
  title: ReactNode;
  description?: ReactNode;
  isOpen: boolean;
  /** Left out, it cannot be closed but by what stands in it. */
  onClose?: () => void;
  /** `wide` for what is read, not only answered. */
  size?: "narrow" | "wide";
  /** Stands over other dialogs too. */
  isAboveAll?: boolean;
  children?: ReactNode;
  /** The buttons at its foot, the one that goes on last. */
  actions?: ReactNode;
  /**
   * Where the focus goes in the end, where this holds something: for what takes away the button it was opened by. Else it
   * goes back there.
   */
  focusAfter?: RefObject<HTMLElement | null>;
}

export function Dialog(
  { title, description, isOpen, onClose, size = "narrow", isAboveAll = false, children, actions, focusAfter }:
    DialogProps,
) {
  return (
    <Base.Root open={isOpen} onOpenChange={(open) => open || onClose?.()} disablePointerDismissal>
      <Base.Portal>
        <Base.Backdrop className="dialog-backdrop" data-above-all={isAboveAll || undefined} />
        <Base.Popup
          className={`dialog dialog-${size}`}
          data-above-all={isAboveAll || undefined}
          finalFocus={() => focusAfter?.current ?? true}
        >
          <div className="dialog-head">
            <Base.Title className="dialog-title">{title}</Base.Title>
            {onClose && (
              <Base.Close className="dialog-close" aria-label="Close">
                <Icon name="close" />
              </Base.Close>
            )}
          </div>
          {description && <Base.Description className="muted">{description}</Base.Description>}
          {children && <div className="dialog-body">{children}</div>}
          {actions && <div className="row row-end dialog-actions">{actions}</div>}
        </Base.Popup>
      </Base.Portal>
    </Base.Root>
  );
}

/** A question before something that cannot be taken back. It begins on what changes nothing. */
export function Confirm(
  { title, description, isOpen, onClose, children, actions, focusAfter }:
    & Omit<DialogProps, "size" | "isAboveAll">
    & {
      onClose: () => void;
    },
) {
  return (
    <BaseAlert.Root open={isOpen} onOpenChange={(open) => open || onClose()}>
      <BaseAlert.Portal>
        <BaseAlert.Backdrop className="dialog-backdrop" />
        <BaseAlert.Popup className="dialog dialog-narrow" finalFocus={() => focusAfter?.current ?? true}>
          <BaseAlert.Title className="dialog-title">{title}</BaseAlert.Title>
          {description && <BaseAlert.Description className="muted">{description}</BaseAlert.Description>}
          {children && <div className="dialog-body">{children}</div>}
          <div className="row row-end dialog-actions">
            <BaseAlert.Close className="button button-secondary">Cancel</BaseAlert.Close>
            {actions}
          </div>
        </BaseAlert.Popup>
      </BaseAlert.Portal>
    </BaseAlert.Root>
  );
}
