import { assertEquals } from "@std/assert";
import { databaseTest } from "../../../scripts/testing/database.ts";
import { ledgerFile } from "../../../scripts/testing/files.ts";
import { openTestWorkspace } from "../../../scripts/testing/workspace.ts";

const w = await openTestWorkspace();
globalThis.addEventListener("unload", () => w.close());

/** What tells how the tool works, and not what it does. */
const HOW = ["CONNECTOR_LEDGER", "ledger.example", "Bearer {{secret}}", "fixtures"];

databaseTest("a program that a person let in is told what a tool does, and never how it works", async () => {
  const defined = await w.define(ledgerFile({ slug: "ledger" }), "member_token");
  assertEquals([defined.status, defined.body.waits_for], [200, 1]);
  const paths = [
    `/tools?workspace_id=${w.id}`,
    `/tools/ledger?workspace_id=${w.id}`,
    `/tools/ledger/versions?workspace_id=${w.id}`,
    `/tools/ledger/versions/1?workspace_id=${w.id}`,
  ];
  const told = async (as: "member" | "member_token") => {
    const texts = await Promise.all(paths.map(async (path) => (await w.ask(path, { as })).text));
    return HOW.filter((part) => texts.some((text) => text.includes(part)));
  };
  assertEquals(await told("member"), HOW, "the person themselves is");
  assertEquals(await told("member_token"), []);
  const { body } = await w.ask(paths[0]!, { as: "member_token" });
  assertEquals([body.tools[0].tool, body.tools[0].waits_for], ["ledger", 1]);
  const [owner] = await w.database.sql`
    select owner_user_id, owner_key_kind from framed.v2_connectors where slug = 'ledger'`;
  assertEquals({ ...owner }, { owner_user_id: w.people.member, owner_key_kind: null });
});

databaseTest("the log tells a host who pasted a secret and when, and not under which name", async () => {
  assertEquals((await w.define(ledgerFile({ slug: "logged" }))).status, 200);
  assertEquals((await w.paste("logged", { name: "CONNECTOR_LEDGER", value: "12345678" })).status, 204);
  const path = `/tools/logged/secrets/CONNECTOR_LEDGER?workspace_id=${w.id}`;
  assertEquals((await w.ask(path, { as: "admin", method: "DELETE" })).status, 204);
  for (const route of ["/log", "/log/export"]) {
    const read = async (as: "admin" | "admin_token" | "admin_key") =>
      (await w.ask(`${route}?workspace_id=${w.id}&tool=logged`, { as })).text;
    for (const as of ["admin", "admin_key"] as const) {
      assertEquals((await read(as)).match(/CONNECTOR_LEDGER/g)?.length, 2, `${as} ${route}`);
    }
    const told = await read("admin_token");
    assertEquals([told.includes("secret.pasted"), told.includes("secret.removed")], [true, true]);
    assertEquals(HOW.filter((part) => told.includes(part)), []);
  }
  // From a hash and all else that it covers a name could be guessed.
  const chained = async (as: "admin" | "admin_token"): Promise<string[]> =>
    (await w.ask(`/log?workspace_id=${w.id}&tool=logged`, { as })).body.events.map((
      { event, chain }: { event: string; chain: unknown },
    ) => `${event} ${chain === null ? "bare" : "chained"}`);
  // A tick leaves to the next what was appended beside a transaction that is under way, in any database of the cluster.
  for (let ticks = 0; ticks < 100; ticks++) {
    await w.tick();
    if (!(await chained("admin")).some((row) => row.endsWith(" bare"))) break;
  }
  assertEquals(await chained("admin"), [
    "secret.removed chained",
    "secret.pasted chained",
    "tool.defined chained",
  ]);
  assertEquals(await chained("admin_token"), [
    "secret.removed bare",
    "secret.pasted bare",
    "tool.defined chained",
  ]);
});

databaseTest("a host that may not replace a tool is not told where it goes, or by which secret", async () => {
  assertEquals(
    (await w.define(ledgerFile({ slug: "held", auth: { secret: "CONNECTOR_HELD" } }), "member")).status,
    200,
  );
  assertEquals((await w.paste("held", { name: "CONNECTOR_HELD", value: "12345678" })).status, 204);
  const elsewhere = ledgerFile({
    slug: "held",
    auth: { secret: "CONNECTOR_HELD" },
    request: {
      method: "GET",
      url: "https://other.example/api/invoices?supplier={supplier}",
      headers: { Authorization: "Bearer {{secret}}" },
    },
  });
  const renamed = ledgerFile({ slug: "held", auth: { secret: "CONNECTOR_ANOTHER" } });
  for (const [file, reason] of [[elsewhere, "host_moved"], [renamed, "secret_moved"]] as const) {
    const [person, host] = [await w.define(file, "member"), await w.define(file, "member_token")];
    assertEquals([person.body.reason, host.body.reason], [reason, reason]);
    assertEquals(/CONNECTOR_HELD|ledger\.example/.test(person.text), true, person.text);
    assertEquals(/CONNECTOR_HELD|ledger\.example/.test(host.text), false, host.text);
  }
});
