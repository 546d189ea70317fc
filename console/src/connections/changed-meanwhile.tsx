/** Somebody changed the tool while it was looked at: what is another thing now, before anything is done to it. */

import { useVersion } from "../api/tools.ts";
import { useWorkspace } from "../shell/workspace-context.tsx";
import { Button } from "../ui/button.tsx";
import { Notice } from "../ui/notice.tsx";
import { Time } from "../ui/time.tsx";
import { Said } from "../ui/said.tsx";
import { Glance } from "./glance.tsx";
import { makerOf } from "./tool-words.ts";

export function ChangedMeanwhile(
  { slug, seen, now, onCompare, onLooked }: {
    slug: string;
    seen: number;
    now: number;
    onCompare: () => void;
    onLooked: () => void;
  },
) {
  const { id } = useWorkspace();
  const before = useVersion(id, { slug, version: seen }).data;
  const after = useVersion(id, { slug, version: now }).data;
  return (
    <Notice tone="warn" title={`This tool changed while you looked: it is at version ${now} now`}>
      {after !== undefined && (
        <p>
          By <Said>{makerOf(after.defined_by)}</Said>, <Time at={after.defined_at} />. You looked at version
          {" "}
          {seen}, and nothing is done to a version that you have not looked at.
        </p>
      )}
      {before !== undefined && after !== undefined && <Glance before={before.tool} after={after.tool} />}
      <p className="row">
        <Button onClick={onCompare}>Compare line by line</Button>
        <Button variant="primary" onClick={onLooked}>I have looked at version {now}</Button>
      </p>
    </Notice>
  );
}
