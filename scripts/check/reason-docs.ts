/** Holds the reference's table of reasons against the one in the code. Pure. */

interface ReasonRow {
  readonly status: number;
}

/**
 * Every way the reference and the code disagree about reasons, a line each: one that is missing on a side, and one
 * with another status. The reference's table is the one whose first column is headed `reason` and whose second is
 * headed `status`; a reason stands in it as code, `` `bad_json` ``.
 */
export function judgeReasonDocs(markdown: string, reasons: Readonly<Record<string, ReasonRow>>): string[] {
  const documented = readReasonTable(markdown);
  if (documented === null) return ["has no table with the columns reason and status"];
  const says: string[] = [];
  for (const [reason, { status }] of Object.entries(reasons)) {
    const written = documented.get(reason);
    if (written === undefined) says.push(`does not list the reason ${reason} (${status})`);
    else if (written !== String(status)) {
      says.push(`lists ${reason} with status ${written}, the code says ${status}`);
    }
  }
  for (const reason of documented.keys()) {
    if (!Object.hasOwn(reasons, reason)) {
      says.push(`lists the reason ${reason}, which the code does not have`);
    }
  }
  return says;
}

/** The statuses as written, by reason; `null` without such a table. */
function readReasonTable(markdown: string): Map<string, string> | null {
  let found: Map<string, string> | null = null;
  let within = false;
  for (const line of markdown.split("\n")) {
    if (!line.startsWith("|")) {
      within = false;
      continue;
    }
    const [first = "", second = ""] = line.split("|").slice(1).map((cell) => cell.trim());
    if (/^reason$/i.test(first) && /^status$/i.test(second)) {
      within = true;
      found ??= new Map();
    } else if (within && !/^:?-+:?$/.test(first)) {
      found?.set(first.replace(/^`|`$/g, ""), second);
    }
  }
  return found;
}
