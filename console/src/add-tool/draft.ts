/**
 * What somebody is writing, kept in this tab until it is on the workspace: a reload loses nothing. Each person, workspace
 * and tool has a place of its own.
 */

export interface DraftPlace {
  readonly personId: string;
  readonly workspaceId: string;
  /** The tool that is replaced; null of a new one. */
  readonly slug: string | null;
}

export function readDraft(place: DraftPlace): string | null {
  try {
    return sessionStorage.getItem(nameOf(place));
  } catch {
    return null;
  }
}

/** Null forgets it. A browser that keeps nothing, or has no room, loses no more than that. */
export function keepDraft(place: DraftPlace, text: string | null): void {
  try {
    if (text === null) sessionStorage.removeItem(nameOf(place));
    else sessionStorage.setItem(nameOf(place), text);
  } catch {
    // An older text is not what was written last.
    try {
      sessionStorage.removeItem(nameOf(place));
    } catch {
      // Nothing was kept.
    }
  }
}

function nameOf({ personId, workspaceId, slug }: DraftPlace): string {
  return `framed.file.${personId}.${workspaceId}.${slug ?? ""}`;
}
