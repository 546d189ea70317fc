/** The words around the editor: what the check found, what the button does, what is not there yet. */

import { Said } from "../ui/said.tsx";

export function DefineWords(
  { heldBackBy, workspace, replaces, slug, standing }: {
    /** So many problems kept it from being sent when the button was pressed. */
    heldBackBy: number;
    workspace: string;
    replaces: string | null;
    slug: string | null;
    standing: { readonly tool: { readonly name: string }; readonly version: number } | null;
  },
) {
  if (heldBackBy > 0) {
    return `Nothing was sent: put the ${
      heldBackBy === 1 ? "problem" : `${heldBackBy} problems`
    } right first.`;
  }
  if (slug !== null && replaces !== null && slug !== replaces) {
    return (
      <>
        The slug is another one: <code>{slug}</code> becomes a tool of its own, and <code>{replaces}</code>
        {" "}
        stays.
      </>
    );
  }
  if (standing !== null) {
    return (
      <>
        It takes the place of <Said>{standing.tool.name}</Said>, version {standing.version}.
      </>
    );
  }
  return (
    <>
      It becomes a tool of <Said>{workspace}</Said>.
    </>
  );
}

export function NothingToSee({ isEmpty }: { isEmpty: boolean }) {
  return (
    <section className="card stack-tight">
      <h2>What a host will see</h2>
      <p className="muted">
        {isEmpty
          ? "When a file stands in the editor, this shows for each of its fixtures whether a call runs or waits, and the answer."
          : "It shows here as soon as the file has no problem."}
      </p>
    </section>
  );
}

export function statusOf(
  { isEmpty, checked, isBehind }: {
    isEmpty: boolean;
    checked: { readonly problems: readonly unknown[] } | null;
    isBehind: boolean;
  },
): string {
  if (isEmpty) return "Nothing here yet.";
  if (checked === null) return isBehind ? "Checking…" : "";
  const { length } = checked.problems;
  return length === 0 ? "The file is fine." : length === 1 ? "1 problem." : `${length} problems.`;
}
