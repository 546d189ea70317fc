/** How much a browser fetches before the console is there, on the site that is really built. */

import { assert, assertEquals } from "@std/assert";
import { parse } from "@babel/parser";
import { posix } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { cacheFolder } from "../stack/places.ts";
import { keptBuild } from "./kept-build.ts";
import { INDEX, type Site } from "./site.ts";

const CHECKOUT = fileURLToPath(new URL("../..", import.meta.url));
const BUDGET_BYTES = 200_000;

/** The files that the page loads by itself: what it names, and what those scripts import at once. */
function loadedFirst(site: Site): Set<string> {
  const text = (path: string) => new TextDecoder().decode(site.get(path)?.bytes);
  const loaded = new Set([INDEX]);
  for (const [tag] of text(INDEX).matchAll(/<(?:script|link)\b[^>]*>/g)) {
    const [, path] = /\b(?:src|href)="\/([^"]+)"/.exec(tag) ?? [];
    const isLoaded = tag.startsWith("<script") || /\brel="(?:stylesheet|modulepreload|preload)"/.test(tag);
    if (path !== undefined && isLoaded) loaded.add(path);
  }
  for (const path of loaded) {
    assert(site.has(path), `the page loads ${path}, which was not built`);
    if (!path.endsWith(".js")) continue;
    for (const node of parse(text(path), { sourceType: "module" }).program.body) {
      const imported = "source" in node ? node.source?.value : undefined;
      if (imported !== undefined) loaded.add(posix.join(posix.dirname(path), imported));
    }
  }
  return loaded;
}

Deno.test("what the console loads at first is at most 200 kB compressed", async () => {
  const site = await keptBuild(CHECKOUT, {
    cache: cacheFolder(),
    signal: new AbortController().signal,
    report: () => {},
  });
  const first = loadedFirst(site);
  const sizes = [...site].map(([path, { bytes }]) => ({ path, bytes: gzipSync(bytes).length }))
    .sort((a, b) => b.bytes - a.bytes);
  const list = (files: typeof sizes) => files.map(({ path, bytes }) => `${bytes}  ${path}`).join("\n");
  const atOnce = sizes.filter(({ path }) => first.has(path));
  const later = sizes.filter(({ path }) => !first.has(path));
  const total = atOnce.reduce((sum, { bytes }) => sum + bytes, 0);
  assert(
    total <= BUDGET_BYTES,
    `${total} bytes are loaded at first, ${BUDGET_BYTES} are allowed:\n${list(atOnce)}\nLater:\n${
      list(later)
    }`,
  );
  assert(atOnce.some(({ path }) => /^assets\/.+\.js$/.test(path)), "the page loads no script");
});

Deno.test("the page has no script, style or handler of its own that its policy would not let run", async () => {
  const site = await keptBuild(CHECKOUT, {
    cache: cacheFolder(),
    signal: new AbortController().signal,
    report: () => {},
  });
  const html = new TextDecoder().decode(site.get(INDEX)!.bytes);
  assertEquals(
    /<script(?![^>]*\bsrc=)|<style|\son\w+=|\sstyle=|["'(](?:https?:)?\/\/[^"']/i.test(html),
    false,
    html,
  );
});
