/**
 * What a file may reach outside the project: a file marked "Pure." no clock, randomness or I/O, a function nothing
 * its platform lacks, the runner nothing but Node, and nobody a package that is not pinned. Pure.
 */

import type { ImportFact, SourceFacts } from "./source-facts.ts";

/** What is wrong at a line. */
export interface Finding {
  readonly line: number;
  readonly rule: string;
  readonly says: string;
}

/** Packages that compute and nothing else. */
const PURE_PACKAGES = new Set(["zod", "re2js", "tldts", "@babel/parser", "diff"]);

/** The names of Node modules that compute and nothing else. */
const PURE_NODE_NAMES: Readonly<Record<string, readonly string[]>> = {
  "node:crypto": ["createHash", "createHmac", "timingSafeEqual"],
  "node:buffer": ["Buffer"],
  "node:util": ["stripVTControlCharacters", "isDeepStrictEqual"],
};

const IMPURE_GLOBALS = [
  /^(?:Deno|process|globalThis|self|window|navigator|console|performance|caches)(?:\.|$)/,
  /^(?:fetch|setTimeout|setInterval|WebSocket|EventSource|Worker|BroadcastChannel|localStorage)(?:\.|\(|$)/,
  /^(?:new )?Date\(\)$|^Date\.now$|^Math\.random$|^Temporal\.Now$/,
  /^crypto\.(?:getRandomValues|randomUUID)$|^crypto$/,
];

/** Missing on the platform or not allowed there: no processes, workers, files, key-value store or own cron. */
const NOT_ON_THE_PLATFORM = [
  /^Deno\.(?:Command|openKv|cron|open|create|(?:read|write)\w+|(?:make|copy|remove|rename|stat|watch|chmod)\w*)$/,
  /^Worker(?:\.|\(|$)|^(?:new )?Worker\(\)$/,
  /^Temporal\.|^Uint8Array\.fromBase64$|^RegExp\.escape$|^Error\.isError$/,
];

const NODE_NOT_ON_THE_PLATFORM =
  /^node:(?:child_process|worker_threads|cluster|fs|fs\/promises|vm|sqlite|test)$/;

/** The findings of a file marked "Pure.". Types are let pass: they are gone when it runs. */
export function judgePurity({ imports, globals }: SourceFacts): Finding[] {
  const findings: Finding[] = [];
  for (const { specifier, names, typeOnly, line } of imports) {
    if (typeOnly || isRelative(specifier)) continue;
    const allowed = specifier !== null && (PURE_PACKAGES.has(packageOf(specifier)) ||
      (names.length > 0 && names.every((name) => PURE_NODE_NAMES[specifier]?.includes(name))));
    if (!allowed) {
      findings.push({ line, rule: "pure", says: `imports ${shown(specifier)}, and is marked "Pure."` });
    }
  }
  for (const { name, line } of globals) {
    if (!IMPURE_GLOBALS.some((pattern) => pattern.test(name))) continue;
    findings.push({
      line,
      rule: "pure",
      says: `uses ${name}, and is marked "Pure.": take it as an argument`,
    });
  }
  return findings;
}

/** The findings of a file that is deployed as part of a function. */
export function judgePlatform({ imports, globals }: SourceFacts): Finding[] {
  const findings: Finding[] = [];
  for (const { specifier, typeOnly, line } of imports) {
    if (specifier === null) {
      const says = "imports a computed specifier: only what a literal names is deployed";
      findings.push({ line, rule: "platform", says });
    } else if (!typeOnly && NODE_NOT_ON_THE_PLATFORM.test(specifier)) {
      findings.push({
        line,
        rule: "platform",
        says: `imports ${specifier}, which a deployed function does not have`,
      });
    }
  }
  for (const { name, line } of globals) {
    if (!NOT_ON_THE_PLATFORM.some((pattern) => pattern.test(name))) continue;
    findings.push({ line, rule: "platform", says: `uses ${name}, which a deployed function does not have` });
  }
  return findings;
}

/** The findings of a file that is bundled for Node. */
export function judgeBundled({ globals }: SourceFacts): Finding[] {
  return globals.filter(({ name }) => /^Deno(?:\.|$)/.test(name)).map(({ name, line }) => ({
    line,
    rule: "runner",
    says: `uses ${name}, and is bundled for Node: use what node: modules offer`,
  }));
}

/** The findings of a file that runs in a browser. */
export function judgeBrowser({ imports }: SourceFacts): Finding[] {
  return imports.filter(({ specifier, typeOnly }) => !typeOnly && specifier?.startsWith("node:")).map((
    { specifier, line },
  ) => ({
    line,
    rule: "browser",
    says: `imports ${shown(specifier)}, which a browser does not have`,
  }));
}

/** What a file may import by name, and the file that says so. */
export interface KnownPackages {
  has(specifier: string): boolean;
  readonly file: string;
}

/** The findings of a file's packages: each has its name and version in the import map, `known`, and nowhere else. */
export function judgePackages({ imports }: SourceFacts, known: KnownPackages): Finding[] {
  const findings: Finding[] = [];
  for (const { specifier, line } of imports) {
    if (specifier === null || isRelative(specifier) || specifier.startsWith("node:")) continue;
    if (known.has(specifier)) continue;
    findings.push({
      line,
      rule: "packages",
      says: `imports ${specifier}, which ${known.file} does not map: name it there with its exact version`,
    });
  }
  return findings;
}

/** What the tests assert with: mapped to a module of ours, and imported by nothing that is deployed. */
export const ASSERTIONS = "@std/assert";
const ASSERTIONS_FILE = "./supabase/functions/_shared/std-assert.ts";

/**
 * What is wrong with the import map: every package at one exact version, no entry for a whole folder, and for one file
 * of ours only. The Supabase CLI uploads what the map names with every function, whether it imports it or not, so that
 * one is small, and stands where modules of functions do.
 */
export function judgeImportMap(importMap: ReadonlyMap<string, string>): string[] {
  const says: string[] = [];
  for (const [name, target] of importMap) {
    if (name.endsWith("/") || target.endsWith("/")) {
      says.push(`maps the folder ${name}, which a deploy does not follow: map each module`);
    } else if (name === ASSERTIONS && target === ASSERTIONS_FILE) {
      continue;
    } else if (/^\.{0,2}\//.test(target)) {
      says.push(
        `maps ${name} to ${target}, which a deploy uploads with every function: import it by its path`,
      );
    } else if (packageAt(target) === null) {
      says.push(notExact(name, target));
    }
  }
  return says;
}

/**
 * What is wrong with the import map of the console beside the project's own, `root`: every package at one exact version,
 * and at the same where both name it, since the console bundles files that were tested with the project's.
 */
export function judgeConsoleImportMap(
  importMap: ReadonlyMap<string, string>,
  root: ReadonlyMap<string, string>,
): string[] {
  const says: string[] = [];
  const versions = new Map([...root.values()].flatMap((target) => {
    const found = packageAt(target);
    return found === null ? [] : [[found.name, found.version]];
  }));
  for (const [name, target] of importMap) {
    const found = packageAt(target);
    if (found === null) {
      says.push(notExact(name, target));
      continue;
    }
    const other = versions.get(found.name);
    if (other !== undefined && other !== found.version) {
      says.push(
        `has ${found.name} ${found.version}, and deno.json has ${other}: write the same version in both`,
      );
    }
  }
  return says;
}

/** The package a target of an import map names, with its version; null for one without an exact version. */
function packageAt(target: string): { name: string; version: string } | null {
  const [, name, version] =
    /^(?:npm|jsr):((?:@[^/@]+\/)?[^/@]+)@(\d+\.\d+\.\d+(?:-[\w.]+)?)(?:\/.+)?$/.exec(target) ?? [];
  return name === undefined || version === undefined ? null : { name, version };
}

function notExact(name: string, target: string): string {
  return `maps ${name} to ${target}: write one exact version, npm:name@1.2.3`;
}

function isRelative(specifier: string | null): boolean {
  return specifier !== null && /^\.\.?\//.test(specifier);
}

/** The package of a specifier, without the module in it. */
export function packageOf(specifier: string): string {
  return specifier.split("/").slice(0, specifier.startsWith("@") ? 2 : 1).join("/");
}

function shown(specifier: ImportFact["specifier"]): string {
  return specifier ?? "a computed specifier";
}
