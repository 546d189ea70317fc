/** The five tools every host gets, whatever the workspace has: their names, words and shapes. */

import * as z from "zod";
import type { JsonObject } from "../definition/json.ts";
import { once } from "../definition/once.ts";
import { ASKED_ONCE, callFields, resultPathShape } from "../http/call-shape.ts";
import { DEFAULT_LIMIT, MAX_LIMIT } from "../http/list.ts";
import { uuidShape } from "../http/shape.ts";

/** How a host tool is offered. */
interface Offer {
  readonly title: string;
  readonly description: string;
  readonly annotations: {
    readonly readOnlyHint: boolean;
    readonly destructiveHint: boolean;
    readonly idempotentHint: boolean;
    /** Whether it may reach a system outside of Framed. */
    readonly openWorldHint: boolean;
  };
}

const LOOKS = { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false };

/** The offers, in the order they are listed. */
export const OFFERS = {
  framed_list: {
    title: "List what the workspace has",
    description:
      'Lists the company\'s own tools (of: "tools") with what each does and the arguments it takes, what waits for a person (of: "approvals"), or the workspaces within reach (of: "workspaces"). Begin here. query narrows the tools by name or description; cursor goes on where a page ended.',
    annotations: LOOKS,
  },
  framed_read: {
    title: "Read with a tool",
    description:
      "Calls one of the workspace's tools that only reads, and answers what the company's own system says now. Refuses, without sending anything, whatever would change something or wait for a person: propose that with framed_tool. kept: true answers the last read instead of asking again. A result too long to send has a result_handle for framed_result.",
    annotations: { ...LOOKS, idempotentHint: false, openWorldHint: true },
  },
  framed_tool: {
    title: "Use a tool, or propose what it would change",
    description:
      "Calls one of the workspace's tools. One that reads runs at once. One that changes something changes nothing yet: it becomes a proposal that a person of the company decides about. Then do not call again; tell the person where to review it, and ask with framed_approval what became of it.",
    annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: true },
  },
  framed_result: {
    title: "Read on in a long result",
    description:
      "Reads a result that was too long to send at once, page by page, by the result_handle of the answer. path is a dotted path into it, such as data.items; offset and limit page through the list that is there.",
    annotations: LOOKS,
  },
  framed_approval: {
    title: "Ask what became of a proposal",
    description:
      "Tells where a proposal of framed_tool stands: waiting for a person, approved and sent, rejected with the reason, expired, or replaced by another. Asking changes nothing and hurries nobody.",
    annotations: LOOKS,
  },
} as const satisfies Record<string, Offer>;

export type HostToolName = keyof typeof OFFERS;

export function isHostTool(name: string): name is HostToolName {
  return Object.hasOwn(OFFERS, name);
}

const workspaceId = once(() =>
  uuidShape().optional().meta({
    description:
      "May be left out where only one workspace is within reach. framed_list of workspaces has the ids.",
  })
);

const callShape = once(() => {
  const { args, capability, operation, persist, kept } = callFields();
  return z.strictObject({
    tool: z.string({ error: "the name of a tool is wanted" }).max(200, {
      error: "at most 200 characters are wanted",
    }).meta({ description: 'The tool, as framed_list of "tools" names it.' }),
    args: args.meta({ description: "What the tool takes, as framed_list shows it.", type: "object" }),
    capability: capability.meta({ description: "Of a tool with capabilities, such as contact.read." }),
    operation: operation.meta({ description: "With a capability: list or get." }),
    persist: persist.meta({ description: "Keep the answer in Framed also when it is no list of rows." }),
    kept: kept.meta({ description: "Answer from the last read that was kept, and ask nothing." }),
    workspace_id: workspaceId(),
  }).refine(ASKED_ONCE.holds, ASKED_ONCE.says);
});

/** What each tool takes. */
export const SHAPES = {
  framed_list: once(() =>
    z.strictObject({
      of: z.enum(["tools", "approvals", "workspaces"], { error: "tools, approvals or workspaces is wanted" }),
      query: z.string({ error: "a text is wanted" }).max(200, { error: "at most 200 characters are wanted" })
        .optional().meta({ description: "Of tools: only those whose name or description holds this text." }),
      cursor: z.string({ error: "a text is wanted" }).max(400, { error: "at most 400 characters are wanted" })
        .optional().meta({ description: "The next_cursor of the page before, unchanged." }),
      workspace_id: workspaceId(),
    }).refine(({ of, query }) => of === "tools" || query === undefined, {
      path: ["query"],
      error: "only tools are searched; leave it out",
    })
  ),
  framed_read: callShape,
  framed_tool: callShape,
  framed_result: once(() =>
    z.strictObject({
      result_handle: z.string({ error: "the result_handle of an answer is wanted" }).max(100, {
        error: "at most 100 characters are wanted",
      }).meta({ description: "As the answer of framed_read or framed_tool has it." }),
      path: resultPathShape().meta({ description: "A dotted path into the result; left out, the whole." }),
      offset: z.int({ error: "a whole number from 0 is wanted" }).min(0, {
        error: "a whole number from 0 is wanted",
      }).max(999_999_999, { error: "at most 999,999,999 is wanted" }).optional().meta({
        description: "How many elements of the list to pass over; 0 where it is left out.",
      }),
      limit: z.int({ error: `a number from 1 to ${MAX_LIMIT} is wanted` }).min(1, {
        error: `a number from 1 to ${MAX_LIMIT} is wanted`,
      }).max(MAX_LIMIT, { error: `a number from 1 to ${MAX_LIMIT} is wanted` }).optional().meta({
        description: `Elements of a page; ${DEFAULT_LIMIT} where it is left out.`,
      }),
    })
  ),
  framed_approval: once(() =>
    z.strictObject({
      approval_id: uuidShape().meta({ description: "The approval_id that framed_tool answered." }),
    })
  ),
};

/** What every answer holds, a refusal too; the rest is in the reference of the API. */
const OUTPUT = {
  type: "object",
  properties: {
    ok: {
      type: "boolean",
      description: "false where the call was refused: reason, detail and hint say why.",
    },
    request_id: { type: "string", description: "Names this request in the log of Framed." },
  },
  required: ["ok", "request_id"],
};

/** What `tools/list` answers, made once. */
export const listHostTools = once(() =>
  (Object.keys(OFFERS) as HostToolName[]).map((name) => {
    const { title, description, annotations } = OFFERS[name];
    return {
      name,
      title,
      description,
      inputSchema: inputSchemaOf(name),
      outputSchema: OUTPUT as typeof OUTPUT & { type: "object" },
      annotations: { title, ...annotations },
    };
  })
);

function inputSchemaOf(name: HostToolName) {
  const schema = z.toJSONSchema(SHAPES[name](), {
    io: "input",
    unrepresentable: "any",
    // A pattern here has no flags, and would refuse what is read without regard to case.
    override({ jsonSchema }) {
      if (jsonSchema.pattern === undefined) return;
      delete jsonSchema.pattern;
      jsonSchema.format = "uuid";
    },
  });
  delete schema.$schema;
  return schema as JsonObject & { type: "object" };
}
