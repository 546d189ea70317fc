/** The console's consent page in a real browser: who asks is seen, decided and told to the program, and no more. */

import { assert, assertEquals, assertMatch } from "@std/assert";
import type { Page } from "playwright-core";
import postgres from "postgres";
import { makePkce } from "../testing/connect.ts";
import { consoleTest, lookAt, openConsole, signIn, type Visitor } from "../testing/console.ts";
import { startUpstream } from "../testing/upstream.ts";

const under = await openConsole();
const { stack, browser } = under;
/** The program that signs in: it listens on this device, and a stranger's page stands there too. */
const program = startUpstream(({ target }) =>
  new Response(
    target.startsWith("/frame")
      ? `<iframe src="${new URLSearchParams(target.split("?")[1]).get("of")}"></iframe>`
      : "<title>The program</title>Back in the program",
    { headers: { "content-type": "text/html" } },
  )
);

const issuer = `${stack.functions}/connect`;
const redirectUri = `http://localhost:${program.port}/callback`;
/** A name that a program gives itself to look like more than it is. */
const NAME = '<img src=x onerror="document.title=1">Framed';

async function ask(name = NAME) {
  const registered = await fetch(`${issuer}/register`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ client_name: name, redirect_uris: ["http://localhost/callback"] }),
  });
  const { client_id } = await registered.json();
  const { verifier, challenge } = makePkce();
  const query = new URLSearchParams({
    response_type: "code",
    client_id,
    redirect_uri: redirectUri,
    code_challenge: challenge,
    code_challenge_method: "S256",
    state: "the state",
    resource: `${issuer}/mcp`,
  });
  return { client_id, verifier, url: `${issuer}/authorize?${query}` };
}

/** A browser of its own at `url`, signed in by the form as `visitor`. Fails where the browser had to report something. */
async function withPage(
  { url, as = null }: { url: string; as?: Visitor },
  work: (page: Page, said: string[]) => Promise<void>,
) {
  const context = await browser.newContext();
  const page = await context.newPage();
  const said: string[] = [];
  page.on("console", (message) => said.push(message.text()));
  page.on("pageerror", (error) => said.push(error.message));
  try {
    await page.goto(url);
    if (as !== null) await signIn(page, as);
    await work(page, said);
  } finally {
    await context.close();
  }
}

/** What is shown to who decides. */
function consentOn(page: Page) {
  return page.getByRole("form", { name: "What it asks for" });
}

consoleTest("a person signs in, sees who asks and what for, and lets it in on a workspace", async () => {
  const { client_id, verifier, url } = await ask();
  await withPage({ url }, async (page, said) => {
    assertMatch(page.url(), new RegExp(`^${stack.console}/connect/consent\\?request=`));
    await page.getByText("You then see which program asks, and decide.").waitFor();
    assertEquals(await consentOn(page).count(), 0);
    await signIn(page, stack.member);
    const consent = consentOn(page);
    await consent.waitFor();
    const text = await consent.innerText();
    assert(text.startsWith(`${NAME} wants to work with your tools, as you.`), text);
    assert(text.includes(`localhost:${program.port}, a program on this device`), text);
    assert(text.includes("Any program can give itself this name"), text);
    assert(text.includes("Each one waits until a person has approved it"), text);
    assertEquals(await consent.locator("img").count(), 0);
    assertEquals(await consent.locator("bdi").first().innerText(), NAME, "a name turns nothing around it");
    assertEquals(await page.title(), "Let a program in · Framed");
    await page.getByText(`You are signed in as ${stack.member.email}.`).waitFor();
    await page.getByLabel("Bakery office").check();
    await page.getByRole("button", { name: "Let it in" }).click();
    await page.waitForURL(`${redirectUri}?**`);
    assertEquals(await page.title(), "The program");
    const { code, state, iss, ...more } = Object.fromEntries(new URL(page.url()).searchParams);
    assertEquals([state, iss, more], ["the state", issuer, {}]);
    assertEquals(said, []);

    const exchanged = await fetch(`${issuer}/token`, {
      method: "POST",
      body: new URLSearchParams({
        grant_type: "authorization_code",
        client_id,
        code: code!,
        redirect_uri: redirectUri,
        code_verifier: verifier,
      }),
    });
    const { access_token } = await exchanged.json();
    const listed = await fetch(`${stack.api}/tools?workspace_id=${stack.workspace_id}`, {
      headers: { authorization: `Bearer ${access_token}` },
    });
    assertEquals([listed.status, (await listed.json()).ok], [200, true]);
    const arrived = program.requests.find(({ target }) => target.startsWith("/callback"));
    assertEquals(arrived!.headers.get("referer"), null, "the program learns nothing of the page");
  });
});

