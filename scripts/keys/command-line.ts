/** What `deno task keys` was asked to do, read from its arguments. Pure. */

/** A person as they stand on a workspace. */
export interface Person {
  /** The subject of their Supabase Auth sessions. */
  readonly userId: string;
  readonly email: string;
  readonly name: string;
}

export type Command =
  | { readonly does: "help" }
  | {
    readonly does: "setup";
    readonly account: { readonly id: string } | { readonly name: string };
    readonly workspaceName: string;
    readonly person: Person;
  }
  | {
    readonly does: "set-member";
    readonly workspaceId: string;
    readonly person: Person;
    readonly role: "admin" | "member";
    readonly grants: readonly string[];
  }
  | {
    readonly does: "issue";
    readonly holder:
      /** `admin` is the address or the id of an administrator of the workspace. */
      | { readonly workspaceId: string; readonly admin: string }
      | { readonly accountId: string };
    readonly name: string;
    readonly expiresAt: Date | null;
  }
  | { readonly does: "list"; readonly of: { readonly workspaceId: string } | { readonly accountId: string } }
  | { readonly does: "revoke"; readonly id: string }
  | { readonly does: "ring"; readonly kid: string }
  /** Null re-wraps every workspace's. */
  | { readonly does: "rewrap"; readonly workspaceId: string | null };

export const USAGE = `Usage: deno task keys COMMAND [--json]

  setup --account-name NAME | --account ID, --workspace-name NAME, --user ID --email ADDRESS --name NAME
      the first workspace of a new account (or one more of an account) and its first administrator;
      prints the workspace's id
  set-member --workspace ID --user ID --email ADDRESS --name NAME [--role admin|member] [--grant use_connectors]
      adds a person to a workspace, or sets their role and grants anew; a member without --grant has none
  issue --workspace ID --admin ADDRESS|ID --name NAME [--expires INSTANT]
      a raw key that acts as an administrator of the workspace; prints the key, once
  issue --account ID --reseller --name NAME [--expires INSTANT]
      a reseller key that reaches every workspace of the account; prints the key, once
  list --workspace ID | --account ID
      keys, dead ones too, newest first, at most 1,000
  revoke KEY_ID
      ends a key at once and for good
  ring [--kid KID]
      a fresh master key for FRAMED_SECRET_KEYS, kid:base64; asks no database
  rewrap --all | --workspace ID
      seals data keys anew under the first key of FRAMED_SECRET_KEYS, so that an older one can be dropped

--user is the person's id in Supabase Auth. INSTANT is ISO 8601: 2027-01-31 or 2027-01-31T12:00:00Z.
SUPABASE_DB_URL says which database, as its owner. What was asked for goes to standard output and nothing else does,
so that KEY=$(deno task keys issue …) works; with --json it is one line of JSON. Exit codes: 0 done, 1 refused, 2 usage.
`;

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
const SWITCHES = new Set(["--json", "--reseller", "--all", "--help"]);
const KID = /^[A-Za-z0-9][A-Za-z0-9_-]{0,31}$/;
/** What each command takes beside `--json`. */
const OPTIONS: Readonly<Record<string, readonly string[]>> = {
  setup: ["--account", "--account-name", "--workspace-name", "--user", "--email", "--name"],
  "set-member": ["--workspace", "--user", "--email", "--name", "--role", "--grant"],
  issue: ["--workspace", "--admin", "--account", "--reseller", "--name", "--expires"],
  list: ["--workspace", "--account"],
  revoke: [],
  ring: ["--kid"],
  rewrap: ["--all", "--workspace"],
};

class Usage extends Error {}

/** The command and whether it answers in JSON, or what is wrong with the arguments in one line. */
export function readCommand(
  args: readonly string[],
  { now }: { now: Date },
): { command: Command; json: boolean } | { problem: string } {
  try {
    const given = readArguments(args);
    return { command: toCommand(given, now), json: given.switches.has("--json") };
  } catch (error) {
    if (error instanceof Usage) return { problem: error.message };
    throw error;
  }
}

interface Given {
  readonly words: readonly string[];
  readonly switches: ReadonlySet<string>;
  readonly values: ReadonlyMap<string, string>;
}

function readArguments(args: readonly string[]): Given {
  const words: string[] = [];
  const switches = new Set<string>();
  const values = new Map<string, string>();
  const left = [...args];
  for (let arg = left.shift(); arg !== undefined; arg = left.shift()) {
    if (arg === "-h") arg = "--help";
    if (!arg.startsWith("--")) {
      words.push(arg);
      continue;
    }
    const at = arg.indexOf("=");
    const option = at < 0 ? arg : arg.slice(0, at);
    if (switches.has(option) || values.has(option)) throw new Usage(`${option} is given twice.`);
    if (SWITCHES.has(option)) {
      if (at >= 0) throw new Usage(`${option} takes no value.`);
      switches.add(option);
      continue;
    }
    const value = at < 0 ? left.shift() : arg.slice(at + 1);
    if (value === undefined || value.trim() === "" || (at < 0 && value.startsWith("--"))) {
      throw new Usage(`${option} takes a value.`);
    }
    values.set(option, value);
  }
  return { words, switches, values };
}

