import { assert, assertEquals } from "@std/assert";
import { databaseTest } from "../../../scripts/testing/database.ts";
import { openTestWorkspace } from "../../../scripts/testing/workspace.ts";

const w = await openTestWorkspace();
globalThis.addEventListener("unload", () => w.close());
const { sql } = w.database;

const DEFAULTS = { approver_is_not_requester: false, approval_days: 14, log_days: 365, notify: null };
const patch = (body: unknown, as: Parameters<typeof w.ask>[1]["as"] = "admin") =>
  w.ask(`/workspaces/${w.id}`, { as, method: "PATCH", body });
const events = async () => (await w.log()).filter(({ event }) => event === "workspace.changed");

databaseTest("GET /workspaces lists a person's own, with their role, and nobody else's", async () => {
  const { status, body } = await w.ask("/workspaces", { as: "member" });
  const row = { id: w.id, name: "Test", role: "member", grants: ["use_connectors"] };
  assertEquals([status, body.workspaces, body.next_cursor], [200, [row], null]);

  await sql`insert into framed.members (workspace_id, user_id, role, name, email)
    values (${w.siblingId}, ${w.people.member}, 'admin', 'Mo', 'mo@people.example')`;
  const both = (await w.ask("/workspaces", { as: "member" })).body.workspaces;
  const roles = both.map(({ id, role }: { id: string; role: string }) => [id, role]);
  assertEquals(roles, [[w.id, "member"], [w.siblingId, "admin"]]);
  await sql`delete from framed.members where workspace_id = ${w.siblingId}`;
  assertEquals(
    (await w.ask("/workspaces", { as: "stranger" })).body.workspaces.map(({ id }: { id: string }) => id),
    [w.strangersId],
  );
});

databaseTest("GET /workspaces is paged by a cursor that loses and repeats nothing", async () => {
  const ids = await sql<{ id: string }[]>`
    insert into framed.workspaces (account_id, name) select ${w.accountId}, 'Many' from generate_series(1, 11) returning id`;
  const person = w.people.bare_member;
  await sql`insert into framed.members (workspace_id, user_id, role, name, email)
    select id, ${person}, 'member', 'Bo', 'bo@people.example' from framed.workspaces where name = 'Many'`;
  const seen: string[] = [];
  let cursor = "";
  do {
    const { body } = await w.ask(`/workspaces?limit=5${cursor}`, { as: "bare_member" });
    seen.push(...body.workspaces.map(({ id }: { id: string }) => id));
    cursor = body.next_cursor === null ? "" : `&cursor=${body.next_cursor}`;
  } while (cursor !== "");
  assertEquals(seen, [w.id, ...ids.map(({ id }) => id).sort()]);
  await sql`delete from framed.workspaces where name = 'Many'`;
});

databaseTest("GET /workspaces takes no cursor but its own, whatever it holds", async () => {
  for (const made of ["tomorrow x", `9999-12-31T00:00:00Z ${w.id}`, `2026-02-30T00:00:00Z ${w.id}`, "a"]) {
    const { status, body } = await w.ask(`/workspaces?cursor=${btoa(made).replaceAll("=", "")}`, {
      as: "admin",
    });
    assertEquals([status, body.reason], [400, "bad_request"], made);
  }
});

databaseTest("GET /workspaces/<id> fills in what was never set", async () => {
  const { status, body } = await w.ask(`/workspaces/${w.id}`, { as: "bare_member" });
  const { request_id: _, ...rest } = body;
  assertEquals(status, 200);
  assertEquals(rest, { ok: true, id: w.id, name: "Test", role: "member", grants: [], settings: DEFAULTS });
});

databaseTest(
  "PATCH /workspaces/<id> changes what is named, keeps the rest, and logs the new values",
  async () => {
    const first = await patch({ approval_days: 3 });
    assertEquals([first.status, first.body.settings], [200, { ...DEFAULTS, approval_days: 3 }]);
    const second = await patch({ approver_is_not_requester: true, log_days: 30, approval_days: 3 });
    const settings = { ...DEFAULTS, approval_days: 3, approver_is_not_requester: true, log_days: 30 };
    assertEquals(second.body.settings, settings);
    assertEquals((await w.ask(`/workspaces/${w.id}`, { as: "member" })).body.settings, settings);
    const [one, two] = await events();
    assertEquals([one.detail, two.detail], [{ approval_days: 3 }, {
      approver_is_not_requester: true,
      log_days: 30,
    }]);
    assertEquals([one.principal.id, one.request_id], [w.people.admin, first.body.request_id]);

    await patch({ log_days: 30 });
    await patch({});
    assertEquals((await events()).length, 2, "what is so already changes nothing");
  },
);

