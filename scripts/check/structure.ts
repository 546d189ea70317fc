/**
 * Judges the whole tree: every rule of the house over every source, one line a finding with file, what is there and
 * the rule. Pure.
 */

import { judgeDeployed } from "./deployed.ts";
import { judgeArrow, roomOf } from "./floors.ts";
import {
  ASSERTIONS,
  type Finding,
  judgeBrowser,
  judgeBundled,
  judgeConsoleImportMap,
  judgeImportMap,
  judgePackages,
  judgePlatform,
  judgePurity,
  type KnownPackages,
  packageOf,
} from "./reach.ts";
import { readSourceFacts, type SourceFacts } from "./source-facts.ts";

const MAX_LINES = 500;
/** Names that say where a thing was put and not what it is. */
const EMPTY_NAMES = /(?:^|\/)(?:utils?|helpers?|common|types|misc)(?:\.\w+)*(?:\/|$)/;

/** The console's own file of packages; the project's import map is not for it. */
const CONSOLE_CONFIG = "console/deno.json";

/** The sources of a project by path from its root, and its import map. */
export interface Tree {
  readonly files: ReadonlyMap<string, string>;
  readonly importMap: ReadonlyMap<string, string>;
}

/** Every finding in the tree as a line, `path:line: what was found [rule]`, in the order of the paths. */
export function judgeStructure({ files, importMap }: Tree): string[] {
  const consoleImports = readImportMap(files.get(CONSOLE_CONFIG) ?? "{}");
  const packages = knownPackages(importMap, consoleImports);
  const lines = judgeImportMap(importMap).map((says) => `deno.json: ${says} [packages]`);
  for (const says of judgeConsoleImportMap(consoleImports, importMap)) {
    lines.push(`${CONSOLE_CONFIG}: ${says} [packages]`);
  }
  const config = "supabase/config.toml";
  for (const says of judgeDeployed(files.get(config) ?? "", functionsOf(files))) {
    lines.push(`${config}: ${says} [deployed]`);
  }
  const facts = new Map<string, SourceFacts>();
  for (const [path, source] of files) {
    if (!isCode(path)) continue;
    try {
      facts.set(path, readSourceFacts(source, { jsx: path.endsWith(".tsx") }));
    } catch (error) {
      lines.push(`${path}: does not parse: ${error instanceof Error ? error.message : error} [syntax]`);
    }
  }
  for (const path of [...files.keys()].sort()) {
    const findings = [...judgeFile(path, files.get(path) ?? ""), ...judgeCode(path, facts, packages)];
    findings.sort((a, b) => a.line - b.line);
    for (const { line, says, rule } of findings) lines.push(`${path}:${line}: ${says} [${rule}]`);
  }
  return lines;
}

/** The import map of a `deno.json`. */
export function readImportMap(config: string): Map<string, string> {
  const { imports } = JSON.parse(config) as { imports?: Record<string, string> };
  return new Map(Object.entries(imports ?? {}));
}

/** What may be imported by name, by who imports it. */
interface Packages {
  readonly deployed: KnownPackages;
  readonly console: KnownPackages;
  readonly elsewhere: KnownPackages;
}

function knownPackages(importMap: Tree["importMap"], consoleImports: Tree["importMap"]): Packages {
  const file = "deno.json";
  return {
    deployed: { file, has: (specifier) => specifier !== ASSERTIONS && importMap.has(specifier) },
    elsewhere: { file, has: (specifier) => importMap.has(specifier) },
    // Vite finds every module of a package that is installed.
    console: {
      file: CONSOLE_CONFIG,
      has: (specifier) => consoleImports.has(specifier) || consoleImports.has(packageOf(specifier)),
    },
  };
}

/** The names of the functions: every folder with an index.ts is one. */
function functionsOf(files: Tree["files"]): string[] {
  return [...files.keys()].flatMap((path) =>
    /^supabase\/functions\/([^/_][^/]*)\/index\.ts$/.exec(path)?.[1] ?? []
  );
}

