/** Checks texts beside the page, so that nobody's typing waits for it. */

import * as z from "zod";
import { FRAMED_TOOL_SCHEMA } from "../../../supabase/functions/_shared/framed-tool.ts";
import { checkText } from "./checked.ts";
import type { CheckAnswer, CheckQuestion } from "./check-messages.ts";

// Nothing here may be made from text, and the policy tells of every try.
z.config({ jitless: true });

const answer = (message: CheckAnswer) => self.postMessage(message);

self.addEventListener("message", ({ data }: MessageEvent<CheckQuestion>) => {
  if (data.asks === "schema") {
    // Parts of it are made when they are read.
    answer({ answers: "schema", schema: JSON.parse(JSON.stringify(FRAMED_TOOL_SCHEMA)) });
  } else {
    answer({ answers: "check", id: data.id, checked: checkText(data.text, data.told) });
  }
});
