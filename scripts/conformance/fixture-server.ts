/**
 * The server that the official conformance suite talks to: it has the tools, resources and prompts the suite's scenarios
 * ask for by name, and nothing of Connect. What is measured with it is how the endpoint serves a server.
 */

import {
  acceptedContent,
  CLIENT_CAPABILITIES_META_KEY,
  completable,
  createRequestStateCodec,
  inputRequired,
  inputResponse,
  McpServer,
  ResourceTemplate,
  type ServerContext,
} from "@modelcontextprotocol/server";
import * as z from "zod";

/** One red pixel. */
const PNG =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==";
/** A sound of no length. */
const WAV = "UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YQAAAAA=";

const states = createRequestStateCodec<{ step: number }>({ key: crypto.getRandomValues(new Uint8Array(32)) });

/** A server for one request. */
export function buildFixtureServer(): McpServer {
  const server = new McpServer({ name: "conformance-fixtures", version: "1.0.0" }, {
    capabilities: {
      tools: { listChanged: false },
      resources: { listChanged: false },
      prompts: { listChanged: false },
      logging: {},
    },
    requestState: { verify: states.verify },
  });
  addContents(server);
  addProgress(server);
  addQuestions(server);
  addResources(server);
  addPrompts(server);
  return server;
}

type Content =
  | { type: "text"; text: string }
  | { type: "image" | "audio"; data: string; mimeType: string }
  | { type: "resource"; resource: { uri: string; mimeType: string; text: string } };

const text = (said: string): Content => ({ type: "text", text: said });
const saying = (said: string) => ({ content: [text(said)] });
/** What the client of this request says it can be asked. */
const capabilitiesOf = ({ envelope }: ServerContext["mcpReq"]) =>
  (envelope as Record<string, unknown> | undefined)?.[CLIENT_CAPABILITIES_META_KEY] as
    | Record<string, unknown>
    | undefined;
const pause = () => new Promise((resolve) => setTimeout(resolve, 50));

function addContents(server: McpServer): void {
  const resource = (uri: string, mimeType: string, said: string): Content => ({
    type: "resource",
    resource: { uri, mimeType, text: said },
  });
  const contents: Record<string, Content[]> = {
    test_simple_text: [text("This is a simple text response for testing.")],
    test_image_content: [{ type: "image", data: PNG, mimeType: "image/png" }],
    test_audio_content: [{ type: "audio", data: WAV, mimeType: "audio/wav" }],
    test_embedded_resource: [
      resource("test://embedded-resource", "text/plain", "This is an embedded resource content."),
    ],
    test_multiple_content_types: [
      text("Multiple content types test:"),
      { type: "image", data: PNG, mimeType: "image/png" },
      resource("test://mixed-content-resource", "application/json", '{"test":"data","value":123}'),
    ],
  };
  for (const [name, content] of Object.entries(contents)) {
    server.registerTool(name, { description: `Answers with ${name}.` }, () => ({ content }));
  }
  server.registerTool("test_error_handling", { description: "Always fails." }, () => {
    throw new Error("This tool intentionally returns an error for testing");
  });
}

function addProgress(server: McpServer): void {
  server.registerTool(
    "test_tool_with_progress",
    { description: "Tells of its progress." },
    async ({ mcpReq }) => {
      const progressToken = mcpReq._meta?.progressToken;
      for (const progress of [0, 50, 100]) {
        if (progress > 0) await pause();
        if (progressToken === undefined) continue;
        await mcpReq.notify({
          method: "notifications/progress",
          params: { progressToken, progress, total: 100 },
        });
      }
      return saying("Done.");
    },
  );
  const logs = async ({ mcpReq }: ServerContext) => {
    await mcpReq.log("info", "Tool execution started");
    await pause();
    await mcpReq.log("info", "Tool processing data");
    await pause();
    await mcpReq.log("info", "Tool execution completed");
    return saying("Logged.");
  };
  server.registerTool("test_tool_with_logging", { description: "Logs while it runs." }, logs);
  server.registerTool("test_logging_tool", { description: "Logs where the client wants logs." }, logs);
}

const nameQuestion = () =>
  inputRequired.elicit({
    message: "What is your name?",
    requestedSchema: { type: "object", properties: { name: { type: "string" } }, required: ["name"] },
  });
const confirmQuestion = () =>
  inputRequired.elicit({
    message: "Please confirm",
    requestedSchema: { type: "object", properties: { ok: { type: "boolean" } }, required: ["ok"] },
  });
const samplingQuestion = (said: string) =>
  inputRequired.createMessage({
    messages: [{ role: "user", content: { type: "text", text: said } }],
    maxTokens: 100,
  });
const named = z.object({ name: z.string() });

