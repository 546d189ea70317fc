/** What two versions differ in, of that which decides where a call goes and what it may do. */

import type { FramedTool } from "../../../supabase/functions/_shared/definition/format.ts";
import { Said } from "../ui/said.tsx";
import { changesAtAGlance } from "./version-changes.ts";

export function Glance({ before, after }: { before: FramedTool; after: FramedTool }) {
  const changes = changesAtAGlance(before, after);
  if (changes.length === 0) {
    return (
      <p>
        Name, description, host, address, method, secrets, access, arguments, fields and rules are the same.
      </p>
    );
  }
  return (
    <dl className="facts glance">
      {changes.map((change) => (
        <div key={change.what} className="glance-change">
          <dt>{change.what}</dt>
          <dd>
            <del>
              <Said>{change.before}</Said>
            </del>{" "}
            <span aria-hidden="true">→</span>
            <span className="only-heard">is now</span>{" "}
            <ins>
              <Said>{change.after}</Said>
            </ins>
          </dd>
        </div>
      ))}
    </dl>
  );
}
