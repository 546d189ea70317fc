/** A throw-away certificate authority for tests: server certificates that a client trusts only when told to. */

import {
  BasicConstraintsExtension,
  KeyUsageFlags,
  KeyUsagesExtension,
  PemConverter,
  SubjectAlternativeNameExtension,
  type X509Certificate,
  X509CertificateGenerator,
} from "@peculiar/x509";

/** What a TLS server is started with, in PEM. */
export interface ServerCertificate {
  readonly cert: string;
  readonly key: string;
}

/** An authority that lives as long as the test. */
export interface TestAuthority {
  /** Its own certificate in PEM: what a client has to trust. */
  readonly ca: string;
  /** A certificate of this authority for a DNS name or an IP address: valid for a day, or `expired` a minute ago. */
  certify(host: string, options?: { expired?: boolean }): Promise<ServerCertificate>;
}

const ALGORITHM = { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" };
const HOUR_MS = 3_600_000;

/** Makes an authority with a fresh key. Nothing is written anywhere. */
export async function createTestAuthority(): Promise<TestAuthority> {
  const keys = await generateKeys();
  const authority = await X509CertificateGenerator.createSelfSigned({
    ...validity(),
    serialNumber: serialNumber(),
    name: "CN=Framed tools test authority",
    keys,
    signingAlgorithm: ALGORITHM,
    extensions: [
      new BasicConstraintsExtension(true, undefined, true),
      new KeyUsagesExtension(KeyUsageFlags.keyCertSign, true),
    ],
  });
  return {
    ca: authority.toString("pem"),
    certify: (host, options) => certify(host, { authority, signingKey: keys.privateKey, ...options }),
  };
}

async function certify(
  host: string,
  { authority, signingKey, expired = false }: {
    authority: X509Certificate;
    signingKey: CryptoKey;
    expired?: boolean;
  },
): Promise<ServerCertificate> {
  const keys = await generateKeys();
  const isAddress = /^[0-9.]+$|:/.test(host);
  const certificate = await X509CertificateGenerator.create({
    ...validity(),
    ...(expired && { notAfter: new Date(Date.now() - 60_000) }),
    serialNumber: serialNumber(),
    subject: `CN=${host}`,
    issuer: authority.subject,
    publicKey: keys.publicKey,
    signingKey,
    signingAlgorithm: ALGORITHM,
    extensions: [
      new BasicConstraintsExtension(false, undefined, true),
      new SubjectAlternativeNameExtension([{ type: isAddress ? "ip" : "dns", value: host }]),
    ],
  });
  const key = await crypto.subtle.exportKey("pkcs8", keys.privateKey);
  return { cert: certificate.toString("pem"), key: PemConverter.encode(key, "PRIVATE KEY") };
}

function generateKeys(): Promise<CryptoKeyPair> {
  return crypto.subtle.generateKey(ALGORITHM, true, ["sign", "verify"]) as Promise<CryptoKeyPair>;
}

function validity(): { notBefore: Date; notAfter: Date } {
  return { notBefore: new Date(Date.now() - HOUR_MS), notAfter: new Date(Date.now() + 24 * HOUR_MS) };
}

function serialNumber(): string {
  // The first bit stays clear: a serial number is a positive integer.
  return "01" + crypto.randomUUID().replaceAll("-", "").slice(0, 16);
}
