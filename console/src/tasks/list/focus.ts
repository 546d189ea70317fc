/** Where the focus goes when what had it is gone. */

/** Focuses what `selector` finds, once the page has settled, if the focus was lost until then. */
export function focusWhereLost(selector: string): void {
  requestAnimationFrame(() =>
    requestAnimationFrame(() => {
      const { activeElement } = document;
      if (activeElement !== null && activeElement !== document.body) return;
      document.querySelector<HTMLElement>(selector)?.focus({ preventScroll: true });
    })
  );
}
