/**
 * What a `framed-tool.json` is: one zod format per kind. The types, the JSON Schema and the structural part of the
 * check all come from here; what a format cannot say is in `checks/`. Pure.
 */

import * as z from "zod";
import { followUpFormat, previewFormat, rulesFormat } from "./format-after.ts";
import {
  dottedPathFormat,
  jsonFormat,
  jsonObjectFormat,
  listFormat,
  mapFormat,
  objectFormat,
  oneOfFormat,
  secretNameFormat,
  shortListFormat,
  slugFormat,
  textFormat,
} from "./format-parts.ts";
import { requestFormat } from "./format-request.ts";
import { once } from "./once.ts";
import { grouped } from "./words.ts";

/** The most characters of a server's address: what it lists is kept by it, and an index of the store takes no more. */
const MAX_SERVER_URL = 2_048;

export const KINDS = ["request", "fixture", "mcp"] as const;
export type Kind = (typeof KINDS)[number];

const MAX_FIELDS = 500;
const MAX_CAPABILITIES = 50;

const common = once(() => ({
  $schema: z.string({ error: "a text" }).optional()
    .describe("Where an editor finds the schema of this file. Framed ignores it."),
  format: z.literal("framed-tool/1", { error: '"framed-tool/1"' })
    .describe('The version of this format: always "framed-tool/1".'),
  slug: slugFormat()
    .describe(
      "The tool's name in calls, unique on the workspace. Lower-case letters, digits and underscores; names starting framed_ are reserved, and so are define and calls.",
    ),
  name: textFormat(80).describe("What a person reads: in Connections, on an approval, in the log."),
  description: textFormat(1000)
    .describe("What a model reads when it picks a tool: what comes back, and when to use it."),
}));

export const ACCESS = ["read", "write", "sensitive"] as const;
/** What a call does. */
export type Access = (typeof ACCESS)[number];

const access = once(() =>
  oneOfFormat(ACCESS).describe(
    "What a call does. read: runs on the call. write: waits for a person's approval. sensitive: waits for an administrator, and the answer is never kept.",
  )
);

const confirm = once(() =>
  z.boolean({ error: "true or false" }).describe(
    "true makes a read wait for an approval too. Nothing makes a write run without one.",
  )
);

const argumentsFormat = once(() =>
  z.looseObject({
    type: z.literal("object", { error: '"object"' }).describe("Arguments are always an object."),
    properties: mapFormat(jsonFormat()).optional()
      .describe("One schema per argument. A description on each tells a model what to put there."),
    required: z.array(z.string({ error: "the name of an argument" }), { error: "a list of argument names" })
      .optional().describe("The arguments a call cannot go without."),
    additionalProperties: jsonFormat().optional()
      .describe("true lets a call carry arguments that are not declared. Left out, they are refused."),
  }, { error: 'a JSON Schema of type "object"' })
    .describe("What a call takes: a JSON Schema (2020-12) of type object.")
);

const resultFormat = once(() =>
  objectFormat({
    rows: dottedPathFormat().optional()
      .describe("Where the rows are in the answer, such as data.items. Left out, the only list is taken."),
    fields: shortListFormat(dottedPathFormat(), { max: MAX_FIELDS, items: "dotted paths" }).optional()
      .describe("The only fields of a row that leave Framed, such as contact.name. Left out, all do."),
  }).describe("Where the rows of an answer are, and which of their fields may leave.")
);

const authFormat = once(() =>
  objectFormat({
    secret: secretNameFormat().optional()
      .describe(
        "The name of the secret that {{secret}} stands for. The value is pasted on the workspace, never here.",
      ),
    env: objectFormat({
      clientId: secretNameFormat().optional().describe("The name of the value that {{clientId}} stands for."),
      clientSecret: secretNameFormat().optional().describe(
        "The name of the value that {{clientSecret}} stands for.",
      ),
      redirectUri: secretNameFormat().optional().describe(
        "The name of the value that {{redirectUri}} stands for.",
      ),
      accessToken: secretNameFormat().optional().describe(
        "The name of the value that {{accessToken}} stands for.",
      ),
      administrationId: secretNameFormat().optional()
        .describe("The name of the value that {{administrationId}} stands for."),
    }).optional().describe("Further secret names, each a CONNECTOR_ name that the request uses."),
  }).describe("The names of the secrets the request uses. Never a value.")
);

const operation = once(() => oneOfFormat(["list", "get"]));

function capabilityFormat<T extends z.ZodRawShape>(more: T) {
  return objectFormat({
    id: z.string({ error: CAPABILITY_WANTED }).regex(/^[a-z][a-z0-9_]{0,62}\.read$/, {
      error: CAPABILITY_WANTED,
    })
      .describe("What can be read, as noun.read: contact.read, sales_invoice.read."),
    operations: listFormat(operation(), 'a list with "list", "get" or both')
      .meta({ uniqueItems: true })
      .describe("list, get, or both. A capability never writes."),
    result: resultFormat().optional().describe(
      "Where the rows of this capability are, in place of the tool's own result.",
    ),
    ...more,
  });
}

