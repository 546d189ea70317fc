/** What is another than it was, before and now, side by side. */

import type { Approval } from "../../api/approvals.ts";
import { Table } from "../../ui/table.tsx";
import { differencesOf } from "./differences.ts";
import { Marked } from "./marked.tsx";

/** More than that is looked at as a whole. */
const MOST = 12;

export function WhatChanged({ earlier, fresh }: { earlier: Approval; fresh: Approval }) {
  const found = differencesOf(earlier, fresh);
  if (found.length === 0) return <p>What is shown of it is the same; how the tool is defined is not.</p>;
  return (
    <>
      <Table
        caption="What changed"
        head={
          <tr>
            <th scope="col">What</th>
            <th scope="col">It was</th>
            <th scope="col">It is</th>
          </tr>
        }
      >
        {found.slice(0, MOST).map(({ what, was, is }) => (
          <tr key={what}>
            <td>
              <Marked text={what} />
            </td>
            {[was, is].map((text, index) => (
              <td key={index} className="answer-cell">
                {text === null ? <span className="muted">not there</span> : <Marked text={text} />}
              </td>
            ))}
          </tr>
        ))}
      </Table>
      {found.length > MOST && <p className="number">And {found.length - MOST} more differences.</p>}
    </>
  );
}