databaseTest(
  "PATCH /workspaces/<id> keeps a webhook's address to administrators and out of the log",
  async () => {
    const notify = { url: "https://hooks.example.com/services/canary-webhook-path", delay_minutes: 30 };
    const { body } = await patch({ notify });
    assertEquals(body.settings.notify, notify);
    const seen = await w.ask(`/workspaces/${w.id}`, { as: "member" });
    assertEquals(seen.body.settings.notify, { url: "https://hooks.example.com/…", delay_minutes: 30 });
    const [last] = (await events()).slice(-1);
    assertEquals(last.detail, { notify: { url: "https://hooks.example.com/…", delay_minutes: 30 } });
    assert(!JSON.stringify(await w.log()).includes("canary-webhook-path"));
    assertEquals((await patch({ notify: { url: notify.url } })).body.settings.notify.delay_minutes, 0);
    assertEquals((await patch({ notify: null })).body.settings.notify, null);
  },
);

databaseTest(
  "PATCH /workspaces/<id> refuses in words what is no setting, and stores none of it",
  async (t) => {
    const before = (await w.ask(`/workspaces/${w.id}`, { as: "admin" })).body.settings;
    const cases: readonly [unknown, string][] = [
      [{ approval_day: 3 }, "body: approval_day not known here"],
      [{ log_days: 3, approval_days: 0 }, "approval_days: a whole number from 1 to 365 is wanted"],
      [{ approval_days: 366 }, "approval_days: a whole number from 1 to 365 is wanted"],
      [{ approval_days: "7" }, "approval_days: a whole number from 1 to 365 is wanted"],
      [{ log_days: 1.5 }, "log_days: a whole number from 1 to 3,650 is wanted"],
      [{ log_days: null }, "log_days: a whole number from 1 to 3,650 is wanted"],
      [{ approver_is_not_requester: "yes" }, "approver_is_not_requester: true or false is wanted"],
      [
        { notify: "https://hooks.example.com/" },
        "notify: an object with url and delay_minutes is wanted, or null for none",
      ],
      [{ notify: { delay_minutes: 5 } }, "notify.url: an address is wanted"],
      [
        { notify: { url: "https://hooks.example.com/", delay_minutes: -1 } },
        "notify.delay_minutes: a whole number from 0 to 10,080 is wanted",
      ],
      [
        { notify: { url: "http://hooks.example.com/" } },
        "notify.url: an address that starts with https:// is wanted",
      ],
      [{ notify: { url: "https://hooks.example.com/", secret: "x" } }, "notify: secret not known here"],
    ];
    for (const [body, line] of cases) {
      await t.step(line, async () => {
        const answered = await patch(body);
        assertEquals([answered.status, answered.body.reason, answered.body.problems], [400, "bad_request", [
          line,
        ]]);
      });
    }
    for (
      const url of [
        "https://127.0.0.1/",
        "https://[::1]/",
        "https://db.internal/",
        "https://hooks.example.com:6379/",
      ]
    ) {
      await t.step(`no webhook at ${url}`, async () => {
        assertEquals((await patch({ notify: { url } })).status, 400);
      });
    }
    assertEquals((await w.ask(`/workspaces/${w.id}`, { as: "admin" })).body.settings, before);
  },
);

databaseTest("PATCH /workspaces/<id> by two at once loses neither's change", async () => {
  await Promise.all([
    patch({ approval_days: 21 }),
    patch({ log_days: 99 }, "second_admin"),
    patch({ approver_is_not_requester: false }),
  ]);
  const { settings } = (await w.ask(`/workspaces/${w.id}`, { as: "admin" })).body;
  assertEquals(settings, { ...DEFAULTS, approval_days: 21, log_days: 99 });
});
