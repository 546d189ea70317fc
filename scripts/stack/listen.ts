/** The one HTTP server of the stack, on 127.0.0.1. What it answers is the router's. */

import { answerStarting } from "./router.ts";
import { StackProblem, systemWords } from "./stack-problem.ts";
import { within } from "./within.ts";

type Handler = (request: Request) => Response | Promise<Response>;

export interface HttpServer {
  /** `http://127.0.0.1:<port>`. */
  readonly origin: string;
  /** From now on `handler` answers; until then, that the stack is starting. */
  serve(handler: Handler): void;
  /**
   * Takes no more connections and waits for the requests under way, 3 seconds at most; what takes longer ends with the
   * process. May be called again.
   */
  stop(): Promise<void>;
}

const DRAIN_MS = 3_000;

/** Takes the port at once, so that nobody else can while the stack starts. Throws a StackProblem when it is taken. */
export function listen(port: number): HttpServer {
  let handler: Handler = answerStarting;
  let stopping: Promise<void> | undefined;
  const server = open(port, (request) => handler(request));
  return {
    origin: `http://127.0.0.1:${server.addr.port}`,
    serve(next) {
      handler = next;
    },
    stop() {
      return stopping ??= within(DRAIN_MS, server.shutdown()).then(() => {});
    },
  };
}

function open(port: number, handler: Handler): Deno.HttpServer<Deno.NetAddr> {
  try {
    return Deno.serve({ hostname: "127.0.0.1", port, onListen: () => {}, handler });
  } catch (error) {
    if (error instanceof Deno.errors.AddrInUse) {
      throw new StackProblem(
        `Port ${port} on 127.0.0.1 is in use. Stop what runs there, or name another with --port.`,
      );
    }
    throw new StackProblem(`Port ${port} on 127.0.0.1 cannot be used: ${systemWords(error)}`);
  }
}
