/**
 * Applies `supabase/migrations/*.sql` the way `supabase db push` does, recorded in the table that the Supabase CLI
 * reads, so either may apply the next one.
 */

import { join } from "node:path";
import type postgres from "postgres";
import { StackProblem, systemWords } from "./stack-problem.ts";

/** One file of the migrations folder. */
export interface Migration {
  /** 14 digits; the order. */
  readonly version: string;
  readonly name: string;
  readonly sql: string;
}

const FILE_NAME = /^([0-9]{14})_([a-z0-9_]+)\.sql$/;

/** Any number; the Supabase CLI takes no lock, so it only keeps two of ours apart. */
const ADVISORY_LOCK = 7_231_900_114;

/** The migrations in `folder`, in order. Refuses a `.sql` file whose name has no place in the order, and a version twice. */
export async function readMigrations(folder: string): Promise<Migration[]> {
  const found: Migration[] = [];
  for await (const { name } of Deno.readDir(folder)) {
    if (!name.endsWith(".sql")) continue;
    const [, version, rest] = FILE_NAME.exec(name) ?? [];
    if (version === undefined || rest === undefined) {
      throw new StackProblem(
        `${name} is not named <14 digits>_<verb>_<noun>.sql, so its order is not known.`,
      );
    }
    found.push({ version, name: rest, sql: await Deno.readTextFile(join(folder, name)) });
  }
  found.sort((a, b) => (a.version < b.version ? -1 : 1));
  const twice = found.find(({ version }, index) => found[index + 1]?.version === version);
  if (twice) throw new StackProblem(`Two migrations have the version ${twice.version}.`);
  return found;
}

/**
 * What is still to apply, in order. Pure.
 *
 * Refuses, as the Supabase CLI does, a database that knows a version the folder does not, and a file that would come
 * before one that is applied.
 */
export function pendingMigrations(migrations: readonly Migration[], applied: readonly string[]): Migration[] {
  const known = new Set(migrations.map(({ version }) => version));
  const unknown = applied.filter((version) => !known.has(version));
  if (unknown.length > 0) {
    throw new StackProblem(
      `The database has ${unknown.join(", ")} applied, which is not in the migrations folder: ` +
        "it was made by another version of this project.",
    );
  }
  const done = new Set(applied);
  const pending = migrations.filter(({ version }) => !done.has(version));
  const last = applied.toSorted().at(-1) ?? "";
  const late = pending.filter(({ version }) => version < last);
  if (late.length > 0) {
    throw new StackProblem(
      `${late.map(fileName).join(", ")} would come before ${last}, which is applied already: ` +
        "give it a version that comes after.",
    );
  }
  return pending;
}

/**
 * Applies what is missing and returns it. Each file is one transaction with its own line in the table: it is applied
 * and recorded, or neither. Throws a StackProblem that names file and line when the database refuses one.
 */
export async function applyMigrations(
  sql: postgres.Sql,
  migrations: readonly Migration[],
): Promise<readonly Migration[]> {
  await sql.begin(async (tx) => {
    await tx`select pg_advisory_xact_lock(${ADVISORY_LOCK})`;
    await tx`create schema if not exists supabase_migrations`;
    await tx`create table if not exists supabase_migrations.schema_migrations (
      version text not null primary key, statements text[], name text
    )`;
  });
  const applied: Migration[] = [];
  for (const migration of pendingMigrations(migrations, await appliedVersions(sql))) {
    if (await applyOne(sql, migration)) applied.push(migration);
  }
  return applied;
}

async function appliedVersions(sql: postgres.Sql | postgres.TransactionSql): Promise<string[]> {
  const rows = await sql<{ version: string }[]>`
    select version from supabase_migrations.schema_migrations order by version`;
  return rows.map(({ version }) => version);
}

async function applyOne(sql: postgres.Sql, migration: Migration): Promise<boolean> {
  const { version, name, sql: text } = migration;
  try {
    return await sql.begin(async (tx) => {
      await tx`select pg_advisory_xact_lock(${ADVISORY_LOCK})`;
      if ((await appliedVersions(tx)).includes(version)) return false; // Another runner was faster.
      await tx.unsafe(text).simple();
      await tx`insert into supabase_migrations.schema_migrations (version, name, statements)
               values (${version}, ${name}, array[${text.trim()}])`;
      // What a file sets for itself (search_path, lock_timeout) does not reach the next one.
      await tx`reset all`;
      return true;
    });
  } catch (error) {
    throw new StackProblem(`${fileName(migration)}${lineOf(text, error)}: ${systemWords(error)}`);
  }
}

function fileName({ version, name }: Migration): string {
  return `${version}_${name}.sql`;
}

function lineOf(text: string, error: unknown): string {
  const position = Number((error as { position?: string }).position);
  return Number.isInteger(position) ? `:${text.slice(0, position).split("\n").length}` : "";
}
