/** What a tool's preview read when the call was asked for: what it looks like before anything is sent. */

import type { Preview } from "../../api/approvals.ts";
import { cardOf } from "../../../../supabase/functions/_shared/approvals/card.ts";
import { Answer } from "./answer.tsx";
import { CardLines } from "./card-lines.tsx";
import { MarkedText } from "./marked.tsx";
import { When } from "./when.tsx";
import "./preview-view.css";

/** `of` says of which call, where there are several; `isPast` that nothing is decided by it any more. */
export function PreviewView(
  { preview, of = "", isPast = false }: { preview: Preview; of?: string; isPast?: boolean },
) {
  const { tool, args, compare, ok, result, answers_with, failed, read_at } = preview;
  const isExample = answers_with === "configured example";
  const name = isExample ? "A configured example" : isPast ? "What it looked like" : "What it looks like now";
  return (
    <div className="preview" role="group" aria-label={name}>
      <div className="row row-apart">
        <h3>{name}</h3>
        <span className="small muted">
          Read <When at={read_at} /> with{" "}
          <code>
            <MarkedText>{tool}</MarkedText>
          </code>
        </span>
      </div>
      {isExample && (
        <p className="preview-example">
          This is an example from the file of{" "}
          <code>
            <MarkedText>{tool}</MarkedText>
          </code>. It says nothing of what the other system holds now.{!isPast &&
            " Look there before you decide."}
        </p>
      )}
      {args !== null && Object.keys(args).length > 0 && <CardLines lines={cardOf(args)} />}
      {ok && result !== undefined
        ? <Answer value={result} caption={`${name}${of}, as a table`} />
        : (
          <p className="preview-failed">
            It could not be read: <MarkedText>{failed ?? "no reason was given"}</MarkedText>
          </p>
        )}
      {!isPast && !isExample && (
        <p className="small muted">
          {compare === null
            ? ok
              ? "It is read again right before sending. If anything in it differs then, nothing is sent."
              : "It holds nothing up: the call can be approved without it."
            : (
              <>
                It is read again right before sending. Nothing is sent if one of these differs then, or cannot
                be read: {compare.map((path, index) => (
                  <span key={path}>
                    {index > 0 && ", "}
                    <code>
                      <MarkedText>{path}</MarkedText>
                    </code>
                  </span>
                ))}
              </>
            )}
        </p>
      )}
    </div>
  );
}
