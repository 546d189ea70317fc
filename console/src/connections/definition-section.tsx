/** What a tool does, from its file: in words, and the file itself. */

import { pathOf } from "../api/client.ts";
import { Go } from "../shell/go.tsx";
import { useWorkspace } from "../shell/workspace-context.tsx";
import { ButtonLink } from "../ui/button.tsx";
import { Said } from "../ui/said.tsx";
import { Table } from "../ui/table.tsx";
import type { SectionProps } from "./connection-page.tsx";
import { argumentsInWords, compact, conditionInWords, readsByPost, requestsOf } from "./file-words.ts";
import { JsonText } from "./json-text.tsx";
import { ReadMark } from "./read-mark.tsx";
import type { FramedTool } from "../../../supabase/functions/_shared/definition/format.ts";

export function DefinitionSection(props: SectionProps) {
  const { tool } = props.detail;
  const { mayUse } = useWorkspace();
  return (
    <>
      {readsByPost(tool) && <ReadMark {...props} />}
      <Requests tool={tool} />
      <Arguments tool={tool} />
      <Preview tool={tool} />
      <FollowUp tool={tool} />
      <Rules tool={tool} />
      <section className="stack-tight" aria-labelledby="file">
        <div className="row row-apart">
          <h2 id="file">The file</h2>
          {mayUse && props.detail.origin === "file" && (
            <ButtonLink to={`/connections/new?${new URLSearchParams({ replace: props.slug })}`}>
              Replace it
            </ButtonLink>
          )}
        </div>
        <p className="muted">
          As it was defined, version {props.detail.version}. What hides in a text is shown as a mark.
        </p>
        <JsonText label="The file as JSON" value={tool} />
      </section>
    </>
  );
}

function Requests({ tool }: { tool: FramedTool }) {
  const fields = tool.kind === "mcp" ? undefined : tool.result?.fields;
  return (
    <section className="card stack-tight" aria-labelledby="sends">
      <h2 id="sends">What it sends</h2>
      {tool.kind === "fixture"
        ? <p>Nothing. It answers from the {tool.fixtures.length} examples in its file.</p>
        : (
          <ul className="plain stack-tight">
            {requestsOf(tool).map(({ what, method, url }, index) => (
              <li key={index}>
                {what !== null && (
                  <>
                    <Said>{what}</Said>:{" "}
                  </>
                )}
                <code>
                  {method} <Said>{url}</Said>
                </code>
              </li>
            ))}
          </ul>
        )}
      <p className="muted">
        {fields === undefined ? "All of an answer leaves." : (
          <>
            Of an answer only these leave: <Said>{fields.join(", ")}</Said>
          </>
        )}
      </p>
    </section>
  );
}

function Arguments({ tool }: { tool: FramedTool }) {
  const args = argumentsInWords(tool.arguments);
  return (
    <section className="stack-tight" aria-labelledby="arguments">
      <h2 id="arguments">What a call takes</h2>
      {args.length === 0
        ? (
          <p className="muted">
            {tool.kind === "mcp" ? "What the tool of its server takes." : "No arguments."}
          </p>
        )
        : (
          <Table
            caption="Arguments of a call"
            head={
              <tr>
                <th scope="col">Name</th>
                <th scope="col">What it is</th>
                <th scope="col">Needed</th>
                <th scope="col">What it is for</th>
              </tr>
            }
          >
            {args.map(({ name, type, isRequired, description }) => (
              <tr key={name}>
                <td>
                  <code>
                    <Said>{name}</Said>
                  </code>
                </td>
                <td className="cell-words">
                  <Said>{type}</Said>
                </td>
                <td>{isRequired ? "yes" : "no"}</td>
                <td className="cell-words">
                  {description === "" ? <span className="muted">not said</span> : <Said>{description}</Said>}
                </td>
              </tr>
            ))}
          </Table>
        )}
    </section>
  );
}

function Preview({ tool: { preview } }: { tool: FramedTool }) {
  if (preview === undefined) return null;
  return (
    <section className="card stack-tight" aria-labelledby="preview">
      <h2 id="preview">What is shown before it is approved</h2>
      <p>
        What <ToolLink slug={preview.tool} /> answers to{" "}
        <code>
          <Said>{compact(preview.args)}</Said>
        </code>. It is read again right before sending; nothing is sent where{" "}
        {preview.compare === undefined ? "anything of it" : (
          <code>
            <Said>{preview.compare.join(", ")}</Said>
          </code>
        )} has changed.
      </p>
    </section>
  );
}

function FollowUp({ tool: { follow_up: followUp } }: { tool: FramedTool }) {
  if (followUp === undefined) return null;
  const { all, any } = followUp.done_when;
  const conditions = (all ?? any ?? []).map(conditionInWords);
  return (
    <section className="card stack-tight" aria-labelledby="follow-up">
      <h2 id="follow-up">What is followed up after a call</h2>
      <dl className="facts">
        <dt>What</dt>
        <dd>
          <Said>{followUp.what}</Said>
        </dd>
        <dt>Until</dt>
        <dd>
          <Said>{followUp.until}</Said>
        </dd>
        <dt>Looks at</dt>
        <dd>
          <ToolLink slug={followUp.check.tool} />{" "}
          <code>
            <Said>{compact(followUp.check.args)}</Said>
          </code>
        </dd>
        <dt>Done when</dt>
        <dd>
          <Said>{conditions.join(any === undefined ? ", and " : ", or ")}</Said>
        </dd>
        <dt>Says so</dt>
        <dd>
          after {followUp.alarm_after_days ?? 7} days, and stops after {followUp.stop_after_days ?? 30}
        </dd>
      </dl>
    </section>
  );
}

function Rules({ tool: { rules = [] } }: { tool: FramedTool }) {
  if (rules.length === 0) return null;
  return (
    <section className="card stack-tight" aria-labelledby="rules">
      <h2 id="rules">Rules</h2>
      <ul>
        {rules.map((rule, index) => (
          <li key={index}>
            Where <Said>{conditionInWords(rule)}</Said>,{" "}
            {rule.then === "deny" ? "the call is refused" : "an administrator decides"}:{" "}
            <q>
              <Said>{rule.say}</Said>
            </q>
          </li>
        ))}
      </ul>
    </section>
  );
}

function ToolLink({ slug }: { slug: string }) {
  return (
    <Go to={pathOf`/connections/${slug}`}>
      <code>{slug}</code>
    </Go>
  );
}
