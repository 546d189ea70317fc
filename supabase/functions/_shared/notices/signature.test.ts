import { assertEquals, assertThrows } from "@std/assert";
import { Webhook } from "standardwebhooks";
import { signedHeaders, signingSecretOf, webhookId } from "./signature.ts";

const MESSAGE_ID = "01936a5c-9d34-7000-8000-0123456789ab";
const BODY = '{"type":"approvals.waiting"}';
const secret = signingSecretOf(new Uint8Array(32).fill(7));
const minutesAgo = (minutes: number) => new Date(Date.now() - minutes * 60_000);
const sign = (sentAt: Date, body = BODY) =>
  Object.fromEntries(signedHeaders(body, { secret, messageId: MESSAGE_ID, sentAt }));

Deno.test("signedHeaders() signs the published example as the specification does", () => {
  const headers = signedHeaders('{"test": 2432232314}', {
    secret: "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw",
    messageId: "p5jXN8AQM9LWM0D4loKWxJek",
    sentAt: new Date(1_614_265_330_999),
  });
  assertEquals(headers, [
    ["webhook-id", "msg_p5jXN8AQM9LWM0D4loKWxJek"],
    ["webhook-timestamp", "1614265330"],
    ["webhook-signature", "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="],
  ]);
});

Deno.test("signedHeaders() signs what the official receiver takes, and nothing else", async (t) => {
  assertEquals(new Webhook(secret).verify(BODY, sign(new Date())), JSON.parse(BODY));
  const letters = '{"type":"approvals.waiting","data":"été 𝄞 \\u0000"}';
  assertEquals(new Webhook(secret).verify(letters, sign(new Date(), letters)), JSON.parse(letters));

  const good = sign(new Date());
  const flipped = good["webhook-signature"]!.replace(/.=$/, (end) => (end === "A=" ? "E=" : "A="));
  const refused: readonly [what: string, headers: Record<string, string>, body?: string, secret?: string][] =
    [
      ["another body", good, BODY.replace("a", "b")],
      ["one blank more", good, `${BODY} `],
      ["another id", { ...good, "webhook-id": "msg_other" }],
      ["a later timestamp", { ...good, "webhook-timestamp": String(Number(good["webhook-timestamp"]) + 1) }],
      ["no signature", { ...good, "webhook-signature": "" }],
      ["another signature", { ...good, "webhook-signature": flipped }],
      ["another version", { ...good, "webhook-signature": good["webhook-signature"]!.replace("v1,", "v2,") }],
      ["another secret", good, BODY, signingSecretOf(new Uint8Array(32).fill(8))],
      ["sent again after six minutes", sign(minutesAgo(6))],
      ["six minutes ahead", sign(minutesAgo(-6))],
    ];
  for (const [what, headers, body = BODY, by = secret] of refused) {
    await t.step(what, () => {
      assertThrows(() => new Webhook(by).verify(body, headers));
    });
  }
});

Deno.test("signingSecretOf() writes 32 bytes as receivers are given them, and no other number", () => {
  assertEquals(secret, `whsec_${"BwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwc="}`);
  for (const bytes of [0, 31, 33]) assertThrows(() => signingSecretOf(new Uint8Array(bytes)), TypeError);
});

Deno.test("webhookId() is a message's id by the name a receiver knows it", () => {
  assertEquals(webhookId(MESSAGE_ID), "msg_01936a5c9d34700080000123456789ab");
});
