/** A folder for what leaves nothing behind. */

/** Makes a folder for temporary files that other accounts may walk through but not read. */
export async function makeEphemeralFolder(): Promise<string> {
  const folder = await Deno.makeTempDir({ prefix: "framed-" });
  if (Deno.build.os !== "windows") await Deno.chmod(folder, 0o711);
  return folder;
}
