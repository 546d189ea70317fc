/** Which span work belongs to: the context goes along with whatever is awaited. */

import { AsyncLocalStorage } from "node:async_hooks";
import { type Context, type ContextManager, ROOT_CONTEXT } from "@opentelemetry/api";

/** A context manager for OpenTelemetry on what the platform carries along by itself. */
export function createContextManager(): ContextManager {
  const carried = new AsyncLocalStorage<Context>();
  const manager: ContextManager = {
    active: () => carried.getStore() ?? ROOT_CONTEXT,
    with: (context, work, self, ...args) => carried.run(context, () => work.call(self as never, ...args)),
    bind: (context, target) =>
      typeof target === "function"
        ? ((...args: unknown[]) => carried.run(context, () => target(...args))) as typeof target
        : target,
    enable: () => manager,
    disable: () => manager,
  };
  return manager;
}
