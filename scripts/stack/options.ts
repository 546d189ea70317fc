/** The options of `deno task start`. Pure. */

export interface StartOptions {
  /** 0 takes a free one. */
  readonly port: number;
  /** Null for the checkout's own folder. */
  readonly data: string | null;
  readonly ephemeral: boolean;
  readonly json: boolean;
}

const DEFAULT_PORT = 54_321;

export const USAGE = `Usage: deno task start [--port ${DEFAULT_PORT}] [--data DIR | --ephemeral] [--json]

  --port N     where it listens on 127.0.0.1; 0 takes a free port
  --data DIR   where everything is kept between runs; without it, a folder of this checkout's own
  --ephemeral  keep nothing
  --json       print one line of JSON when it is ready, and nothing else

Ctrl-C or SIGTERM stops it (exit code 0). Exit code 1: it could not start, or a part of it ended. 2: usage.
`;

/** The options, or what is wrong with them in one line. */
export function readStartOptions(args: readonly string[]): StartOptions | "help" | { problem: string } {
  const options = { port: DEFAULT_PORT, data: null as string | null, ephemeral: false, json: false };
  const rest = args.flatMap((arg) => /^--(port|data)=/.test(arg) ? splitOnce(arg) : [arg]);
  while (rest.length > 0) {
    const arg = rest.shift()!;
    switch (arg) {
      case "--help":
      case "-h":
        return "help";
      case "--ephemeral":
      case "--json":
        options[arg.slice(2) as "ephemeral" | "json"] = true;
        break;
      case "--port": {
        const text = rest.shift() ?? "";
        const port = Number(text);
        if (!/^[0-9]{1,5}$/.test(text) || port > 65_535) {
          return { problem: `--port takes a number from 0 to 65535, not ${JSON.stringify(text)}.` };
        }
        options.port = port;
        break;
      }
      case "--data": {
        const folder = rest.shift();
        if (!folder || folder.startsWith("--")) return { problem: "--data takes a folder." };
        options.data = folder;
        break;
      }
      default:
        return { problem: `${JSON.stringify(arg)} is not an option of start.` };
    }
  }
  if (options.ephemeral && options.data !== null) {
    return { problem: "--data keeps everything and --ephemeral keeps nothing: give one of them." };
  }
  return options;
}

function splitOnce(arg: string): [string, string] {
  const at = arg.indexOf("=");
  return [arg.slice(0, at), arg.slice(at + 1)];
}
