/**
 * A long list of cards of which only those near the window are in the page. What is read, pressed or focused stays where
 * it is while cards come and go above it, and keys go from card to card.
 */

import { useWindowVirtualizer } from "@tanstack/react-virtual";
import {
  type KeyboardEvent,
  type ReactNode,
  useCallback,
  useEffect,
  useLayoutEffect,
  useRef,
  useState,
} from "react";
import "./feed.css";

export interface FeedProps<T extends { readonly id: string }> {
  label: string;
  items: readonly T[];
  hasMore: boolean;
  isBusy: boolean;
  /** About how high the card of an item is, before it was seen. */
  estimate: (item: T) => number;
  /** The id of what names the card of an item. */
  nameIdOf: (item: T) => string;
  render: (item: T) => ReactNode;
  /** Says which ones are in the page now. */
  onSeen: (ids: readonly string[]) => void;
  onNearEnd: () => void;
}

const GAP = 12;
const OVERSCAN = 3;
/** Cards from the end at which more are asked for. */
const NEAR_END = 12;

export function Feed<T extends { readonly id: string }>(props: FeedProps<T>) {
  const { label, items, hasMore, isBusy, estimate, nameIdOf, render, onSeen, onNearEnd } = props;
  const feed = useRef<HTMLDivElement>(null);
  const [top, setTop] = useState(0);
  useLayoutEffect(() => {
    const now = feed.current!.getBoundingClientRect().top + scrollY;
    if (Math.abs(now - top) > 1) setTop(now);
  });

  const [focused, setFocused] = useState<string | null>(null);
  const focusedAt = focused === null ? -1 : items.findIndex(({ id }) => id === focused);
  const virtualizer = useWindowVirtualizer<HTMLElement>({
    count: items.length,
    estimateSize: (at) => estimate(items[at]!),
    getItemKey: useCallback((at: number) => items[at]!.id, [items]),
    overscan: OVERSCAN,
    gap: GAP,
    scrollMargin: top,
    useFlushSync: false,
    // What has the focus stays in the page, however far one scrolls.
    rangeExtractor: useCallback(({ startIndex, endIndex, overscan, count }) => {
      const [from, to] = [Math.max(0, startIndex - overscan), Math.min(count - 1, endIndex + overscan)];
      const shown = Array.from({ length: to - from + 1 }, (_, n) => from + n);
      return focusedAt < 0 || (focusedAt >= from && focusedAt <= to)
        ? shown
        : [...shown, focusedAt].sort((a, b) => a - b);
    }, [focusedAt]),
  });
  // One that was seen and grows or shrinks above what is read takes the page along.
  virtualizer.shouldAdjustScrollPositionOnItemSizeChange = (
    item,
    _delta,
    { itemSizeCache, scrollOffset },
  ) => {
    if (!itemSizeCache.has(item.key)) return item.start < (scrollOffset ?? 0);
    const held = heldCard(feed.current!, () => true);
    return held !== null && items.findIndex(({ id }) => id === held) > item.index;
  };
  const shown = virtualizer.getVirtualItems();
  useHeldInPlace({ items, shown, feed, startOf: (at) => virtualizer.measurementsCache[at]?.start });

  const ids = shown.flatMap(({ index }) => items[index]?.id ?? []);
  const idsText = ids.join(" ");
  useEffect(() => onSeen(idsText === "" ? [] : idsText.split(" ")), [idsText, onSeen]);
  const lastShown = shown.at(-1)?.index ?? 0;
  useEffect(() => {
    if (hasMore && !isBusy && lastShown >= items.length - NEAR_END) onNearEnd();
  }, [hasMore, isBusy, lastShown, items.length, onNearEnd]);

  /** The card that the keys of a feed lead to. */
  function goTo(at: number) {
    const item = items[at];
    if (item === undefined) return;
    setFocused(item.id);
    virtualizer.scrollToIndex(at, { align: "auto" });
    focusWhenThere(feed.current!, item.id);
  }

  function onKeyDown(event: KeyboardEvent<HTMLElement>) {
    const { target, key, ctrlKey, altKey, metaKey, shiftKey } = event;
    if (
      altKey || metaKey || shiftKey || (target as HTMLElement).closest("input[type=text], textarea, select")
    ) return;
    const at = items.findIndex(({ id }) => id === cardOf(target)?.dataset.id);
    const to = key === "PageDown" ? at + 1 : key === "PageUp" ? at - 1 : null;
    const end = ctrlKey && key === "End" ? items.length - 1 : ctrlKey && key === "Home" ? 0 : to;
    if (end === null || (ctrlKey && to !== null)) return;
    event.preventDefault();
    goTo(Math.min(Math.max(end, 0), items.length - 1));
  }

  return (
    <div
      ref={feed}
      className="feed"
      role="feed"
      aria-label={label}
      aria-busy={isBusy}
      style={{ height: virtualizer.getTotalSize() }}
      onKeyDown={onKeyDown}
      onFocus={(event) => setFocused(cardOf(event.target)?.dataset.id ?? null)}
      onBlur={(event) => event.currentTarget.contains(event.relatedTarget) || setFocused(null)}
    >
      {shown.map(({ key, index, start }) => {
        const item = items[index];
        if (item === undefined) return null;
        return (
          <article
            key={key}
            ref={virtualizer.measureElement}
            data-index={index}
            data-id={item.id}
            className="feed-item"
            style={{ transform: `translateY(${start - top}px)` }}
            aria-labelledby={nameIdOf(item)}
            aria-posinset={index + 1}
            aria-setsize={hasMore ? -1 : items.length}
            tabIndex={-1}
          >
            {render(item)}
          </article>
        );
      })}
    </div>
  );
}

