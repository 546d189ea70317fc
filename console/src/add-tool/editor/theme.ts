/** How the editor looks: the console's own colours and type, which reach into its shadow root. */

import { HighlightStyle, syntaxHighlighting } from "@codemirror/language";
import { EditorView } from "@codemirror/view";
import { tags } from "@lezer/highlight";

const look = EditorView.theme({
  "&": { color: "var(--ink)", backgroundColor: "var(--surface)", fontSize: "var(--editor-text)" },
  "&.cm-focused": { outline: "none" },
  ".cm-scroller": {
    fontFamily: "var(--mono)",
    lineHeight: "1.55",
    minHeight: "22rem",
    maxHeight: "min(70vh, 46rem)",
  },
  ".cm-content": { padding: "0.75rem 0", caretColor: "var(--ink)" },
  ".cm-line": { padding: "0 0.75rem 0 0.5rem" },
  ".cm-cursor, .cm-dropCursor": { borderLeftColor: "var(--ink)" },
  "&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground": {
    backgroundColor: "color-mix(in srgb, var(--accent) 26%, transparent)",
  },
  ".cm-gutters": { color: "var(--muted)", backgroundColor: "var(--surface)", border: "none" },
  ".cm-lineNumbers .cm-gutterElement": { minWidth: "2.25em" },
  ".cm-activeLine": { backgroundColor: "color-mix(in srgb, var(--sunken) 55%, transparent)" },
  ".cm-activeLineGutter": { backgroundColor: "transparent", color: "var(--ink)" },
  "&.cm-focused .cm-matchingBracket": {
    backgroundColor: "var(--accent-soft)",
    outline: "1px solid var(--accent)",
  },
  ".cm-placeholder": { color: "var(--muted)" },
  ".cm-gutter-lint": { width: "1.25em" },
  ".cm-gutter-lint .cm-gutterElement": { padding: "0" },
  ".cm-lint-marker": {
    content: "none",
    width: "0.6em",
    height: "0.6em",
    margin: "0.45em auto 0",
    borderRadius: "50%",
    background: "var(--bad)",
  },
  ".cm-lintRange-error": {
    backgroundImage: "none",
    textDecoration: "underline wavy var(--bad) 1px",
    textUnderlineOffset: "3px",
  },
  ".cm-lintPoint-error:after": { borderBottomColor: "var(--bad)" },
  ".cm-tooltip": {
    color: "var(--ink)",
    backgroundColor: "var(--raised)",
    border: "1px solid var(--line-strong)",
    borderRadius: "var(--radius)",
    boxShadow: "var(--shadow)",
    maxWidth: "min(26rem, calc(100vw - 2rem))",
  },
  ".cm-tooltip .cm-diagnostic": {
    borderLeft: "3px solid var(--bad)",
    padding: "0.4rem 0.7rem",
    font: "var(--text-small) / 1.45 var(--font)",
    whiteSpace: "pre-wrap",
    overflowWrap: "anywhere",
  },
  ".cm-explains": { padding: "0.4rem 0.7rem", font: "var(--text-small) / 1.45 var(--font)" },
  ".cm-tooltip.cm-tooltip-autocomplete > ul": {
    fontFamily: "var(--mono)",
    maxHeight: "16rem",
    maxWidth: "min(26rem, 90vw)",
    borderRadius: "var(--radius)",
  },
  ".cm-tooltip.cm-tooltip-autocomplete > ul > li": { padding: "0.3rem 0.7rem", lineHeight: "1.4" },
  ".cm-tooltip-autocomplete ul li[aria-selected]": {
    color: "var(--on-accent)",
    backgroundColor: "var(--accent)",
  },
  ".cm-completionDetail": {
    font: "var(--text-small) var(--font)",
    fontStyle: "normal",
    color: "var(--muted)",
    marginLeft: "0.75rem",
  },
  "li[aria-selected] .cm-completionDetail": { color: "inherit" },
  ".cm-completionMatchedText": { textDecoration: "none", fontWeight: "700" },
  ".cm-tooltip.cm-completionInfo": {
    padding: "0.5rem 0.75rem",
    width: "min(20rem, 80vw)",
    maxWidth: "min(20rem, 80vw)",
    font: "var(--text-small) / 1.45 var(--font)",
  },
  ".cm-specialChar": { color: "var(--bad)", fontWeight: "700" },
});

const colours = HighlightStyle.define([
  { tag: tags.propertyName, color: "var(--accent)" },
  { tag: tags.string, color: "var(--ink)" },
  { tag: [tags.number, tags.bool, tags.null], color: "var(--info)" },
  { tag: [tags.separator, tags.squareBracket, tags.brace], color: "var(--muted)" },
  { tag: tags.invalid, color: "var(--bad)" },
]);

export const editorTheme = [look, syntaxHighlighting(colours)];
