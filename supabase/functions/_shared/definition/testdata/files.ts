/** The good and bad files that are the test data of the check, with the lines a bad one is told. For tests only. */

export interface TestFile {
  readonly name: string;
  readonly bytes: Uint8Array;
}

export interface BadFile extends TestFile {
  readonly lines: readonly string[];
}

export const FILES = { valid: read("valid/"), invalid: read("invalid/").map(withLines) };

function read(folder: string): TestFile[] {
  const url = new URL(folder, import.meta.url);
  return [...Deno.readDirSync(url)].map(({ name }) => name).filter((name) => name.endsWith(".json")).sort()
    .map((name) => ({ name: name.slice(0, -".json".length), bytes: Deno.readFileSync(new URL(name, url)) }));
}

/** `invalid/<name>.problems.txt`: the lines, one each, in their order. */
function withLines(file: TestFile): BadFile {
  const url = new URL(`invalid/${file.name}.problems.txt`, import.meta.url);
  return { ...file, lines: Deno.readTextFileSync(url).split("\n").slice(0, -1) };
}
