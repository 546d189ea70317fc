/** Where a file is written: the editor, what the check says, what a host will see, and the button that puts it on the workspace. */

import { useEffect, useRef, useState } from "react";
import {
  isJsonObject,
  type JsonObject,
  type JsonValue,
} from "../../../supabase/functions/_shared/definition/json.ts";
import { type DefinedTool, useDefine, useStanding } from "../api/define.ts";
import { Problem } from "../api/problem.ts";
import { useAction } from "../api/use-action.ts";
import { useWorkspace } from "../shell/workspace-context.tsx";
import { Button } from "../ui/button.tsx";
import { Notice } from "../ui/notice.tsx";
import { Said } from "../ui/said.tsx";
import { DefineWords, NothingToSee, statusOf } from "./bench-words.tsx";
import { type DraftPlace, keepDraft } from "./draft.ts";
import { CodeEditor, type EditorHandle } from "./editor/code-editor.tsx";
import { HostViews } from "./host-views.tsx";
import { Outcome, Refused } from "./outcome.tsx";
import { ProblemList } from "./problem-list.tsx";
import type { PlacedProblem } from "./problem-places.ts";
import { readFile } from "./read-file.ts";
import { addFixture, type NewFixture } from "./record/add-fixture.ts";
import { RecordDialog } from "./record/record-dialog.tsx";
import { layOut } from "./lay-out.ts";
import { saveText, Toolbar } from "./toolbar.tsx";
import { useCheck } from "./use-check.ts";
import { useIncoming } from "./use-incoming.ts";

const NOTHING: readonly string[] = [];
const NO_PROBLEMS: readonly PlacedProblem[] = [];

export interface BenchProps {
  place: DraftPlace;
  /** The file that stands on the workspace; empty for a new one. */
  standing: string;
  /** What was being written here before; null for nothing. */
  draft: string | null;
  /** Whether it begins with the recording of a fixture. */
  records: boolean;
}

interface Came {
  readonly tone: "info" | "bad";
  readonly title: string;
  readonly says: string;
}

