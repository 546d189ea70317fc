import { assertEquals, assertThrows } from "@std/assert";
import { settingsOf, withoutWebhookPath } from "./settings.ts";

const DEFAULTS = { approver_is_not_requester: false, approval_days: 14, log_days: 365, notify: null };

Deno.test("settingsOf() fills in what was never set, and leaves out what is no setting any more", () => {
  assertEquals(settingsOf({}), DEFAULTS);
  assertEquals(settingsOf({ log_days: 30, gone: true }), { ...DEFAULTS, log_days: 30 });
});

Deno.test("settingsOf() throws where what is stored is no setting, rather than going by a default that nobody chose", () => {
  for (
    const stored of [{ approver_is_not_requester: "yes" }, { approval_days: 0 }, {
      notify: { url: "http://x/" },
    }]
  ) {
    assertThrows(() => settingsOf(stored));
  }
});

Deno.test("withoutWebhookPath() keeps the host, and what holds no webhook as it is", () => {
  const notify = { url: "https://hooks.example.com:8443/a/canary?b=canary", delay_minutes: 5 };
  assertEquals(withoutWebhookPath({ log_days: 1, notify }), {
    log_days: 1,
    notify: { url: "https://hooks.example.com:8443/…", delay_minutes: 5 },
  });
  for (const settings of [{}, { notify: null }, { log_days: 1 }]) {
    assertEquals(withoutWebhookPath(settings), settings);
  }
});
