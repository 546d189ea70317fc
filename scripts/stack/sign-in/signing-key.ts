/** The ES256 key of the local sign-in: made, published, and used to sign and check access tokens. WebCrypto only. */

import { Buffer } from "node:buffer";

/** Signs and checks tokens with one key. */
export interface TokenSigner {
  /** The public half, as the JWKS lists it. */
  readonly publicKey: JsonWebKey & { kid: string };
  sign(claims: Record<string, unknown>): Promise<string>;
  /** The claims of a token this key has signed; null for any other text. Times are not looked at. */
  verify(token: string): Promise<Record<string, unknown> | null>;
}

const ALGORITHM = { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" } as const;

/** A new private key with an id of its own. */
export async function createSigningKey(): Promise<JsonWebKey> {
  const { privateKey } = await crypto.subtle.generateKey(ALGORITHM, true, ["sign", "verify"]);
  const { kty, crv, x, y, d } = await crypto.subtle.exportKey("jwk", privateKey);
  return { kty, crv, x, y, d, kid: crypto.randomUUID() } as JsonWebKey;
}

/** A signer with the private key that `createSigningKey` made. */
export async function createTokenSigner(key: JsonWebKey): Promise<TokenSigner> {
  const { kty, crv, x, y, kid } = key as JsonWebKey & { kid: string };
  const privateKey = await crypto.subtle.importKey("jwk", { ...key, key_ops: ["sign"] }, ALGORITHM, false, [
    "sign",
  ]);
  const verifyKey = await crypto.subtle.importKey("jwk", { kty, crv, x, y }, ALGORITHM, false, ["verify"]);
  const header = base64Url(JSON.stringify({ alg: "ES256", kid, typ: "JWT" }));
  return {
    publicKey: { kty, crv, x, y, kid, alg: "ES256", use: "sig", key_ops: ["verify"], ext: true },
    async sign(claims) {
      const signed = `${header}.${base64Url(JSON.stringify(claims))}`;
      const signature = await crypto.subtle.sign(ALGORITHM, privateKey, new TextEncoder().encode(signed));
      return `${signed}.${base64Url(new Uint8Array(signature))}`;
    },
    async verify(token) {
      const [head, body, signature, ...more] = token.split(".");
      if (head !== header || body === undefined || signature === undefined || more.length > 0) return null;
      try {
        const valid = await crypto.subtle.verify(
          ALGORITHM,
          verifyKey,
          Buffer.from(signature, "base64url"),
          new TextEncoder().encode(`${head}.${body}`),
        );
        return valid ? JSON.parse(Buffer.from(body, "base64url").toString()) : null;
      } catch {
        return null;
      }
    },
  };
}

function base64Url(value: string | Uint8Array): string {
  return Buffer.from(value as string).toString("base64url");
}
