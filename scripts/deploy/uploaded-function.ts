/**
 * Starts a function from the files that were uploaded and from nothing else: on the platform's Deno, in a folder that
 * holds only those, which is also all it may read.
 */

import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { PLATFORM_VERSION } from "../test/options.ts";
import { installDeno } from "../test/platform-deno.ts";
import type { Upload } from "./management-api.ts";

export interface UploadedFunction {
  /** `http://127.0.0.1:<port>`; paths begin with the function's name, as on the platform. */
  readonly origin: string;
  /** Ends it and returns what it said on standard error. */
  stop(): Promise<string>;
}

/** Serves on a free port what the module serves, and says which: a function itself knows of no port. */
const STARTER = `
const serve = Deno.serve;
const options = { hostname: "127.0.0.1", port: 0, onListen: ({ port }) => console.log(port) };
Deno.serve = (handler) => serve(options, handler);
await import(Deno.args[0]);
`;

/** Starts it with `env` and nothing else of an environment, in `folder`, an empty one. Throws its last words if it ends. */
export async function startUploaded(
  upload: Upload,
  { folder, env }: { folder: string; env: Readonly<Record<string, string>> },
): Promise<UploadedFunction> {
  const root = join(folder, "uploaded");
  for (const [path, bytes] of upload.files) {
    await Deno.mkdir(dirname(join(root, path)), { recursive: true });
    await Deno.writeFile(join(root, path), bytes);
  }
  const starter = join(folder, "start.js");
  await Deno.writeTextFile(starter, STARTER);
  const child = new Deno.Command(await installDeno(PLATFORM_VERSION), {
    args: [
      "run",
      "--quiet",
      "--no-prompt",
      "--no-lock",
      "--no-remote",
      `--config=${join(root, upload.metadata.import_map_path)}`,
      "--allow-net",
      "--allow-env",
      `--allow-read=${root}`,
      starter,
      pathToFileURL(join(root, upload.metadata.entrypoint_path)).href,
    ],
    cwd: root,
    clearEnv: true,
    env: { ...denoEnvironment(), ...env },
    stdin: "null",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  const said = new Response(child.stderr).text();
  const stop = async () => {
    try {
      child.kill("SIGKILL");
    } catch {
      // It has ended already.
    }
    await Promise.all([child.status, rest.cancel().catch(() => {})]);
    return await said;
  };
  const [first, rest] = child.stdout.tee();
  const port = await firstLine(first);
  if (port === "") throw new Error(`${upload.slug} does not start: ${await stop()}`);
  return { origin: `http://127.0.0.1:${port}`, stop };
}

/** What Deno needs to find packages: where they are kept, and which authorities vouch for npm. */
function denoEnvironment(): Record<string, string> {
  const names = [
    "HOME",
    "DENO_DIR",
    "XDG_CACHE_HOME",
    "NPM_CONFIG_REGISTRY",
    "DENO_TLS_CA_STORE",
    "SSL_CERT_FILE",
  ];
  return Object.fromEntries(names.flatMap((name) => {
    const value = Deno.env.get(name);
    return value === undefined ? [] : [[name, value]];
  }));
}

/** The first line, or what there was of it when the stream ended. */
async function firstLine(stream: ReadableStream<Uint8Array>): Promise<string> {
  let text = "";
  for await (const chunk of stream.pipeThrough(new TextDecoderStream())) {
    text += chunk;
    if (text.includes("\n")) break;
  }
  return text.split("\n")[0]!;
}
