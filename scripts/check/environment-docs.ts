/** Holds the operator's page against the environment variables that the code reads. Pure. */

/** What is deployed, the local stack and the operator's commands. What only builds or tests this project is not in here. */
const READS =
  /^supabase\/functions\/|^scripts\/(?:stack|keys|log|install|operator|person)[/.]|^scripts\/(?:start|migrate|secret|session)\.ts$/;
const TEST = /\.test\.ts$|\/testdata\//;
/** A variable asked for by its name, or a name that can be nothing else. */
const VARIABLE =
  /(?:\bread|\bneed|\benv\.get)\(\s*"([A-Z][A-Z0-9_]*)"|"((?:FRAMED|SUPABASE|OTEL)_[A-Z0-9_]+)"/g;

/**
 * Every variable that is read and stands in no table of the page, and every one that stands there and is not read, a
 * line each. A table of variables is one whose first column is headed `variable`.
 */
export function judgeEnvironmentDocs(markdown: string, files: ReadonlyMap<string, string>): string[] {
  const documented = readVariables(markdown);
  const says: string[] = [];
  const read = new Set<string>();
  for (const [path, source] of files) {
    if (!READS.test(path) || TEST.test(path)) continue;
    for (const [, asked, named] of source.matchAll(VARIABLE)) {
      const name = (asked ?? named)!;
      if (!read.has(name) && !documented.has(name)) says.push(`does not list ${name}, which ${path} reads`);
      read.add(name);
    }
  }
  for (const name of documented) {
    if (!read.has(name)) says.push(`lists ${name}, which nothing reads`);
  }
  return says;
}

function readVariables(markdown: string): Set<string> {
  const names = new Set<string>();
  let within = false;
  for (const line of markdown.split("\n")) {
    const first = line.startsWith("|") ? line.split("|")[1]!.trim() : null;
    if (first === null) within = false;
    else if (/^variable$/i.test(first)) within = true;
    else if (within) { for (const [, name] of first.matchAll(/`([A-Z0-9_]+)`/g)) names.add(name!); }
  }
  return names;
}