/** What is asked of the client by a result, and answered with the next request. */
function addQuestions(server: McpServer): void {
  const add = (name: string, run: (context: ServerContext) => unknown) =>
    server.registerTool(
      `test_input_required_result_${name}`,
      { description: `Asks the client: ${name}.` },
      run as (context: ServerContext) => ReturnType<typeof saying>,
    );
  add("elicitation", ({ mcpReq }) => {
    const answered = acceptedContent(mcpReq.inputResponses, "user_name", named);
    return answered === undefined
      ? inputRequired({ inputRequests: { user_name: nameQuestion() } })
      : saying(`Hello, ${answered.name}!`);
  });
  add("sampling", ({ mcpReq }) => {
    const answered = inputResponse(mcpReq.inputResponses, "capital_question");
    return answered.kind === "sampling" ? saying(JSON.stringify(answered.result.content)) : inputRequired({
      inputRequests: { capital_question: samplingQuestion("What is the capital of France?") },
    });
  });
  add("list_roots", ({ mcpReq }) => {
    const answered = inputResponse(mcpReq.inputResponses, "client_roots");
    return answered.kind === "roots"
      ? saying(answered.roots.map(({ uri }) => uri).join(", "))
      : inputRequired({ inputRequests: { client_roots: inputRequired.listRoots() } });
  });
  const confirms = async ({ mcpReq }: ServerContext) =>
    mcpReq.requestState<{ step: number }>() === undefined
      ? inputRequired({
        inputRequests: { confirm: confirmQuestion() },
        requestState: await states.mint({ step: 1 }),
      })
      : saying("state-ok");
  add("request_state", confirms);
  add("tampered_state", confirms);
  add(
    "multiple_inputs",
    async ({ mcpReq }) =>
      ["user_name", "greeting", "client_roots"].every((key) =>
          inputResponse(mcpReq.inputResponses, key).kind !== "missing"
        )
        ? saying("All answered.")
        : inputRequired({
          inputRequests: {
            user_name: nameQuestion(),
            greeting: samplingQuestion("Generate a greeting"),
            client_roots: inputRequired.listRoots(),
          },
          requestState: await states.mint({ step: 1 }),
        }),
  );
  add("multi_round", async ({ mcpReq }) => {
    const step = mcpReq.requestState<{ step: number }>()?.step ?? 0;
    if (step === 2) return saying("Both answered.");
    return inputRequired({
      inputRequests: step === 0 ? { step1: nameQuestion() } : {
        step2: inputRequired.elicit({
          message: "Step 2: What is your favorite color?",
          requestedSchema: { type: "object", properties: { color: { type: "string" } }, required: ["color"] },
        }),
      },
      requestState: await states.mint({ step: step + 1 }),
    });
  });
  add("capabilities", ({ mcpReq }) => {
    const can = capabilitiesOf(mcpReq);
    return inputRequired({
      inputRequests: {
        ...(can?.sampling === undefined ? {} : { sampled: samplingQuestion("Say something.") }),
        ...(can?.elicitation === undefined ? {} : { confirm: confirmQuestion() }),
      },
    });
  });
  server.registerTool(
    "test_streaming_elicitation",
    { description: "Asks the client by its result." },
    () => inputRequired({ inputRequests: { confirm: confirmQuestion() } }) as never,
  );
  // Whether the client can be asked is for the endpoint to see.
  server.registerTool(
    "test_missing_capability",
    { description: "Needs sampling." },
    () => inputRequired({ inputRequests: { sampled: samplingQuestion("Say something.") } }) as never,
  );
}

function addResources(server: McpServer): void {
  server.registerResource("static-text", "test://static-text", {
    description: "A text.",
    mimeType: "text/plain",
  }, ({ href }) => ({
    contents: [{
      uri: href,
      mimeType: "text/plain",
      text: "This is the content of the static text resource.",
    }],
  }));
  server.registerResource("static-binary", "test://static-binary", {
    description: "An image.",
    mimeType: "image/png",
  }, ({ href }) => ({ contents: [{ uri: href, mimeType: "image/png", blob: PNG }] }));
  server.registerResource(
    "template",
    new ResourceTemplate("test://template/{id}/data", { list: undefined }),
    {
      description: "By its id.",
      mimeType: "application/json",
    },
    ({ href }, { id }) => ({
      contents: [{
        uri: href,
        mimeType: "application/json",
        text: JSON.stringify({ id, templateTest: true, data: `Data for ID: ${id}` }),
      }],
    }),
  );
}

function addPrompts(server: McpServer): void {
  const user = (content: Content) => ({ role: "user" as const, content });
  server.registerPrompt("test_simple_prompt", { description: "Without arguments." }, () => ({
    messages: [user(text("This is a simple prompt for testing."))],
  }));
  server.registerPrompt("test_prompt_with_arguments", {
    description: "With two arguments.",
    argsSchema: z.object({ arg1: completable(z.string(), () => ["paris", "park"]), arg2: z.string() }),
  }, ({ arg1, arg2 }) => ({
    messages: [user(text(`Prompt with arguments: arg1='${arg1}', arg2='${arg2}'`))],
  }));
  server.registerPrompt("test_prompt_with_embedded_resource", {
    description: "With a resource in it.",
    argsSchema: z.object({ resourceUri: z.string() }),
  }, ({ resourceUri }) => ({
    messages: [
      user({
        type: "resource",
        resource: {
          uri: resourceUri,
          mimeType: "text/plain",
          text: "Embedded resource content for testing.",
        },
      }),
      user(text("Please process the embedded resource above.")),
    ],
  }));
  server.registerPrompt("test_prompt_with_image", { description: "With an image in it." }, () => ({
    messages: [
      user({ type: "image", data: PNG, mimeType: "image/png" }),
      user(text("Please analyze the image above.")),
    ],
  }));
  server.registerPrompt(
    "test_input_required_result_prompt",
    { description: "Asks first." },
    (({ mcpReq }) => {
      const answered = acceptedContent(
        mcpReq.inputResponses,
        "user_context",
        z.object({ context: z.string() }),
      );
      return answered === undefined
        ? inputRequired({
          inputRequests: {
            user_context: inputRequired.elicit({
              message: "What context should the prompt use?",
              requestedSchema: {
                type: "object",
                properties: { context: { type: "string" } },
                required: ["context"],
              },
            }),
          },
        })
        : { messages: [user(text(answered.context))] };
    }) as (context: ServerContext) => { messages: ReturnType<typeof user>[] },
  );
}
