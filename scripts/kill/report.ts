/** What the kill test found, as a person reads it. Pure. */

import type { Played } from "./play.ts";

/** The most violations that are told one by one. */
const MAX_TOLD = 50;

/** A table of what was done and what it came to, and what does not hold. */
export function formatPlayed(played: Played, { seconds, seed }: { seconds: number; seed: string }): string {
  const { rounds, missed, naps, deaths, approvals, calls, received, lateTruths, violations } = played;
  const died = Object.values(deaths).reduce((sum, count) => sum + count, 0);
  const lines = [
    `${rounds} rounds in ${Math.round(seconds)} s, seed ${seed}`,
    ...section(`${died} deaths, by what died and where`, deaths),
    ...section("approvals, by their final status", approvals),
    ...section("calls, by their final status", calls),
    "",
    ...row("requests received by the other system", received),
    ...row("calls given up of which the truth came later", lateTruths),
    ...row("processes stopped longer than they may, and resumed", naps),
    ...row("rounds in which nothing came to the place", missed),
    ...row("violations", violations.length),
    ...violations.slice(0, MAX_TOLD).map((violation) => `VIOLATION ${violation}`),
  ];
  return lines.join("\n");
}

function section(title: string, counts: Readonly<Record<string, number>>): string[] {
  const rows = Object.entries(counts).sort(([a], [b]) => a < b ? -1 : 1);
  return ["", title, ...rows.flatMap(([name, count]) => row(`  ${name}`, count))];
}

function row(name: string, count: number): string[] {
  return [`${name.padEnd(56)}${String(count).padStart(6)}`];
}
