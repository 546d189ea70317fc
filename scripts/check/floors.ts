/**
 * The house as one ordered table of floors, and the rule between them: imports only go down. Pure.
 */

/**
 * The floors from the ground up, each with its slices: what stands directly in `_shared`, then each function, the
 * function that mounts all others, what runs in a browser, and what runs on a developer's machine.
 */
export const FLOORS: readonly (readonly string[])[] = [
  ["outcome", "std-assert.ts"],
  ["definition"],
  ["gate", "shipped"],
  ["framed-tool.ts"],
  ["db"],
  ["secrets", "egress", "log"],
  [
    "auth",
    "approvals",
    "follow-ups",
    "notices",
    "results",
    "tools",
    "calls",
    "workspaces",
    "limits",
    "oauth",
    "telemetry",
    "inner-tools",
  ],
  ["kinds"],
  ["connectors.ts"],
  ["flows"],
  ["http"],
  ["connect"],
  ["functions/*"],
  ["functions/api"],
  ["console"],
  ["scripts"],
];

const GROUND = 0;
/** The folder, and the slice, of what runs in a browser. */
const CONSOLE = "console";
const FUNCTIONS = FLOORS.findIndex(([slice]) => slice === "functions/*");

/** Where a file lives. */
export interface Room {
  /** Index into {@link FLOORS}. */
  readonly floor: number;
  readonly slice: string;
}

/** The room of a file, its path given from the project's root with `/`; `null` when no floor has one for it. */
export function roomOf(path: string): Room | null {
  const slice = sliceOf(path.split("/"));
  if (slice === null) return null;
  const floor = FLOORS.findIndex((slices) => slices.includes(slice));
  if (floor >= 0) return { floor, slice };
  return slice.startsWith("functions/") ? { floor: FUNCTIONS, slice } : null;
}

function sliceOf([top, second, third, fourth]: readonly string[]): string | null {
  if (top === CONSOLE) return CONSOLE;
  if (top === "scripts" || (top === "supabase" && second === "tests")) return "scripts";
  if (top !== "supabase" || second !== "functions" || third === undefined || fourth === undefined) {
    return null;
  }
  return third === "_shared" ? fourth : `functions/${third}`;
}

/** One end of an import. */
export interface End extends Room {
  /** Whether the file is marked "Pure.". */
  readonly pure: boolean;
}

/**
 * What is wrong with an import from one room to another, `null` when it goes down or stays in its slice.
 *
 * A pure file of `_shared` may be imported from anywhere above the ground, and any pure file imports only pure files
 * and the ground. So does the console, whose bundle a browser runs, and nothing of the functions. An import that is
 * `typeOnly` is gone when the file runs, so that it may go wherever the floors let it.
 */
export function judgeArrow(
  from: End,
  to: End,
  { typeOnly = false }: { typeOnly?: boolean } = {},
): string | null {
  const arrow = `${from.slice} → ${to.slice}`;
  if (from.slice === CONSOLE && to.floor >= FUNCTIONS && to.slice !== CONSOLE) {
    return `${arrow}: the console imports only its own files and those of _shared`;
  }
  if (to.floor === GROUND) return null;
  if (from.slice === CONSOLE && to.slice !== CONSOLE && !to.pure && !typeOnly) {
    return `${arrow}: the console bundles only files marked "Pure.", and takes types of others`;
  }
  if (from.pure && !to.pure && !typeOnly) {
    return `${arrow}: a file marked "Pure." imports only files marked "Pure."`;
  }
  if (from.slice === to.slice || to.floor < from.floor) return null;
  if (to.pure && to.floor < FUNCTIONS && from.floor > GROUND) return null;
  return to.floor === from.floor
    ? `${arrow} goes sideways: slices of one floor are joined by the floor above`
    : `${arrow} goes up: imports only go down`;
}
