/** Takes what has left a view off its list: a while after it said what became of it, and not under somebody's hand. */

import { useEffect, useRef } from "react";
import type { Approval } from "../../api/approvals.ts";

/** Long enough to read who decided. */
const READ_MS = 6_000;
const AGAIN_MS = 1_000;

/** `left` are those that go. They wait while somebody is about to press what would move up. */
export function useGoing(left: readonly Approval[], remove: (ids: ReadonlySet<string>) => void): void {
  const since = useRef(new Map<string, number>());
  const ids = left.map(({ id }) => id).join(" ");
  useEffect(() => {
    const now = Date.now();
    const going = ids === "" ? [] : ids.split(" ");
    since.current = new Map(going.map((id) => [id, since.current.get(id) ?? now]));
    if (going.length === 0) return;
    const timer = setInterval(() => {
      const due = going.filter((id) => Date.now() - since.current.get(id)! >= READ_MS);
      if (due.length === 0 || isBusyBelow(new Set(due))) return;
      keepFocus(new Set(due));
      remove(new Set(due));
    }, AGAIN_MS);
    return () => clearInterval(timer);
  }, [ids, remove]);
}

/** Whether a hand is on a button of another card, which would move up where the page cannot scroll along. */
function isBusyBelow(due: ReadonlySet<string>): boolean {
  const pressed = document.querySelector("article[data-id] :is(button, a, input, label):hover");
  const card = pressed?.closest("article[data-id]");
  return card !== null && card !== undefined && !due.has(card.getAttribute("data-id")!) &&
    scrollY < innerHeight;
}

/** Hands the focus of a card that goes to the next one that stays. */
function keepFocus(due: ReadonlySet<string>): void {
  const focused = document.activeElement?.closest<HTMLElement>("article[data-id]");
  if (!focused || !due.has(focused.dataset.id!)) return;
  const cards = [...document.querySelectorAll<HTMLElement>("article[data-id]")];
  const at = cards.indexOf(focused);
  const staying = (card: HTMLElement) => !due.has(card.dataset.id!);
  const next = cards.slice(at).find(staying) ?? cards.slice(0, at).findLast(staying);
  (next ?? document.querySelector<HTMLElement>("h1"))?.focus({ preventScroll: true });
}
