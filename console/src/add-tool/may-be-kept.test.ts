import { assertEquals } from "@std/assert";
import { FILES } from "../../../supabase/functions/_shared/definition/testdata/files.ts";
import { mayBeKept } from "./may-be-kept.ts";

Deno.test("mayBeKept() lets every good file be kept", () => {
  const refused = FILES.valid.filter(({ bytes }) =>
    !mayBeKept(new TextDecoder().decode(bytes).replace(/^\ufeff/, ""))
  );
  assertEquals(refused.map(({ name }) => name), []);
});

/** Told of a misspelt key, with the name of a secret behind it. */
const NAMES_ONE = "auth-env-misspelt";

Deno.test("mayBeKept() lets none be kept of which the check says that it carries a credential", () => {
  const carries =
    /carries a credential|looks like|names its secrets and never holds one|credential is wanted|password in front/;
  const kept = FILES.invalid.filter(({ name, bytes, lines }) =>
    name !== NAMES_ONE && lines.some((line) => carries.test(line)) &&
    mayBeKept(new TextDecoder().decode(bytes))
  );
  assertEquals(kept.map(({ name, lines }) => `${name}: ${lines.join(" ")}`), []);
});

Deno.test("mayBeKept() keeps what is being typed, until it may hold a credential", () => {
  const cases: [string, boolean][] = [
    ["", true],
    ['{"slug": "a', true],
    ['{"request": {"headers": {"Authorization": "Bearer {{secret}}"', true],
    ['{"request": {"headers": {"Authorization": "Bearer {{sec', false],
    ['{"request": {"headers": {"Authorization": "Bearer 5f2a', false],
    ['{"request": {"headers": {"X-Api-Key": "my own"', false],
    ['{"request": {"url": "https://a.example/?api_key=5f2a"}}', false],
    ['{"request": {"url": "https://a.example/?api_key={{secret}}"}}', true],
    ['{"auth": {"secret": "CONNECTOR_A"}}', true],
    ['{"auth": {"secret": "5f2a"', false],
    ['{"auth": {"secret": 52', false],
    ['{"note": "sk_live_\\u0061bcdef123"}', false],
    ["API_KEY=5f2a", false],
    ["5f2a7c", false],
  ];
  for (const [text, wanted] of cases) assertEquals(mayBeKept(text), wanted, text);
});
