/**
 * The door to a `framed-tool.json`: the runner, the API and the tests read, check and show a file through this module.
 * Pure. The ideas live in `definition/`; what runs calls takes from there what it needs and no more, since a function
 * that starts cold pays for every module it loads.
 */

export {
  checkFramedTool,
  type CheckOptions,
  type FileResult,
  MAX_FILE_BYTES,
  readFramedTool,
} from "./definition/check.ts";
export { checkCall, prepareCall, type ToolCall } from "./definition/call.ts";
export { requestOf } from "./definition/call-request.ts";
export type { CredentialKey } from "./definition/credentials.ts";
export { definitionDigest } from "./definition/digest.ts";
export { selectFixture } from "./definition/fixtures.ts";
export type {
  Access,
  Capability,
  Fixture,
  FixtureTool,
  FramedTool,
  Kind,
  McpTool,
  RequestTool,
  ResultFormat,
} from "./definition/format.ts";
export type { Condition, FollowUp, Preview, Rule } from "./definition/format-after.ts";
export { type HostView, hostViews, workspaceNotes } from "./definition/host-view.ts";
export type { JsonObject, JsonValue } from "./definition/json.ts";
export { FRAMED_TOOL_SCHEMA } from "./definition/json-schema.ts";
export {
  type OutgoingRequest,
  placeCredentials,
  type PreparedRequest,
  type RequestTemplate,
} from "./definition/request.ts";
export { hostOfTool, type NamedSecret, secretsOf } from "./definition/tool-secrets.ts";
