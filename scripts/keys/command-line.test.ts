import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { readCommand } from "./command-line.ts";

const ID = "5f2c9a53-0e0a-4e0e-9d0c-0d0c5c0e6a11";
const NOW = new Date("2027-01-01T00:00:00Z");
const PERSON = ["--user", ID, "--email", "noor@framed.example", "--name", "Noor"];
const person = { userId: ID, email: "noor@framed.example", name: "Noor" };

function read(...args: string[]) {
  return readCommand(args, { now: NOW });
}

Deno.test("readCommand() reads every command", async (t) => {
  const cases: readonly [string[], unknown][] = [
    [[], { does: "help" }],
    [["issue", "--help"], { does: "help" }],
    [["-h"], { does: "help" }],
    [["setup", "--account-name", "Bakery", "--workspace-name", "Office", ...PERSON], {
      does: "setup",
      account: { name: "Bakery" },
      workspaceName: "Office",
      person,
    }],
    [["setup", "--account", ID.toUpperCase(), "--workspace-name=Office", ...PERSON], {
      does: "setup",
      account: { id: ID },
      workspaceName: "Office",
      person,
    }],
    [["set-member", "--workspace", ID, ...PERSON], {
      does: "set-member",
      workspaceId: ID,
      person,
      role: "member",
      grants: [],
    }],
    [["set-member", "--workspace", ID, ...PERSON, "--role", "admin", "--grant", "use_connectors"], {
      does: "set-member",
      workspaceId: ID,
      person,
      role: "admin",
      grants: ["use_connectors"],
    }],
    [["issue", "--workspace", ID, "--admin", "noor@framed.example", "--name", " CI "], {
      does: "issue",
      holder: { workspaceId: ID, admin: "noor@framed.example" },
      name: "CI",
      expiresAt: null,
    }],
    [["issue", "--account", ID, "--reseller", "--name", "Partner", "--expires", "2027-01-31"], {
      does: "issue",
      holder: { accountId: ID },
      name: "Partner",
      expiresAt: new Date("2027-01-31T00:00:00Z"),
    }],
    [["list", "--workspace", ID], { does: "list", of: { workspaceId: ID } }],
    [["list", "--account", ID], { does: "list", of: { accountId: ID } }],
    [["revoke", ID], { does: "revoke", id: ID }],
    [["ring"], { does: "ring", kid: "k20270101" }],
    [["ring", "--kid", "next_1"], { does: "ring", kid: "next_1" }],
    [["rewrap", "--all"], { does: "rewrap", workspaceId: null }],
    [["rewrap", "--workspace", ID.toUpperCase()], { does: "rewrap", workspaceId: ID }],
  ];
  for (const [args, command] of cases) {
    await t.step(args.join(" ") || "nothing", () => {
      assertEquals(read(...args), { command, json: false } as ReturnType<typeof read>);
    });
  }
});

Deno.test("readCommand() takes --json anywhere", () => {
  for (const args of [["--json", "revoke", ID], ["revoke", ID, "--json"]]) {
    assertEquals(read(...args), { command: { does: "revoke", id: ID }, json: true });
  }
});

Deno.test("readCommand() says in one line what is wrong", async (t) => {
  const issue = ["issue", "--workspace", ID, "--admin", ID, "--name", "CI"];
  const cases: readonly [string[], string][] = [
    [["destroy"], "no command"],
    [["constructor"], "no command"],
    [["list"], "one of --workspace ID and --account ID"],
    [["list", "--workspace", ID, "--account", ID], "one of"],
    [["list", "--workspace", "office"], "is a UUID"],
    [["list", "--workspace"], "takes a value"],
    [["list", "--workspace", "--json"], "takes a value"],
    [["list", "--workspace", ID, "--workspace", ID], "twice"],
    [["list", "--workspace", ID, "--name", "x"], "list takes no --name"],
    [["list", "--workspace", ID, "extra"], "options only"],
    [["list", "--json=yes", "--workspace", ID], "takes no value"],
    [["revoke"], "id of one key"],
    [["revoke", ID, ID], "id of one key"],
    [["revoke", "frk_live_x"], "is a UUID"],
    [["revoke", ID, "--name", "x"], "revoke takes no --name"],
    [["rewrap"], "one of --all and --workspace ID"],
    [["rewrap", "--all", "--workspace", ID], "one of"],
    [["rewrap", "--all=yes"], "takes no value"],
    [["ring", "--kid", "k:1"], "1 to 32 letters"],
    [["issue", "--workspace", ID, "--admin", ID], "--name is missing"],
    [["issue", "--workspace", ID, "--name", "CI"], "--admin is missing"],
    [["issue", "--account", ID, "--name", "CI"], "--reseller"],
    [[...issue, "--reseller"], "leave --workspace out"],
    [[...issue, "--expires", "tomorrow"], "an instant like"],
    [[...issue, "--expires", "2027-02-31T25:00:00Z"], "an instant like"],
    [[...issue, "--expires", "2026-12-31"], "past"],
    [["issue", "--workspace", ID, "--admin", ID, "--name", "x".repeat(81)], "longer than 80"],
    [["issue", "--workspace", ID, "--admin", ID, "--name", "two\nlines"], "control character"],
    [["issue", "--workspace", ID, "--admin", ID, "--name", "  "], "takes a value"],
    [["setup", "--workspace-name", "Office", ...PERSON], "--account-name"],
    [
      ["setup", "--account", ID, "--account-name", "x", "--workspace-name", "Office", ...PERSON],
      "--account-name",
    ],
    [
      ["setup", "--account", ID, "--workspace-name", "Office", "--user", ID, "--name", "Noor"],
      "--email is missing",
    ],
    [["set-member", "--workspace", ID, ...PERSON, "--role", "owner"], "member or admin"],
    [["set-member", "--workspace", ID, ...PERSON, "--grant", "everything"], "use_connectors"],
    [["set-member", "--workspace", ID, "--user", ID, "--email", "noor", "--name", "Noor"], "an address"],
  ];
  for (const [args, says] of cases) {
    await t.step(args.join(" "), () => {
      const found = read(...args);
      assert("problem" in found);
      assertStringIncludes(found.problem, says);
      assert(!found.problem.includes("\n") && !found.problem.includes("frk_live_x"));
    });
  }
});
