/** Settings and the webhook in a real browser: what is confirmed, what is shown once, and how it fares. */

import { assert, assertEquals, assertMatch } from "@std/assert";
import { Webhook } from "standardwebhooks";
import { consoleTest, lookAt, openConsole } from "../testing/console.ts";
import { everythingOn } from "../testing/everything-on.ts";
import { fixtureFile } from "../testing/files.ts";
import { callStack } from "../testing/stack-caller.ts";
import { startUpstream } from "../testing/upstream.ts";

const receiver = startUpstream(() => new Response(null, { status: 204 }));
const under = await openConsole({
  env: { FRAMED_LOCAL_UPSTREAMS: `hooks.example.com=${receiver.url.origin}` },
});
const { stack, visit } = under;
const { ask, define, propose, tick } = callStack(stack);
const people = `/workspaces/${stack.workspace_id}`;

consoleTest("settings are saved, and rows of the log do not go unasked", async () => {
  await visit(stack.admin, "/people?tab=settings", async ({ page }) => {
    const settings = async () => (await ask(people, { as: "admin" })).settings;
    await page.getByLabel("Nobody approves what they asked for").check();
    await page.getByLabel("Days an approval waits").fill("21");
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByText("The settings are saved.").waitFor();
    const { approver_is_not_requester, approval_days, log_days } = await settings();
    assertEquals([approver_is_not_requester, approval_days, log_days], [true, 21, 365]);

    await page.getByLabel("Days the log is kept").fill("30");
    await page.getByRole("button", { name: "Save" }).click();
    const asked = page.getByRole("alertdialog", { name: "Keep the log for less long?" });
    await asked.getByText("older than 30 days").waitFor();
    await lookAt(page, "settings-log-days");
    await asked.getByRole("button", { name: "Cancel" }).click();
    assertEquals((await settings()).log_days, 365);
    assertEquals(await page.getByLabel("Days the log is kept").inputValue(), "30");
    await page.getByRole("button", { name: "Save" }).click();
    await asked.getByRole("button", { name: "Remove older rows" }).click();
    await page.getByText("The settings are saved.").waitFor();
    assertEquals((await settings()).log_days, 30);
    await page.getByLabel("Nobody approves what they asked for").uncheck();
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByText("The settings are saved.").waitFor();
    assertEquals((await settings()).approver_is_not_requester, false);
  });
});

consoleTest(
  "a webhook is set, signs with the secret that was shown once, and tells how it fares",
  async () => {
    await define(fixtureFile({ slug: "hooked", access: "write" }));
    await visit(stack.admin, "/people?tab=settings", async ({ page }) => {
      await page.getByLabel("Address").fill("https://127.0.0.1/hook");
      await page.getByRole("button", { name: "Set it up" }).click();
      // What is wrong stands at the field, and not in the API's words about a request.
      await page.locator("input[name=url][aria-invalid=true]").waitFor();
      assertEquals(await page.getByRole("alert").count(), 0);
      await lookAt(page, "webhook-refused");
      await page.getByLabel("Address").fill("https://hooks.example.com/in/secret-path");
      await page.getByRole("button", { name: "Set it up" }).click();
      const shown = page.getByRole("dialog", { name: "The signing secret of the webhook" });
      const secret = await shown.getByLabel("Signing secret").inputValue();
      assertMatch(secret, /^whsec_/);
      await shown.getByRole("button", { name: "I have kept it" }).click();
      await page.getByText("The webhook is saved.").waitFor();
      assertEquals((await everythingOn(page)).includes(secret.slice(6)), false);

      const approval = await propose("hooked", { floor: 1 });
      await tick();
      const { headers, body } = receiver.requests[0]!;
      const message = new Webhook(secret).verify(body, Object.fromEntries(headers)) as { type: string };
      assertEquals(message.type, "approvals.waiting");
      await page.reload();
      const notice = page.getByRole("row").filter({ hasText: "delivered" });
      await notice.getByRole("link", { name: "an approval" }).waitFor();
      assertMatch(
        (await notice.getByRole("link").getAttribute("href"))!,
        new RegExp(`^/tasks/${approval}\\?`),
      );
      await lookAt(page, "settings");

      await page.getByRole("button", { name: "New signing secret" }).click();
      await page.getByRole("alertdialog").getByRole("button", { name: "Make it" }).click();
      assert(await shown.getByLabel("Signing secret").inputValue() !== secret);
      await shown.getByRole("button", { name: "I have kept it" }).click();
      await visit(stack.member, "/people?tab=settings", async ({ page: members }) => {
        await members.getByText("hooks.example.com").waitFor();
        assertEquals((await everythingOn(members)).includes("secret-path"), false);
      });
      await page.getByRole("button", { name: "Remove", exact: true }).click();
      await page.getByRole("alertdialog").getByRole("button", { name: "Remove" }).click();
      await page.getByText("The webhook is removed.").waitFor();
      await page.getByRole("button", { name: "Set it up" }).waitFor();
      assertEquals(await page.getByLabel("Address").inputValue(), "");
      assertEquals((await ask(people, { as: "admin" })).settings.notify, null);
    }, { maySay: /400/ });
  },
);

consoleTest("the browser and the stack end", async () => {
  await under.stop();
  await receiver.close();
});
