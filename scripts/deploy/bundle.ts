/** A function as one module with its packages: what the platform makes of the files that are uploaded. */

import { fileURLToPath } from "node:url";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));

/** The module at `path` and all it imports, now or later, as one. Throws what Deno says where it cannot be made. */
export async function bundle(path: string): Promise<Uint8Array<ArrayBuffer>> {
  const { success, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: [
      "bundle",
      "--quiet",
      "--config=deno.json",
      // Without the lock file a package that is only imported later is not found.
      "--lock=deno.lock",
      "--frozen",
      "--platform=deno",
      path,
    ],
    cwd: ROOT,
    stdin: "null",
  }).output();
  if (!success) throw new Error(`${path} does not bundle: ${new TextDecoder().decode(stderr)}`);
  return stdout;
}
