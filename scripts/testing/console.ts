/** The console of a running local stack in a real browser, for tests of its pages. */

import { assertEquals } from "@std/assert";
import axe from "axe-core";
import { join } from "node:path";
import type { Browser, BrowserContext, BrowserContextOptions, Page } from "playwright-core";
import { startBrowser } from "./browser.ts";
import { type ReadyLine, startStackProcess } from "./stack-process.ts";

/** Where the pictures go. */
const PICTURES = join(import.meta.dirname!, "..", "..", "screenshots");
const WIDTHS = [1280, 360] as const;
const THEMES = ["light", "dark"] as const;
/** Where axe looks: each theme and each width once, for it takes its time. */
const LOOKED_AT: ReadonlySet<string> = new Set(["light 1280", "dark 360"]);

/** Somebody who can sign in, or null for nobody. */
export type Visitor = { readonly email: string; readonly password: string } | null;

export interface Visit {
  readonly page: Page;
  readonly context: BrowserContext;
  /** What the browser reported: errors, warnings, what the page's policy kept out. A good visit ends with none. */
  readonly said: string[];
}

export interface ConsoleUnderTest {
  readonly stack: ReadyLine;
  readonly browser: Browser;
  /**
   * Opens `path` as `visitor` in a browser of their own, runs `work`, and fails where the browser had to report something.
   * All visits of one person share a session, but for one that is asked to be `fresh`, which may be ended.
   */
  visit(
    visitor: Visitor,
    path: string,
    work: (visit: Visit) => Promise<void>,
    options?: BrowserContextOptions & { readonly maySay?: RegExp; readonly fresh?: boolean },
  ): Promise<void>;
  /** Ends both. */
  stop(): Promise<void>;
}

/** Starts a stack that leaves nothing and a browser. */
export async function openConsole(
  { env = {} }: { env?: Record<string, string> } = {},
): Promise<ConsoleUnderTest> {
  const process = startStackProcess(["--ephemeral", "--port", "0"], { env });
  let isOver = false;
  globalThis.addEventListener("unload", () => void (isOver || process.kill("SIGTERM")));
  const [stack, browser] = await Promise.all([process.ready, startBrowser()]);
  const start = await fetch(`${stack.console}/tasks`, { headers: { accept: "text/html" } });
  const page = await start.text();
  if (!page.includes('id="root"')) throw new Error(`There is no console to test: ${page}`);
  /** What the browser keeps of who has signed in: each signs in by the form once. */
  const signedIn = new Map<string, Awaited<ReturnType<BrowserContext["storageState"]>>>();

  async function stateOf(visitor: NonNullable<Visitor>) {
    const known = signedIn.get(visitor.email);
    if (known !== undefined) return known;
    const context = await browser.newContext();
    const page = await context.newPage();
    await page.goto(`${stack.console}/tasks`);
    await signInAndArrive(page, visitor);
    const state = await context.storageState();
    await context.close();
    signedIn.set(visitor.email, state);
    return state;
  }

  return {
    stack,
    browser,
    async visit(visitor, path, work, { maySay, fresh = false, ...options } = {}) {
      const context = await browser.newContext({
        viewport: { width: 1280, height: 800 },
        ...(visitor === null || fresh ? {} : { storageState: await stateOf(visitor) }),
        ...options,
      });
      const page = await context.newPage();
      const said: string[] = [];
      page.on("console", (message) => {
        if (message.type() === "error" || message.type() === "warning") said.push(message.text());
      });
      page.on("pageerror", (error) => said.push(error.message));
      try {
        await page.goto(stack.console + path);
        if (visitor !== null && fresh) await signInAndArrive(page, visitor);
        await work({ page, context, said });
        assertEquals(
          said.filter((line) => !(maySay?.test(line) ?? false)),
          [],
          "the browser had nothing to report",
        );
      } finally {
        await context.close();
      }
    },
    async stop() {
      isOver = true;
      await browser.close();
      await process.kill("SIGTERM");
    },
  };
}

/** Fills in and sends the sign-in form that the page shows. */
export async function signIn(page: Page, { email, password }: NonNullable<Visitor>): Promise<void> {
  await page.getByLabel("E-mail").fill(email);
  await page.getByLabel("Password").fill(password);
  await page.getByRole("button", { name: "Sign in", exact: true }).click();
}

async function signInAndArrive(page: Page, visitor: NonNullable<Visitor>): Promise<void> {
  await signIn(page, visitor);
  await page.getByRole("navigation", { name: "Console" }).waitFor();
}

/**
 * Waits until `expression` is true of the page. It is asked from outside each time: `page.waitForFunction` evaluates a text
 * in the page, which the page's policy refuses.
 */
export async function waitUntil(page: Page, expression: string, { withinMs = 30_000 } = {}): Promise<void> {
  for (const startedMs = performance.now(); !await page.evaluate<boolean>(`Boolean(${expression})`);) {
    if (performance.now() - startedMs > withinMs) throw new Error(`This did not come true: ${expression}`);
    await page.evaluate("new Promise(requestAnimationFrame)");
  }
}

/** `Deno.test` for what a browser does meanwhile, which the sanitizers would call a leak. */
export function consoleTest(name: string, fn: (t: Deno.TestContext) => void | Promise<void>): void {
  Deno.test({ name, fn, sanitizeOps: false, sanitizeResources: false });
}

/**
 * Looks at the page as it stands, light and dark, on a desk and on a phone: axe finds nothing in it, in either theme and
 * at either width, it is no wider than the window, and a picture is taken of each, `screenshots/<name>-<theme>-<width>.png`.
 */
export async function lookAt(page: Page, name: string): Promise<void> {
  await Deno.mkdir(PICTURES, { recursive: true });
  const before = page.viewportSize()!;
  for (const width of WIDTHS) {
    await page.setViewportSize({ width, height: 800 });
    for (const theme of THEMES) {
      const where = `${name}, ${theme}, ${width} px`;
      // No colour is looked at on its way to another one.
      await page.emulateMedia({ colorScheme: theme, reducedMotion: "reduce" });
      await page.evaluate(
        "new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)))",
      );
      if (LOOKED_AT.has(`${theme} ${width}`)) assertEquals(await violationsOf(page), [], where);
      const [contentWidth, windowWidth] = await page.evaluate<[number, number]>(
        "[document.documentElement.scrollWidth, innerWidth]",
      );
      assertEquals(
        Math.max(contentWidth, windowWidth),
        windowWidth,
        `${where}: nothing is wider than the window`,
      );
      await page.screenshot({ path: join(PICTURES, `${name}-${theme}-${width}.png`), fullPage: true });
    }
  }
  await page.emulateMedia({ colorScheme: null, reducedMotion: null });
  await page.setViewportSize(before);
}

interface Violation {
  readonly id: string;
  readonly help: string;
  readonly nodes: readonly {
    readonly target: readonly string[];
    readonly any: readonly { message: string }[];
  }[];
}

/** What axe finds on the page, each rule with the places that break it. */
export async function violationsOf(page: Page): Promise<string[]> {
  // Bringing it in takes longer than a look, and it stays for as long as the page does.
  if (!await page.evaluate<boolean>("'axe' in globalThis")) await page.evaluate(axe.source);
  const { violations } = await page.evaluate<{ violations: Violation[] }>(
    'axe.run(document, { resultTypes: ["violations"] })',
  );
  return violations.map(({ id, help, nodes }) =>
    `${id}: ${help}: ${
      nodes.map(({ target, any }) => `${target.join(" ")} ${any[0]?.message ?? ""}`).join("; ")
    }`
  );
}