function cardOf(target: EventTarget): HTMLElement | null {
  return target instanceof Element ? target.closest<HTMLElement>("article[data-id]") : null;
}

/** Focuses the card as soon as it is in the page, which takes a moment where it was far away. */
function focusWhenThere(feed: HTMLElement, id: string, tries = 20): void {
  const card = feed.querySelector<HTMLElement>(`article[data-id="${id}"]`);
  if (card !== null) card.focus({ preventScroll: true });
  else if (tries > 0) requestAnimationFrame(() => focusWhenThere(feed, id, tries - 1));
}

/** Scrolls along with what was added or taken away above: the card with the focus, under the pointer, or at the top. */
function useHeldInPlace(
  { items, shown, feed, startOf }: {
    items: readonly { readonly id: string }[];
    shown: readonly { readonly index: number; readonly start: number }[];
    feed: { readonly current: HTMLElement | null };
    startOf: (at: number) => number | undefined;
  },
): void {
  const before = useRef<{ items: typeof items; starts: ReadonlyMap<string, number> }>({
    items,
    starts: new Map(),
  });
  useLayoutEffect(() => {
    const { items: known, starts } = before.current;
    if (known !== items && starts.size > 0) {
      const staying = new Set(items.map(({ id }) => id));
      const held = heldCard(feed.current!, (id) => staying.has(id));
      const at = held === null ? -1 : items.findIndex(({ id }) => id === held);
      const [was, is] = [held === null ? undefined : starts.get(held), startOf(at)];
      if (was !== undefined && is !== undefined && was !== is) {
        scrollBy({ top: is - was, behavior: "instant" });
      }
    }
    before.current = {
      items,
      starts: new Map(shown.flatMap(({ index, start }) => {
        const item = items[index];
        return item === undefined ? [] : [[item.id, start] as const];
      })),
    };
  });
}

/**
 * The id of the card that must not move, of those in sight: where the pointer is on something to press, for what moves away
 * under it is missed; else with the focus, else under the pointer, else the first one.
 */
function heldCard(feed: HTMLElement, mayBe: (id: string) => boolean): string | null {
  const inSight = [...feed.querySelectorAll<HTMLElement>("article[data-id]")].filter((card) => {
    const { top, bottom } = card.getBoundingClientRect();
    return bottom > HEAD && top < innerHeight && mayBe(card.dataset.id!);
  });
  const held = inSight.find((card) => card.querySelector(":is(button, a, input, label):hover") !== null) ??
    inSight.find((card) => card.contains(document.activeElement)) ??
    inSight.find((card) => card.matches(":hover")) ?? inSight[0];
  return held?.dataset.id ?? null;
}

/** What stands above the cards of a scrolled page, in pixels. */
const HEAD = 120;
