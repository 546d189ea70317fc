/** Takes files that are dropped or pasted anywhere on the page, and text that is pasted where nothing is being typed. */

import { useEffect, useRef, useState } from "react";

export interface Incoming {
  onFiles: (files: readonly File[]) => void;
  onText: (text: string) => void;
}

/** Whether something is being dragged over the page that can be dropped. */
export function useIncoming(incoming: Incoming): boolean {
  const latest = useRef(incoming);
  latest.current = incoming;
  const [isOver, setOver] = useState(false);

  useEffect(() => {
    // Each child that is entered counts, and so does each that is left.
    let depth = 0;
    const holdsFiles = (event: DragEvent) => event.dataTransfer?.types.includes("Files") ?? false;
    const set = (next: number) => {
      depth = Math.max(next, 0);
      setOver(depth > 0);
    };
    const enter = (event: DragEvent) => {
      if (holdsFiles(event)) set(depth + 1);
    };
    const leave = (event: DragEvent) => {
      if (holdsFiles(event)) set(depth - 1);
    };
    const over = (event: DragEvent) => {
      // Else the browser opens the file in the place of this page.
      if (holdsFiles(event)) event.preventDefault();
    };
    const drop = (event: DragEvent) => {
      if (!holdsFiles(event)) return;
      event.preventDefault();
      set(0);
      latest.current.onFiles([...event.dataTransfer!.files]);
    };
    const paste = (event: ClipboardEvent) => {
      const data = event.clipboardData;
      if (data === null) return;
      if (data.files.length > 0 && data.getData("text/plain") === "") {
        event.preventDefault();
        latest.current.onFiles([...data.files]);
      } else if (!isTyping(event) && data.getData("text/plain").trim() !== "") {
        event.preventDefault();
        latest.current.onText(data.getData("text/plain"));
      }
    };
    addEventListener("dragenter", enter);
    addEventListener("dragleave", leave);
    addEventListener("dragover", over);
    addEventListener("drop", drop);
    addEventListener("paste", paste);
    return () => {
      removeEventListener("dragenter", enter);
      removeEventListener("dragleave", leave);
      removeEventListener("dragover", over);
      removeEventListener("drop", drop);
      removeEventListener("paste", paste);
    };
  }, []);

  return isOver;
}

function isTyping(event: Event): boolean {
  const [target] = event.composedPath();
  return target instanceof HTMLElement &&
    (target.isContentEditable || target.matches("input, textarea, select"));
}
