/** Everything that is made up once for a stack and kept with its data. No input or output but randomness. */

import { createKey } from "../../supabase/functions/_shared/auth/keys.ts";
import { generateKeyRing } from "../../supabase/functions/_shared/secrets/key-ring.ts";
import { createSigningKey } from "./sign-in/signing-key.ts";

/** A person of the demo workspace. */
export interface DemoPerson {
  readonly id: string;
  readonly name: string;
  readonly email: string;
  readonly password: string;
}

/** An account with one workspace. */
export interface DemoAccount {
  readonly id: string;
  readonly name: string;
  readonly workspace: { readonly id: string; readonly name: string };
}

/** Holds every credential of a local stack. */
export interface Settings {
  readonly databasePassword: string;
  /** The port the database had last, to have it again. */
  readonly databasePort?: number;
  /** As `FRAMED_SECRET_KEYS`. */
  readonly keyRing: string;
  /** Signs the access tokens of the local sign-in. */
  readonly signingKey: JsonWebKey;
  readonly publishableKey: string;
  readonly cronSecret: string;
  readonly demo: {
    readonly account: DemoAccount;
    readonly admin: DemoPerson;
    readonly member: DemoPerson;
    readonly apiKey: string;
    readonly resellerKey: string;
    /** A stranger's account, which none of the above reaches. */
    readonly other: { readonly account: DemoAccount; readonly admin: DemoPerson; readonly apiKey: string };
  };
}

/** New settings. The people and companies do not exist; `.example` is nobody's domain (RFC 2606). */
export async function makeSettings(): Promise<Settings> {
  return {
    databasePassword: randomText(24),
    keyRing: generateKeyRing("local"),
    signingKey: await createSigningKey(),
    publishableKey: `sb_publishable_${randomText(24)}`,
    cronSecret: randomText(32),
    demo: {
      account: makeAccount("Harbor Street Bakery", "Bakery office"),
      admin: makePerson("Noor Admin", "noor.admin@framed.example"),
      member: makePerson("Sam Member", "sam.member@framed.example"),
      apiKey: createKey(),
      resellerKey: createKey(),
      other: {
        account: makeAccount("Elsewhere Ltd", "Elsewhere office"),
        admin: makePerson("Kim Elsewhere", "kim.elsewhere@framed.example"),
        apiKey: createKey(),
      },
    },
  };
}

function makeAccount(name: string, workspaceName: string): DemoAccount {
  return { id: crypto.randomUUID(), name, workspace: { id: crypto.randomUUID(), name: workspaceName } };
}

function makePerson(name: string, email: string): DemoPerson {
  return { id: crypto.randomUUID(), name, email, password: randomText(16) };
}

/** Letters and digits only, so that it can be copied with a double click and needs no escaping anywhere. */
function randomText(length: number): string {
  const alphabet = "ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz23456789";
  let text = "";
  while (text.length < length) {
    const [value = 0] = crypto.getRandomValues(new Uint8Array(1));
    if (value < 256 - 256 % alphabet.length) text += alphabet[value % alphabet.length];
  }
  return text;
}
