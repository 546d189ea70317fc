/** Holds `supabase/config.toml` against the functions there are: what it does not name is deployed by defaults. Pure. */

/** What every function's section says, and nothing else: the shared import map, and no JWT asked for in front of it. */
const WANTED = ['import_map = "../deno.json"', "verify_jwt = false"];

/**
 * Every way the configuration and the functions disagree, a line each.
 *
 * Without its section a function is deployed all the same, but without import map and behind a gateway that turns
 * API keys away; a section without its function makes the deploy of all of them fail.
 */
export function judgeDeployed(config: string, functions: readonly string[]): string[] {
  const says: string[] = [];
  const sections = readFunctionSections(config);
  for (const name of functions) {
    const lines = sections.get(name);
    if (lines === undefined) {
      says.push(`has no [functions.${name}], and functions/${name}/index.ts is a function`);
    } else if (lines.toSorted().join("\n") !== WANTED.join("\n")) {
      says.push(`[functions.${name}] says ${lines.join(", ") || "nothing"}: write ${WANTED.join(", ")}`);
    }
  }
  for (const name of sections.keys()) {
    if (!functions.includes(name)) {
      says.push(`has [functions.${name}], and there is no functions/${name}/index.ts`);
    }
  }
  return says;
}

/** The settings as written, by function. A section inside of a function's counts as a setting of it. */
function readFunctionSections(config: string): Map<string, string[]> {
  const sections = new Map<string, string[]>();
  let current: string[] | undefined;
  for (const line of config.split("\n").map((line) => line.trim())) {
    if (line === "" || line.startsWith("#")) continue;
    const [, name, inner] = /^\[functions\.([\w-]+)(\..+)?\]$/.exec(line) ?? [];
    if (name !== undefined) {
      current = sections.get(name) ?? [];
      sections.set(name, current);
      if (inner !== undefined) current.push(line);
    } else if (line.startsWith("[")) {
      current = undefined;
    } else {
      current?.push(line);
    }
  }
  return sections;
}
