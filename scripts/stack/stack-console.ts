/** The console as a part of the stack: built beside the other parts where it is not yet, and no reason not to start. */

import type { ConsoleAddresses } from "../console/addresses.ts";
import { BuildProblem } from "../console/build.ts";
import { keptBuild } from "../console/kept-build.ts";
import { type ConsoleHandler, serveConsole, serveNoConsole } from "../console/serve.ts";
import { cacheFolder } from "./places.ts";

export interface StackConsoleOptions {
  /** The root of the checkout whose console it is. */
  readonly checkout: string;
  readonly addresses: ConsoleAddresses;
  /** Ends a start that is under way. */
  readonly signal: AbortSignal;
  readonly report: (line: string) => void;
}

export interface StackConsole {
  /** What answers the console's paths; where there is no console, with why. Rejects only when it was stopped before. */
  readonly handler: Promise<ConsoleHandler>;
  /** Ends a build that is under way; nothing of it is left. */
  stop(): Promise<void>;
}

/** Begins to have the console, and returns at once. */
export function startStackConsole({ signal, ...options }: StackConsoleOptions): StackConsole {
  const stopping = new AbortController();
  const handler = makeHandler({ ...options, signal: AbortSignal.any([signal, stopping.signal]) });
  handler.catch(() => {});
  return {
    handler,
    async stop() {
      stopping.abort();
      await handler.catch(() => {});
    },
  };
}

async function makeHandler(
  { checkout, addresses, signal, report }: StackConsoleOptions,
): Promise<ConsoleHandler> {
  try {
    return serveConsole(await keptBuild(checkout, { cache: cacheFolder(), signal, report }), addresses);
  } catch (error) {
    if (!(error instanceof BuildProblem)) throw error;
    report(`The console was not built. ${error.message}`);
    return serveNoConsole(pageWithout(error));
  }
}

function pageWithout({ message, output }: BuildProblem): string {
  const paragraphs = [
    "Framed tools runs here, without its console.",
    `The console was not built. ${message}.`,
    "Everything else works. When the fault is mended, stop the stack and start it again: it builds the console\n" +
    "anew. Where it lacked the network, that is all there is to do. `deno task build:console` tells the same sooner.",
    ...(output === "" ? [] : ["All that was said:", output]),
  ];
  return `${paragraphs.join("\n\n")}\n`;
}
