/** The secrets a file names: none for show, none for two purposes, none that belongs to a built-in client. Pure. */

import { CREDENTIAL_KEYS, type CredentialKey, isCredential } from "../credentials.ts";
import { SECRET_NAME } from "../format-parts.ts";
import type { JsonValue } from "../json.ts";
import type { Path, Problem } from "../problem.ts";
import { type Draft, objectOf } from "./draft.ts";

/** The names of a built-in connection's secrets, for files that ship with Framed. */
const BUILT_IN_NAME = /^CONNECTOR_MONEYBIRD_/;

interface NamedSecret {
  readonly key: CredentialKey;
  readonly path: Path;
  readonly name: JsonValue;
}

/** What is wrong with the file's secret names, given which credentials its requests use. */
export function checkAuth(draft: Draft, used: ReadonlySet<CredentialKey>): Problem[] {
  const problems: Problem[] = [];
  const named = namedSecrets(draft);
  for (const { key, path, name } of named) {
    const credential = named.find((other) => other.name === name && isCredential(other.key));
    if (
      credential !== undefined && !isCredential(key) && typeof name === "string" && SECRET_NAME.test(name)
    ) {
      problems.push({
        path,
        says:
          `${name} is a credential under ${credential.key}, and ${key} is told openly; a name of its own is wanted`,
      });
    }
    if (draft.kindSaid && draft.kind === "request" && !used.has(key)) {
      problems.push({
        path,
        says: `nothing in the request uses {{${key}}}; use it there, or leave the name out`,
      });
    }
    if (
      draft.origin === "file" && typeof name === "string" && BUILT_IN_NAME.test(name) &&
      SECRET_NAME.test(name)
    ) {
      problems.push({
        path,
        says:
          "names starting CONNECTOR_MONEYBIRD_ are for files that ship with Framed; another name is wanted",
      });
    }
  }
  const { auth } = draft.file;
  if (draft.kind === "request" && auth !== undefined && namesNothing(auth)) {
    problems.push({ path: ["auth"], says: "names no secret; name one, or leave auth out" });
  }
  return problems;
}

/** The credentials the file's `auth` gives its requests, whether or not their names are right. */
export function givenCredentials(draft: Draft): ReadonlySet<CredentialKey> {
  return new Set(namedSecrets(draft).map(({ key }) => key));
}

function namedSecrets({ file, kind }: Draft): NamedSecret[] {
  const at: Path = kind === "mcp" ? ["mcp", "auth"] : ["auth"];
  const auth = objectOf(kind === "mcp" ? objectOf(file.mcp).auth : file.auth);
  const env = kind === "mcp" ? {} : objectOf(auth.env);
  return CREDENTIAL_KEYS.flatMap((key): NamedSecret[] => {
    const [holder, path] = key === "secret" ? [auth, [...at, key]] : [env, [...at, "env", key]];
    return Object.hasOwn(holder, key) ? [{ key, path, name: holder[key]! }] : [];
  });
}

function namesNothing(auth: JsonValue): boolean {
  const { env, ...others } = objectOf(auth);
  const isObject = typeof auth === "object" && auth !== null && !Array.isArray(auth);
  return isObject && Object.keys(others).length === 0 && Object.keys(objectOf(env)).length === 0 &&
    (env === undefined || (typeof env === "object" && env !== null && !Array.isArray(env)));
}