function toCommand(given: Given, now: Date): Command {
  const [word, ...more] = given.words;
  if (given.switches.has("--help") || word === undefined) return { does: "help" };
  const options = Object.hasOwn(OPTIONS, word) ? OPTIONS[word] : undefined;
  if (options === undefined) {
    throw new Usage(
      `There is no command ${JSON.stringify(word)}; there are ${Object.keys(OPTIONS).join(", ")}.`,
    );
  }
  const unknown = [...given.values.keys(), ...given.switches].find((option) =>
    option !== "--json" && !options.includes(option)
  );
  if (unknown !== undefined) throw new Usage(`${word} takes no ${unknown}.`);
  if (word === "revoke") {
    const [id, ...rest] = more;
    if (id === undefined || rest.length > 0) {
      throw new Usage("revoke takes the id of one key; list shows the ids.");
    }
    return { does: "revoke", id: readId("The key's id", id) };
  }
  if (more.length > 0) throw new Usage(`${word} takes options only, not ${JSON.stringify(more[0])}.`);
  switch (word) {
    case "setup":
      return {
        does: "setup",
        account: readAccount(given),
        workspaceName: text(given, "--workspace-name", 200),
        person: readPerson(given),
      };
    case "set-member":
      return {
        does: "set-member",
        workspaceId: id(given, "--workspace"),
        person: readPerson(given),
        role: oneOf(given, "--role", ["member", "admin"]),
        grants: given.values.has("--grant") ? [oneOf(given, "--grant", ["use_connectors"])] : [],
      };
    case "issue":
      return {
        does: "issue",
        holder: readHolder(given),
        name: text(given, "--name", 80),
        expiresAt: readExpiry(given, now),
      };
    case "ring":
      return { does: "ring", kid: readKid(given, now) };
    case "rewrap":
      if (given.switches.has("--all") === given.values.has("--workspace")) {
        throw new Usage("rewrap takes one of --all and --workspace ID.");
      }
      return { does: "rewrap", workspaceId: given.switches.has("--all") ? null : id(given, "--workspace") };
    default:
      return { does: "list", of: either(given, "list") };
  }
}

function readHolder(given: Given): Extract<Command, { does: "issue" }>["holder"] {
  if (!given.switches.has("--reseller")) {
    if (given.values.has("--account")) {
      throw new Usage("A key of an account is a reseller key: say --reseller too.");
    }
    return { workspaceId: id(given, "--workspace"), admin: text(given, "--admin", 320) };
  }
  const wrong = ["--workspace", "--admin"].find((option) => given.values.has(option));
  if (wrong !== undefined) {
    throw new Usage(`A reseller key has no person and no workspace: leave ${wrong} out.`);
  }
  return { accountId: id(given, "--account") };
}

function readAccount(given: Given): { id: string } | { name: string } {
  if (given.values.has("--account") === given.values.has("--account-name")) {
    throw new Usage(
      "setup takes --account-name NAME for a new account or --account ID for one that is there.",
    );
  }
  return given.values.has("--account")
    ? { id: id(given, "--account") }
    : { name: text(given, "--account-name", 200) };
}

function either(given: Given, word: string): { workspaceId: string } | { accountId: string } {
  if (given.values.has("--workspace") === given.values.has("--account")) {
    throw new Usage(`${word} takes one of --workspace ID and --account ID.`);
  }
  return given.values.has("--workspace")
    ? { workspaceId: id(given, "--workspace") }
    : { accountId: id(given, "--account") };
}

function readPerson(given: Given): Person {
  const email = text(given, "--email", 320);
  if (!/^[^\s@]+@[^\s@]+$/.test(email)) throw new Usage("--email takes an address like noor@example.com.");
  return { userId: id(given, "--user"), email, name: text(given, "--name", 200) };
}

function readExpiry(given: Given, now: Date): Date | null {
  const value = given.values.get("--expires");
  if (value === undefined) return null;
  const at = new Date(value);
  const isIso = /^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2}(\.\d{1,6})?)?(Z|[+-]\d{2}:\d{2}))?$/.test(value);
  if (!isIso || Number.isNaN(at.getTime())) {
    throw new Usage("--expires takes an instant like 2027-01-31 or 2027-01-31T12:00:00Z.");
  }
  if (at <= now) throw new Usage("--expires is past: such a key would never work.");
  return at;
}

/** Named after the day where nothing is said. */
function readKid({ values }: Given, now: Date): string {
  const kid = values.get("--kid") ?? `k${now.toISOString().slice(0, 10).replaceAll("-", "")}`;
  if (!KID.test(kid)) throw new Usage("--kid takes 1 to 32 letters, digits, _ or -.");
  return kid;
}

function text({ values }: Given, option: string, max: number): string {
  const value = values.get(option)?.trim();
  if (value === undefined) throw new Usage(`${option} is missing.`);
  if ([...value].length > max) throw new Usage(`${option} is longer than ${max} characters.`);
  if (/\p{Cc}/u.test(value)) throw new Usage(`${option} holds a control character.`);
  return value;
}

function id({ values }: Given, option: string): string {
  const value = values.get(option);
  if (value === undefined) throw new Usage(`${option} is missing.`);
  return readId(option, value);
}

function readId(what: string, value: string): string {
  // Not repeated: it may be a key that was put where an id belongs.
  if (!UUID.test(value)) throw new Usage(`${what} is a UUID; what was given is none.`);
  return value.toLowerCase();
}

/** The value of the option, the first of `allowed` where it is left out. */
function oneOf<T extends string>({ values }: Given, option: string, allowed: readonly [T, ...T[]]): T {
  const value = values.get(option) ?? allowed[0];
  const found = allowed.find((one) => one === value);
  if (found === undefined) throw new Usage(`${option} takes ${allowed.join(" or ")}.`);
  return found;
}