const CAPABILITY_WANTED = "an id such as contact.read (a noun of 1 to 63 of a-z, 0-9 and _, then .read)";

const capabilityRequests = once(() =>
  objectFormat({
    list: requestFormat().optional().describe("The request of list, in place of the tool's own."),
    get: requestFormat().optional().describe(
      "The request of get, in place of the tool's own; id counts as required in it.",
    ),
  }).describe("A request per operation, to the same host. An operation without one uses the tool's own.")
);

const CAPABILITIES = { max: MAX_CAPABILITIES, items: "capabilities" };
const CAPABILITIES_ARE =
  "What a process may ask of this tool by name. Only on a read; a call then names one.";

const fixtureFormat = once(() =>
  objectFormat({
    example: jsonObjectFormat().optional()
      .describe(
        "The arguments this answers, or a part of them. One fixture may leave it out and answers the rest.",
      ),
    label: textFormat(200).optional().describe("A few words about the example, for who reads the file."),
    response: jsonFormat("the answer (any JSON)").describe("What the call answers."),
  }).describe("An example call and the answer it gets.")
);

const fixtures = once(() =>
  listFormat(fixtureFormat(), "a list of at least one fixture")
    .describe("Example calls and their answers. The first whose example is part of the arguments answers.")
);

const mcpFormat = once(() =>
  objectFormat({
    url: z.string({ error: "the https address of the MCP server" }).max(MAX_SERVER_URL, {
      error: `an address of at most ${grouped(MAX_SERVER_URL)} characters`,
    }).describe("The https address of the MCP server."),
    auth: objectFormat({
      secret: secretNameFormat().describe("The name of the secret that is sent to the server."),
    }).optional().describe("The secret, sent as Authorization: Bearer unless headers places it."),
    headers: mapFormat(z.string({ error: "a text" })).optional()
      .describe("Further headers. {{secret}} stands for the secret."),
  }).describe("An outside MCP server, which says itself what its tools do.")
);

/** The format of each kind of file, built when it is first asked for. Strict: a key that the kind does not use is refused. */
export const FORMATS = {
  request: once(() =>
    objectFormat({
      ...common(),
      kind: z.literal("request").describe("One HTTP call."),
      access: access(),
      confirm: confirm().optional(),
      arguments: argumentsFormat(),
      request: requestFormat(),
      auth: authFormat().optional(),
      result: resultFormat().optional(),
      capabilities: shortListFormat(
        capabilityFormat({ requests: capabilityRequests().optional() }),
        CAPABILITIES,
      ).optional().describe(CAPABILITIES_ARE),
      fixtures: fixtures(),
      follow_up: followUpFormat().optional(),
      preview: previewFormat().optional(),
      rules: rulesFormat().optional(),
    })
  ),
  fixture: once(() =>
    objectFormat({
      ...common(),
      kind: z.literal("fixture").describe("Answers from its fixtures and nothing else."),
      access: access(),
      confirm: confirm().optional(),
      arguments: argumentsFormat(),
      result: resultFormat().optional(),
      capabilities: shortListFormat(capabilityFormat({}), CAPABILITIES)
        .optional().describe(CAPABILITIES_ARE),
      fixtures: fixtures(),
      follow_up: followUpFormat().optional(),
      preview: previewFormat().optional(),
      rules: rulesFormat().optional(),
    })
  ),
  mcp: once(() =>
    objectFormat({
      ...common(),
      kind: z.literal("mcp").describe("An outside MCP server as one tool."),
      access: access().optional(),
      confirm: confirm().optional(),
      arguments: argumentsFormat().optional(),
      mcp: mcpFormat(),
      result: resultFormat().optional(),
      fixtures: fixtures().optional(),
      follow_up: followUpFormat().optional(),
      preview: previewFormat().optional(),
      rules: rulesFormat().optional(),
    })
  ),
} as const;

/** A file of kind `request`: one HTTP call. */
export type RequestTool = z.infer<ReturnType<typeof FORMATS.request>>;
/** A file of kind `fixture`: it answers from its fixtures only. */
export type FixtureTool = z.infer<ReturnType<typeof FORMATS.fixture>>;
/** A file of kind `mcp`: an outside MCP server. */
export type McpTool = z.infer<ReturnType<typeof FORMATS.mcp>>;
/** A file that passed every check. */
export type FramedTool = RequestTool | FixtureTool | McpTool;
export type Fixture = z.infer<ReturnType<typeof fixtureFormat>>;
export type ResultFormat = z.infer<ReturnType<typeof resultFormat>>;
export type Capability = NonNullable<RequestTool["capabilities"]>[number];