consoleTest(
  "a person turns a program away, which is told so, and the way back offers nothing to press",
  async () => {
    const { url } = await ask();
    await withPage({ url, as: stack.member }, async (page, said) => {
      await page.getByRole("button", { name: "Turn it away" }).click();
      await page.waitForURL(`${redirectUri}?**`);
      const { error, code } = Object.fromEntries(new URL(page.url()).searchParams);
      assertEquals([error, code, said], ["access_denied", undefined, []]);
      await page.goBack();
      await page.getByText(/^(If nothing happens|It has been decided)/).waitFor();
      assertEquals(await page.getByRole("button", { name: /Let it in|Turn it away/ }).count(), 0);
    });
  },
);

consoleTest(
  "a decision is sent once, however often it is pressed, and what is left says that it is done",
  async () => {
    const { url } = await ask();
    await withPage({ url, as: stack.member }, async (page) => {
      await consentOn(page).waitFor();
      const going = Promise.withResolvers<void>();
      let sent = 0;
      await page.route(`${issuer}/consent/**`, async (route) => {
        sent++;
        await going.promise;
        await route.continue();
      });
      // The program takes the answer and shows nothing, so that the page stays to be looked at.
      await page.route(`http://localhost:${program.port}/**`, (route) => route.fulfill({ status: 204 }));
      const letIn = page.getByRole("button", { name: "Let it in" });
      await letIn.click();
      await page.locator('button[aria-busy="true"]').waitFor();
      await letIn.press("Enter");
      await page.getByRole("button", { name: "Turn it away" }).click();
      going.resolve();
      await page.getByText("If nothing happens, go back to the program").waitFor();
      assertEquals(sent, 1);
      assertEquals(await page.getByRole("button").count(), 0);
      await lookAt(page, "consent-done");
    });
  },
);

consoleTest(
  "the page says what is wrong: a password, another person's request, one that was decided, none",
  async () => {
    const { url } = await ask();
    await withPage({ url }, async (page) => {
      const [says, address] = [page.getByRole("alert"), page.url()];
      await signIn(page, { email: stack.member.email, password: "wrong" });
      await says.filter({ hasText: "do not belong together" }).waitFor();
      assertEquals(await consentOn(page).count(), 0);
      await signIn(page, stack.member);
      await consentOn(page).waitFor();

      // It is theirs from now on, and whoever signs in instead is told to begin again.
      await page.getByRole("button", { name: "Sign in as somebody else" }).click();
      await signIn(page, stack.admin);
      await says.filter({ hasText: "There is no such request for you" }).waitFor();
      await page.getByText(`You are signed in as ${stack.admin.email}.`).waitFor();
      assertEquals(await consentOn(page).count(), 0);
      await lookAt(page, "consent-not-yours");

      await page.getByRole("button", { name: "Sign in as somebody else" }).click();
      await signIn(page, stack.member);
      await page.getByRole("button", { name: "Turn it away" }).click();
      await page.waitForURL(`${redirectUri}?**`);
      await page.goto(address);
      await says.filter({ hasText: "There is no such request for you" }).waitFor();

      for (const lacking of ["", "?request=", `?request=${"x".repeat(42)}`, "?request=../../workspaces"]) {
        await page.goto(`${stack.console}/connect/consent${lacking}`);
        await says.filter({ hasText: "lacks the request" }).waitFor();
        assertEquals(await page.getByRole("button").count(), 0, lacking);
      }
      await lookAt(page, "consent-lacking");
    });
    // Nobody signs in for nothing.
    await withPage({ url: `${stack.console}/connect/consent` }, async (page) => {
      await page.getByRole("alert").filter({ hasText: "lacks the request" }).waitFor();
      assertEquals(await page.getByLabel("Password").count(), 0);
    });
  },
);

