/**
 * The editor of a file. It stands in a shadow root: there it takes its styles as a style sheet of the page's own script,
 * where in the page itself it would write a style element, which the policy keeps out.
 */

import {
  autocompletion,
  closeBrackets,
  closeBracketsKeymap,
  completionKeymap,
} from "@codemirror/autocomplete";
import { defaultKeymap, history, historyKeymap } from "@codemirror/commands";
import { json } from "@codemirror/lang-json";
import { bracketMatching, indentOnInput } from "@codemirror/language";
import {
  type Diagnostic,
  forEachDiagnostic,
  linter,
  lintGutter,
  lintKeymap,
  setDiagnostics,
} from "@codemirror/lint";
import { EditorState } from "@codemirror/state";
import {
  drawSelection,
  EditorView,
  highlightActiveLine,
  highlightActiveLineGutter,
  highlightSpecialChars,
  keymap,
  lineNumbers,
  placeholder,
} from "@codemirror/view";
import { type Ref, useEffect, useImperativeHandle, useRef, useState } from "react";
import type { JsonObject } from "../../../../supabase/functions/_shared/definition/json.ts";
import { shownText } from "../../../../supabase/functions/_shared/approvals/visible.ts";
import type { PlacedProblem } from "../problem-places.ts";
import { completeFile, explainFile } from "./completion.ts";
import { editorTheme } from "./theme.ts";
import "./code-editor.css";

export interface EditorHandle {
  /** Puts `text` in the place of everything, as one step that can be undone. */
  replace(text: string): void;
  /** Shows the place of `problem` and puts the cursor there. */
  goTo(problem: PlacedProblem): void;
  focus(): void;
}

export interface CodeEditorProps {
  ref: Ref<EditorHandle>;
  label: string;
  /** What it begins with. */
  initial: string;
  onChange: (text: string) => void;
  schema: JsonObject | null;
  /** Of the text as it stands; an older text's are left out. */
  problems: readonly PlacedProblem[] | null;
  hint: string;
}

/** What is heard of the editor when it takes the focus. */
const HOW = "Tab leaves the editor. Control and Space shows what can be written at the cursor.";

export function CodeEditor({ ref, label, initial, onChange, schema, problems, hint }: CodeEditorProps) {
  const host = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView>(null);
  const latest = useRef({ onChange, schema });
  latest.current = { onChange, schema };
  const begins = useRef(initial);
  const [schemaSoon] = useState(() => Promise.withResolvers<JsonObject>());
  useEffect(() => {
    if (schema !== null) schemaSoon.resolve(schema);
  }, [schema]);

  useEffect(() => {
    const root = host.current!.shadowRoot ?? host.current!.attachShadow({ mode: "open" });
    const how = document.createElement("p");
    how.id = "how";
    how.hidden = true;
    how.textContent = HOW;
    const made = new EditorView({
      root,
      state: EditorState.create({ doc: begins.current, extensions: extensions() }),
    });
    root.replaceChildren(how, made.dom);
    view.current = made;
    return () => {
      // Where it is made a second time, it goes on with what stood there.
      begins.current = made.state.sliceDoc();
      made.destroy();
    };

    function extensions() {
      const known = { now: () => latest.current.schema, soon: schemaSoon.promise };
      return [
        lineNumbers(),
        // Nothing is looked for here: what is found comes from outside.
        linter(null),
        lintGutter(),
        highlightActiveLine(),
        highlightActiveLineGutter(),
        highlightSpecialChars({ addSpecialChars: HIDDEN }),
        history(),
        drawSelection(),
        indentOnInput(),
        bracketMatching(),
        closeBrackets(),
        json(),
        autocompletion({ override: [completeFile(known)], icons: false }),
        explainFile(known),
        keymap.of([
          ...closeBracketsKeymap,
          ...completionKeymap,
          ...lintKeymap,
          ...historyKeymap,
          ...defaultKeymap,
        ]),
        EditorView.lineWrapping,
        EditorView.contentAttributes.of({
          "aria-label": label,
          "aria-describedby": "how",
          "aria-multiline": "true",
          tabindex: "0",
          spellcheck: "false",
          autocapitalize: "off",
          autocorrect: "off",
        }),
        placeholder(hint),
        // A file that is dropped is the page's to take, wherever it falls.
        EditorView.domEventHandlers({
          drop: (event) => event.dataTransfer?.types.includes("Files") ?? false,
        }),
        EditorView.updateListener.of((update) => {
          if (update.docChanged) latest.current.onChange(update.state.sliceDoc());
        }),
        editorTheme,
      ];
    }
  }, []);

  useEffect(() => {
    const { current } = view;
    if (current === null || problems === null) return;
    const { length } = current.state.doc;
    const diagnostics = problems.map((problem): FileDiagnostic => ({
      from: Math.min(problem.from, length),
      to: Math.min(Math.max(problem.to, problem.from), length),
      severity: "error",
      message: shownText(problem.line),
      problem,
    })).sort((a, b) => a.from - b.from);
    current.dispatch(setDiagnostics(current.state, diagnostics));
  }, [problems]);

  useImperativeHandle(ref, () => ({
    replace(text) {
      const { current } = view;
      if (current === null) return;
      current.dispatch({
        changes: { from: 0, to: current.state.doc.length, insert: text },
        selection: { anchor: 0 },
        scrollIntoView: true,
        userEvent: "input.replace",
      });
    },
    goTo(problem) {
      const { current } = view;
      if (current === null) return;
      let at = Math.min(problem.from, current.state.doc.length);
      // It has moved with what was typed since.
      forEachDiagnostic(current.state, (diagnostic: FileDiagnostic, from) => {
        if (diagnostic.problem?.line === problem.line) at = from;
      });
      current.dispatch({
        selection: { anchor: at },
        effects: EditorView.scrollIntoView(at, { y: "center" }),
      });
      current.focus();
    },
    focus: () => view.current?.focus(),
  }), []);

  return <div ref={host} className="code-editor" />;
}

interface FileDiagnostic extends Diagnostic {
  readonly problem?: PlacedProblem;
}

/** Beside the control characters that are shown by themselves: what hides, turns or only looks like a blank. */
const HIDDEN = /[\u00a0\u1680\u2000-\u200f\u2028-\u202f\u205f-\u206f\u3000\u3164\ufe00-\ufe0f\ufff9-\ufffb]/g;
