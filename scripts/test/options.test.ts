import { assertEquals } from "@std/assert";
import { fileURLToPath } from "node:url";
import { planTests } from "./options.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const SHARED = `${ROOT}supabase/functions/_shared`;
const SCRIPTS = `${ROOT}scripts`;

const PLANS: [args: string[], own: string[] | null, platform: string[] | null][] = [
  [[], [], ["supabase/functions"]],
  [["--skip-2.1.4"], [], null],
  [["--only-2.1.4"], null, ["supabase/functions"]],
  [["--filter", "decide"], ["--filter", "decide"], ["--filter", "decide", "supabase/functions"]],
  [["--fail-fast", SHARED], ["--fail-fast", SHARED], ["--fail-fast", SHARED]],
  [[SCRIPTS], [SCRIPTS], null],
  [[SCRIPTS, SHARED], [SCRIPTS, SHARED], [SHARED]],
];

for (const [args, own, platform] of PLANS) {
  Deno.test(`planTests() of ${JSON.stringify(args).replaceAll(ROOT, "")}`, () => {
    assertEquals(planTests(args, ROOT), { own, platform });
  });
}