consoleTest("who is on two workspaces says which one, and it is let in on that one alone", async () => {
  const { url, client_id, verifier } = await ask("A planner");
  const sql = postgres(stack.database);
  const second = crypto.randomUUID();
  await sql`
    insert into framed.workspaces (id, account_id, name)
    select ${second}, account_id, 'Second shop' from framed.workspaces where id = ${stack.workspace_id}`;
  await sql`
    insert into framed.members (workspace_id, user_id, role, name, email)
    select ${second}, user_id, 'member', name, email from framed.members
     where workspace_id = ${stack.workspace_id} and email = ${stack.member.email}`;
  try {
    await withPage({ url, as: stack.member }, async (page) => {
      await consentOn(page).waitFor();
      assertEquals(await page.getByRole("radio", { checked: true }).count(), 0);
      await page.getByRole("button", { name: "Let it in" }).click();
      await page.getByText("Choose the workspace that it may work on.").waitFor();
      await lookAt(page, "consent");
      await page.getByLabel("Second shop").check();
      await page.getByRole("button", { name: "Let it in" }).click();
      await page.waitForURL(`${redirectUri}?**`);
      const body = new URLSearchParams({
        grant_type: "authorization_code",
        client_id,
        code: new URL(page.url()).searchParams.get("code")!,
        redirect_uri: redirectUri,
        code_verifier: verifier,
      });
      const { access_token } = await (await fetch(`${issuer}/token`, { method: "POST", body })).json();
      const statusOn = async (workspaceId: string) => {
        const headers = { authorization: `Bearer ${access_token}` };
        const response = await fetch(`${stack.api}/tools?workspace_id=${workspaceId}`, { headers });
        await response.body?.cancel();
        return response.status;
      };
      assertEquals([await statusOn(second), await statusOn(stack.workspace_id)], [200, 404]);
    });
  } finally {
    await sql`delete from framed.members where workspace_id = ${second}`;
    await sql.end();
  }
});

consoleTest("no other page can put the consent page into a frame, or read what it shows", async () => {
  const { url } = await ask();
  await withPage({ url: "about:blank" }, async (page) => {
    const refused = page.waitForEvent("console", (message) => message.text().includes("frame-ancestors"));
    await page.goto(`http://127.0.0.1:${program.port}/frame?of=${encodeURIComponent(url)}`);
    await refused;
    const [, frame] = page.frames();
    assertEquals(await frame!.getByLabel("E-mail").count(), 0);
    // Nor ask in the person's place: no cookie goes along, and Connect's consent answers no other origin.
    const asked = JSON.stringify(`${issuer}/consent/${"x".repeat(43)}`);
    const answered = await page.evaluate(`fetch(${asked}).then(() => "answered", () => "refused")`);
    assertEquals(answered, "refused");
  });
});

consoleTest("the page runs nothing but its own scripts", async () => {
  const response = await fetch(`${stack.console}/connect/consent?request=${"x".repeat(43)}`);
  const html = await response.text();
  const policy = response.headers.get("content-security-policy")!;
  for (
    const part of [
      "default-src 'none'",
      "script-src 'self'",
      "style-src 'self'",
      "connect-src 'self'",
      "form-action 'none'",
      "frame-ancestors 'none'",
      "base-uri 'none'",
    ]
  ) {
    assert(policy.split("; ").includes(part), policy);
  }
  assertEquals(/unsafe|\*/.test(policy), false);
  assertEquals(/<script(?![^>]*\bsrc=)|\son\w+=|style=/i.test(html), false);
  assertEquals(response.headers.get("x-frame-options"), "DENY");
  assertEquals(response.headers.get("referrer-policy"), "no-referrer");
  await withPage({ url: response.url }, async (page) => {
    await page.getByLabel("E-mail").waitFor();
    const ran = await page.evaluate(`
      const script = document.createElement("script");
      script.textContent = "document.title = 'ran'";
      document.body.append(script);
      document.title`);
    assertEquals(ran, "Sign in · Framed");
  });
});

consoleTest("the browser and the stack end", async () => {
  await under.stop();
  await program.close();
});