export function Bench({ place, standing, draft, records }: BenchProps) {
  const workspace = useWorkspace();
  const [begun] = useState(draft ?? standing);
  const [text, setText] = useState(begun);
  const [told, setTold] = useState(NOTHING);
  const [came, setCame] = useState<Came | null>(null);
  const [defined, setDefined] = useState<DefinedTool | null>(null);
  const [isAwaited, setAwaited] = useState(false);
  const [isHeldBack, setHeldBack] = useState(false);
  const [isRecording, setRecording] = useState(records);
  const editor = useRef<EditorHandle>(null);
  const problemsHead = useRef<HTMLHeadingElement>(null);
  const outcomeHead = useRef<HTMLHeadingElement>(null);
  const { checked, isBehind, schema } = useCheck(text, told);
  const send = useDefine(workspace.id);
  const file = checked?.file ?? null;
  const { data: tool } = useStanding(workspace.id, isBehind ? null : file?.slug ?? null);
  const here = useLast(tool === undefined ? null : { slug: file?.slug, tool });

  const define = useAction(async () => {
    setDefined(null);
    setTold(NOTHING);
    try {
      setDefined(await send(JSON.parse(text)));
      keepDraft(place, null);
    } catch (error) {
      if (error instanceof Problem && error.reason === "bad_definition") setTold(error.problems);
      throw error;
    }
  });

  // What the check has seen, and found to hold no credential, is kept in this tab.
  useEffect(() => {
    if (checked === null || isBehind || defined !== null) return;
    keepDraft(place, checked.mayBeKept && text !== standing && text.trim() !== "" ? text : null);
  }, [checked, isBehind, text, defined]);

  useEffect(() => {
    if (!isAwaited || isBehind || checked === null) return;
    setAwaited(false);
    if (checked.problems.length === 0) return void define.run();
    setHeldBack(true);
    problemsHead.current?.focus();
  }, [isAwaited, isBehind, checked]);

  useEffect(() => {
    if (defined !== null) outcomeHead.current?.focus();
  }, [defined]);
  useEffect(() => {
    if (checked !== null && checked.workspaceProblems.length > 0) problemsHead.current?.focus();
  }, [checked?.workspaceProblems.length]);

  function change(next: string) {
    setText(next);
    setHeldBack(false);
    setDefined(null);
    define.reset();
  }

  function put(next: string) {
    editor.current?.replace(next);
    setTold(NOTHING);
    editor.current?.focus();
  }

  async function take(files: readonly File[]) {
    const [first] = files;
    if (first === undefined) return;
    const read = await readFile(first);
    if (!read.ok) return setCame({ tone: "bad", title: `${read.name} cannot be taken`, says: read.says });
    const had = text.trim() !== "";
    put(read.text);
    setCame({
      tone: "info",
      title: `${read.name} is here`,
      says: (files.length > 1 ? `One file at a time: of ${files.length} the first was taken. ` : "") +
        (had ? "Undo, Ctrl+Z in the editor, brings back what was there." : ""),
    });
  }

  const written = isRecording ? objectOf(text) : null;
  const withFixture = (fixture: NewFixture) => layOut(addFixture(written!, fixture));

  const isOver = useIncoming({
    onFiles: (files) => void take(files),
    onText(pasted) {
      put(pasted);
      setCame({ tone: "info", title: "What you pasted is here", says: "" });
    },
  });

  const problems = checked?.problems ?? [];
  const workspaceProblems = told.length === 0 ? NO_PROBLEMS : checked?.workspaceProblems ?? NO_PROBLEMS;
  const isEmpty = text.trim() === "";
  const shown = isEmpty ? [] : problems;
  return (
    <>
      {isOver && <div className="drop-here" aria-hidden="true">Drop the file to check it</div>}
      <div className="bench">
        <div className="stack">
          <Toolbar
            text={text}
            isNew={place.slug === null}
            hasProblems={problems.length > 0}
            onFile={(chosen) => void take([chosen])}
            onText={put}
            onRecord={here?.tool && workspace.mayUse ? () => setRecording(true) : null}
          />
          {here?.tool && workspace.mayUse && (
            <RecordDialog
              isOpen={isRecording}
              onClose={() => setRecording(false)}
              slug={here.tool.tool.slug}
              detail={here.tool}
              onPut={written === null ? null : (fixture) => {
                put(withFixture(fixture));
                setCame({
                  tone: "info",
                  title: "The recorded fixture is in the file",
                  says: "Look it over, then put it on the workspace.",
                });
                setRecording(false);
              }}
              onDownload={written === null ? null : (fixture) => saveText(withFixture(fixture))}
            />
          )}
          {came !== null && (
            <Notice tone={came.tone} title={<Said>{came.title}</Said>}>
              {came.says === "" ? null : came.says}
            </Notice>
          )}
          {draft !== null && draft === text && (
            <Notice tone="plain" title="What you were writing is here again">
              <p>
                <Button
                  onClick={() =>
                    put(standing)}
                >
                  {standing === "" ? "Begin with nothing" : "Begin with the file that stands"}
                </Button>
              </p>
            </Notice>
          )}
          <div className="stack-tight">
            <CodeEditor
              ref={editor}
              label="The file"
              initial={begun}
              onChange={change}
              schema={schema}
              problems={isBehind ? null : [...shown, ...workspaceProblems]}
              hint="Paste or write a framed-tool.json here"
            />
            <p className="small muted editor-foot">
              <span role="status">{statusOf({ isEmpty, checked, isBehind })}</span>
              <span>Tab leaves the editor; Ctrl+Space shows what can be written.</span>
            </p>
            {checked !== null && !isEmpty && !checked.mayBeKept && (
              <Notice tone="warn">
                This tab does not keep the text while something in it may be a credential. A file names its
                secrets and never holds one.
              </Notice>
            )}
          </div>
          {workspaceProblems.length > 0 && (
            <ProblemList
              ref={problemsHead}
              title="The workspace says"
              text={checked!.text}
              problems={workspaceProblems}
              onGo={(problem) => editor.current?.goTo(problem)}
            />
          )}
          {shown.length > 0 && (
            <ProblemList
              {...(workspaceProblems.length > 0 ? {} : { ref: problemsHead })}
              title={shown.length === 1 ? "1 problem" : `${shown.length} problems`}
              text={checked!.text}
              problems={shown}
              onGo={(problem) => editor.current?.goTo(problem)}
            />
          )}
          {define.error !== null && (
            <Refused
              error={define.error}
              slug={file?.slug ?? null}
              onRetry={() => void define.run()}
            />
          )}
          {defined !== null && (
            <Outcome
              ref={outcomeHead}
              defined={defined}
              workspace={workspace.name}
              isAdmin={workspace.isAdmin}
            />
          )}
          {defined === null && (workspace.mayUse
            ? (
              <div className="row">
                <Button
                  variant="primary"
                  isBusy={define.isBusy || isAwaited}
                  disabled={isEmpty}
                  onClick={() => setAwaited(true)}
                >
                  {here?.tool ? "Replace the tool" : "Add the tool"}
                </Button>
                <p className="small muted" role="status">
                  <DefineWords
                    heldBackBy={isHeldBack ? shown.length : 0}
                    workspace={workspace.name}
                    replaces={place.slug}
                    slug={file?.slug ?? null}
                    standing={here?.tool ?? null}
                  />
                </p>
              </div>
            )
            : (
              <Notice tone="info">
                You can write and check a file here. Putting it on the workspace takes the grant to use its
                tools, which an administrator gives.
              </Notice>
            ))}
        </div>
        <div className="stack">
          {file !== null ? <HostViews file={file} /> : <NothingToSee isEmpty={isEmpty} />}
        </div>
      </div>
    </>
  );
}

/** What stands there as JSON; null where it is none, or no object. */
function objectOf(text: string): JsonObject | null {
  try {
    const value: JsonValue = JSON.parse(text);
    return isJsonObject(value) ? value : null;
  } catch {
    return null;
  }
}

/** What was there last, while the next one is looked up. */
function useLast<T>(value: T | null): T | null {
  const last = useRef(value);
  if (value !== null) last.current = value;
  return last.current;
}
