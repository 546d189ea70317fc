/** Signs what is told to a webhook, so that its receiver knows who sends it. Pure. */

import { Buffer } from "node:buffer";
import { createHmac } from "node:crypto";

/** How many random bytes a signing secret is made of. */
export const SECRET_BYTES = 32;

const PREFIX = "whsec_";

/** A signing secret as its receiver is given it: `whsec_` and the base64 of 32 random bytes. */
export function signingSecretOf(random: Uint8Array): string {
  if (random.byteLength !== SECRET_BYTES) {
    throw new TypeError(`A signing secret is made of ${SECRET_BYTES} bytes`);
  }
  return PREFIX + Buffer.from(random).toString("base64");
}

/**
 * The headers a message goes out with: `webhook-id`, the same however often it is sent, so that a receiver can tell a
 * message it has; `webhook-timestamp`, of this attempt, so that an old one cannot be sent again; and `webhook-signature`
 * over both and `body`, to the byte.
 *
 * Source: Standard Webhooks 1.0, symmetric signatures.
 */
export function signedHeaders(
  body: string,
  { secret, messageId, sentAt }: { secret: string; messageId: string; sentAt: Date },
): [string, string][] {
  const id = webhookId(messageId);
  const timestamp = String(Math.floor(sentAt.getTime() / 1000));
  const key = Buffer.from(secret.slice(PREFIX.length), "base64");
  const signature = createHmac("sha256", key).update(`${id}.${timestamp}.${body}`, "utf8").digest("base64");
  return [
    ["webhook-id", id],
    ["webhook-timestamp", timestamp],
    ["webhook-signature", `v1,${signature}`],
  ];
}

/** A message's id as its receiver sees it. */
export function webhookId(messageId: string): string {
  return `msg_${messageId.replaceAll("-", "")}`;
}
