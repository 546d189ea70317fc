/** Which packages a module loads, itself and through the modules of the project it imports. */

import { fileURLToPath } from "node:url";

const CONFIG = fileURLToPath(new URL("../../deno.json", import.meta.url));

interface ModuleInfo {
  readonly specifier: string;
  readonly dependencies?: readonly {
    readonly isDynamic?: boolean;
    /** Left out of an import that is gone when the types are. */
    readonly code?: { readonly specifier?: string };
  }[];
}

/** By specifier, `npm:hono@4.13.19/cors`, in order. */
export interface LoadedPackages {
  readonly atStart: readonly string[];
  /** Imported when they are needed. */
  readonly later: readonly string[];
  /** Of those at the start, what a module that is imported later imports too: a bundle keeps these in another form. */
  readonly again: readonly string[];
}

/** What the module at `path` loads, by Deno's own word. */
export async function loadedPackages(path: string): Promise<LoadedPackages> {
  const { stdout, success } = await new Deno.Command(Deno.execPath(), {
    args: ["info", "--json", "--config", CONFIG, path],
    stderr: "inherit",
  }).output();
  if (!success) throw new Error(`What ${path} imports cannot be told`);
  const { roots, modules } = JSON.parse(new TextDecoder().decode(stdout)) as {
    roots: string[];
    modules: ModuleInfo[];
  };
  const known = new Map(modules.map((module) => [module.specifier, module]));
  const reached = (follows: (isDynamic: boolean) => boolean) => {
    const seen = new Set(roots);
    for (const specifier of seen) {
      for (const { isDynamic = false, code } of known.get(specifier)?.dependencies ?? []) {
        if (follows(isDynamic) && code?.specifier?.startsWith("file:")) seen.add(code.specifier);
      }
    }
    return seen;
  };
  const packagesOf = (specifiers: Set<string>, follows: (isDynamic: boolean) => boolean) =>
    new Set(
      [...specifiers].flatMap((specifier) => known.get(specifier)?.dependencies ?? []).flatMap(
        ({ isDynamic = false, code }) =>
          follows(isDynamic) && code?.specifier?.startsWith("npm:") ? [code.specifier] : [],
      ),
    );
  const atOnce = (isDynamic: boolean) => !isDynamic;
  const anyTime = () => true;
  const [started, all] = [reached(atOnce), reached(anyTime)];
  const atStart = packagesOf(started, atOnce);
  const later = packagesOf(all, anyTime).difference(atStart);
  const again = packagesOf(all.difference(started), anyTime).intersection(atStart);
  return { atStart: [...atStart].sort(), later: [...later].sort(), again: [...again].sort() };
}

/** The package of a specifier and what is taken of it, without its version. */
export function unversioned(specifier: string): string {
  return specifier.replace(/^npm:\/?/, "").replace(/(?<=.)@[^@/]+/, "");
}
