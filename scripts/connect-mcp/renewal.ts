/** Tokens are renewed by one process of a machine at a time: Connect ends a grant whose refresh token comes twice. */

import { createHash } from "node:crypto";
import { findServer, renewTokens } from "./authorization-server.ts";
import { pause } from "./pause.ts";
import type { SignIn, SignInFile } from "./sign-in-file.ts";
import type { SignInMeans } from "./sign-in.ts";

/** A renewal takes seconds; a process that has held its claim for this long is not going to end it. */
const RENEWAL_MS = 60_000;

/**
 * Renews the tokens of a refresh token. `elsewhere` where another process was at it: the file says with what. `ended`
 * where there are none to be had any more; the file then has none.
 *
 * The claim bears the token's own digest, so that none is presented by two. A process that died with its claim may have
 * presented the token: nobody presents it again, and the person signs in anew. A process that fails before it has an
 * answer lets the next one try.
 */
export async function renewOnce(
  { serverUrl, file, fetch, signal }: Pick<SignInMeans, "serverUrl" | "file" | "fetch" | "signal">,
  { issuer, clientId, refresh }: { issuer: string; clientId: string; refresh: string },
): Promise<"renewed" | "elsewhere" | "ended"> {
  const name = `renewal-${createHash("sha256").update(refresh).digest("hex").slice(0, 16)}`;
  const claim = await file.claim(name);
  if (claim === null) {
    for (;;) {
      const state = await file.look(name, { maxAgeMs: RENEWAL_MS });
      if (state === "free") return "elsewhere";
      if (state === "left") {
        await forget(file, { refresh });
        await file.clear(name);
        return "ended";
      }
      await pause(signal);
    }
  }
  try {
    // Between the look into the file and the claim another process may have been through with it.
    if ((await file.read())?.tokens?.refresh !== refresh) return "elsewhere";
    const server = await findServer(serverUrl, fetch);
    // Tokens of one issuer are not shown to another.
    const renewed = server.issuer === issuer ? await renewTokens(server, { clientId, refresh }, fetch) : null;
    if (renewed === null) {
      await forget(file, { refresh });
      return "ended";
    }
    // Signed out in the meantime, or signed in anew: what came is nobody's any more.
    if ((await file.read())?.tokens?.refresh !== refresh) return "elsewhere";
    await file.write({ issuer, clientId, tokens: { ...renewed, refresh: renewed.refresh ?? refresh } });
    return "renewed";
  } finally {
    await claim.release();
  }
}

/** Takes tokens out of the file, unless they have been replaced. The registration stays. */
async function forget(file: SignInFile, { refresh }: { refresh: string }): Promise<void> {
  const known: SignIn | null = await file.read();
  if (known?.tokens?.refresh === refresh) await file.write({ ...known, tokens: null });
}
