/**
 * One HTTP request of a file: checked when it is defined, filled with arguments when it is called, and given its
 * credentials right before it is sent. Pure; the door to what `request/` holds.
 */

export { checkRequest } from "./request/check-request.ts";
export { hostOf, hostWith } from "./request/host.ts";
export { placeCredentials } from "./request/place-credentials.ts";
export { type FillBudget, findMisfits, findOverlong, prepareRequest } from "./request/prepare-request.ts";
export {
  argumentsInQuery,
  defaultsToArguments,
  usedArguments,
  usedCredentials,
} from "./request/request-parts.ts";
export type {
  OutgoingRequest,
  PreparedRequest,
  RequestContext,
  RequestTemplate,
} from "./request/request-template.ts";
