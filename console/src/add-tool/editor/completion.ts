/** Offers, at the cursor, the keys and values that the file's JSON Schema has there, with what they are for. */

import {
  type Completion,
  type CompletionContext,
  type CompletionResult,
  pickedCompletion,
} from "@codemirror/autocomplete";
import { hoverTooltip, type Tooltip } from "@codemirror/view";
import type { JsonObject } from "../../../../supabase/functions/_shared/definition/json.ts";
import { cursorPlace, outlineOf } from "../outline.ts";
import { descriptionAt, keyOffers, type Offer, valueOffers } from "../schema-at.ts";

/** The schema: what is known of it now, and all of it when it has come. */
export interface Schema {
  readonly now: () => JsonObject | null;
  readonly soon: Promise<JsonObject>;
}

/** Whoever asks for it before the schema is there is answered when it is; typing goes on meanwhile. */
export function completeFile(
  schema: Schema,
): (context: CompletionContext) => CompletionResult | null | Promise<CompletionResult | null> {
  return (context) => {
    const known = schema.now();
    if (known !== null) return offersAt(context, known);
    return context.explicit ? schema.soon.then((known) => offersAt(context, known)) : null;
  };
}

function offersAt(context: CompletionContext, known: JsonObject): CompletionResult | null {
  const root = outlineOf(context.state.sliceDoc());
  const place = cursorPlace(root, context.pos);
  if (place === null) return null;
  const bare = context.matchBefore(/[$\w]+/);
  if (place.from === place.to && bare === null && !context.explicit) return null;
  const question = { schema: known, root };
  const offers = place.wants === "key"
    ? keyOffers(question, place.path, place.taken)
    : valueOffers(question, place.path);
  if (offers.length === 0) return null;
  return {
    from: bare?.from ?? context.pos,
    options: offers.map((offer, at) => optionOf(offer, { wants: place.wants, boost: Math.max(90 - at, 0) })),
    validFor: /^[$\w]*$/,
  };
}

function optionOf(offer: Offer, { wants, boost }: { wants: "key" | "value"; boost: number }): Completion {
  return {
    label: offer.label,
    detail: offer.detail,
    type: wants === "key" ? "property" : "constant",
    boost,
    ...(offer.description === null ? {} : { info: offer.description }),
    apply(view, completion, typedFrom, typedTo) {
      const text = view.state.sliceDoc();
      const place = cursorPlace(outlineOf(text), typedTo);
      // The whole of the key or value goes that the cursor is in, its quotes included.
      const from = Math.min(place?.from ?? typedFrom, typedFrom);
      const to = Math.max(place?.to ?? typedTo, typedTo);
      const insert = wants === "key" ? keyWritten(offer, text.slice(to)) : offer.json;
      const isEmpty = wants === "key" && EMPTY.some((empty) => insert.replace(/,$/, "").endsWith(empty));
      const end = from + insert.length - (insert.endsWith(",") ? 1 : 0);
      view.dispatch({
        changes: { from, to, insert },
        selection: { anchor: isEmpty ? end - 1 : end },
        scrollIntoView: true,
        userEvent: "input.complete",
        annotations: pickedCompletion.of(completion),
      });
    },
  };
}

/** What is written into: the cursor goes there. */
const EMPTY = ['""', "{}", "[]"];

/** A key with its value begun, unless one stands behind it already, and a comma where another key follows. */
function keyWritten({ label, json }: Offer, behind: string): string {
  const key = JSON.stringify(label);
  if (/^\s*:/.test(behind)) return key;
  return `${key}: ${json}${/^\s*"/.test(behind) ? "," : ""}`;
}

/** What the key or value under the pointer is for. */
export function explainFile(schema: Schema) {
  return hoverTooltip((view, pos): Tooltip | null => {
    const known = schema.now();
    if (known === null) return null;
    const root = outlineOf(view.state.sliceDoc());
    const place = cursorPlace(root, pos);
    if (place === null || place.from === place.to) return null;
    const key = view.state.sliceDoc(place.from, place.to).replace(/^"|"$/g, "");
    const path = place.wants === "key" ? [...place.path, key] : place.path;
    const description = descriptionAt({ schema: known, root }, path);
    if (description === null) return null;
    return {
      pos: place.from,
      end: place.to,
      above: true,
      create() {
        const dom = document.createElement("div");
        dom.className = "cm-explains";
        dom.textContent = description;
        return { dom };
      },
    };
  });
}
