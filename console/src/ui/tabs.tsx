/** Parts of a page of which one is shown. Which one is the caller's to keep, best in the address. */

import { Tabs as Base } from "@base-ui/react/tabs";
import { type ReactNode, useEffect, useRef, useState } from "react";
import "./tabs.css";

export interface TabPart {
  readonly id: string;
  readonly name: ReactNode;
  /** Drawn while it is the one that is shown, and after that where `keepsSeen` is set. */
  readonly content: ReactNode;
}

/**
 * `chosen` is the id of the part that is shown. The arrows move along the tabs, Enter opens one. With `keepsSeen` a part
 * that was seen stays as it was left, with what was typed in it.
 */
export function Tabs(
  { label, parts, chosen, onChoose, keepsSeen = false }: {
    label: string;
    parts: readonly TabPart[];
    chosen: string;
    onChoose: (id: string) => void;
    keepsSeen?: boolean;
  },
) {
  const list = useRef<HTMLDivElement>(null);
  const [seen, setSeen] = useState<ReadonlySet<string>>(new Set([chosen]));
  if (!seen.has(chosen)) setSeen(new Set([...seen, chosen]));
  // On a phone the list is longer than the page is wide.
  useEffect(() => {
    list.current?.querySelector("[aria-selected=true]")?.scrollIntoView({
      block: "nearest",
      inline: "nearest",
    });
  }, [chosen]);
  return (
    <Base.Root value={chosen} onValueChange={(id) => onChoose(String(id))} className="stack">
      <Base.List ref={list} className="tabs" aria-label={label}>
        {parts.map(({ id, name }) => <Base.Tab key={id} value={id} className="tab">{name}</Base.Tab>)}
      </Base.List>
      {parts.map(({ id, content }) => (
        <Base.Panel
          key={id}
          value={id}
          className="tab-panel stack"
          tabIndex={-1}
          keepMounted={keepsSeen && seen.has(id)}
        >
          {content}
        </Base.Panel>
      ))}
    </Base.Root>
  );
}