/** What holds for a file of any language. */
function judgeFile(path: string, source: string): Finding[] {
  const findings: Finding[] = [];
  const lines = source.split("\n").length - (source.endsWith("\n") ? 1 : 0);
  if (lines > MAX_LINES) {
    const says = `has ${lines} lines, at most ${MAX_LINES} are allowed: it is more than one idea`;
    findings.push({ line: lines, rule: "length", says });
  }
  if (EMPTY_NAMES.test(path)) {
    const says = "has a name that says nothing about what it holds: name the idea";
    findings.push({ line: 1, rule: "names", says });
  }
  return findings;
}

/** What holds for a module, by where it stands. */
function judgeCode(
  path: string,
  all: ReadonlyMap<string, SourceFacts>,
  packages: Packages,
): Finding[] {
  const facts = all.get(path);
  if (facts === undefined) return [];
  const isDeployed = path.startsWith("supabase/functions/") && !isTest(path);
  const known = isConsole(path) ? packages.console : packages[isDeployed ? "deployed" : "elsewhere"];
  const findings = judgePackages(facts, known);
  if (isTest(path)) return findings;
  const room = roomOf(path);
  if (room === null) {
    findings.push({
      line: 1,
      rule: "floors",
      says: "stands on no floor: give it one in scripts/check/floors.ts",
    });
  }
  if (facts.opening === "") {
    findings.push({
      line: 1,
      rule: "opening",
      says: "opens without a comment: say in 1-4 lines what it owns",
    });
  }
  findings.push(...judgeImports(path, all));
  if (isPure(facts)) findings.push(...judgePurity(facts));
  if (isDeployed) findings.push(...judgePlatform(facts));
  if (path.startsWith("console/src/")) findings.push(...judgeBrowser(facts));
  if (/^scripts\/(?:runner|connect-mcp)\//.test(path)) findings.push(...judgeBundled(facts));
  return findings;
}

/** The findings of a file's imports of other files. */
function judgeImports(path: string, all: ReadonlyMap<string, SourceFacts>): Finding[] {
  const findings: Finding[] = [];
  const from = endAt(path, all);
  for (const { specifier, typeOnly, line } of all.get(path)?.imports ?? []) {
    if (specifier === null || !/^\.\.?\//.test(specifier)) continue;
    const target = resolve(path, specifier);
    const to = endAt(target, all);
    if (isTest(target)) {
      findings.push({ line, rule: "tests", says: `imports ${specifier}: nothing imports a test` });
    } else if (from !== null && to === null) {
      findings.push({ line, rule: "floors", says: `imports ${specifier}, which stands on no floor` });
    } else if (from !== null && to !== null) {
      const wrong = judgeArrow(from, to, { typeOnly });
      if (wrong !== null) findings.push({ line, rule: "arrows", says: `imports ${specifier}: ${wrong}` });
    }
  }
  return findings;
}

function endAt(path: string, all: ReadonlyMap<string, SourceFacts>) {
  const room = roomOf(path);
  const facts = all.get(path);
  // What is no module, such as JSON, is data and reaches nothing; what is missing is for the type check to say.
  return room === null ? null : { ...room, pure: facts === undefined || isPure(facts) };
}

function isPure({ opening }: SourceFacts): boolean {
  return /(?:^|\s)Pure[.,;]/.test(opening);
}

/** What a browser runs; the tests beside it run in Deno, with the project's packages. */
export function isConsole(path: string): boolean {
  return path.startsWith("console/") && isCode(path) && !isTest(path);
}

function isCode(path: string): boolean {
  return /\.(?:ts|mts|tsx|js|mjs)$/.test(path);
}

function isTest(path: string): boolean {
  return /\.test\.tsx?$/.test(path) || path.startsWith("supabase/tests/");
}

/** The path a relative specifier means. */
function resolve(from: string, specifier: string): string {
  return decodeURI(new URL(specifier, `file:///${from}`).pathname.slice(1));
}
