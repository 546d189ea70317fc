import { assert, assertEquals } from "@std/assert";
import { FLOORS, judgeArrow, roomOf } from "./floors.ts";

const SHARED = "supabase/functions/_shared/";

Deno.test("roomOf() finds the slice and its floor", () => {
  const slices: [path: string, slice: string | undefined][] = [
    [`${SHARED}outcome/reason.ts`, "outcome"],
    [`${SHARED}definition/checks/url.ts`, "definition"],
    [`${SHARED}framed-tool.ts`, "framed-tool.ts"],
    [`${SHARED}connectors.ts`, "connectors.ts"],
    ["supabase/functions/define/app.ts", "functions/define"],
    ["supabase/functions/api/app.ts", "functions/api"],
    ["supabase/tests/grants.test.ts", "scripts"],
    ["scripts/check.ts", "scripts"],
    ["console/src/main.tsx", "console"],
    [`${SHARED}anywhere/else.ts`, undefined],
    [`${SHARED}stray.ts`, undefined],
    ["supabase/functions/stray.ts", undefined],
    ["stray.ts", undefined],
  ];
  for (const [path, slice] of slices) assertEquals(roomOf(path)?.slice, slice, path);
  assertEquals(roomOf("supabase/functions/define/app.ts")?.floor, FLOORS.length - 4);
  assertEquals(roomOf("supabase/functions/api/app.ts")?.floor, FLOORS.length - 3);
});

const ARROWS: [from: string, to: string, says: string | null][] = [
  [`${SHARED}http/app.ts`, `${SHARED}db/client.ts`, null],
  [`${SHARED}db/client.ts`, `${SHARED}db/transaction.ts`, null],
  [`${SHARED}db/client.ts`, `${SHARED}outcome/result.ts`, null],
  [`${SHARED}outcome/reason.ts`, `${SHARED}outcome/result.ts`, null],
  ["supabase/functions/define/app.ts", `${SHARED}flows/tick.ts`, null],
  ["supabase/functions/api/app.ts", "supabase/functions/define/app.ts", null],
  ["scripts/start.ts", "supabase/functions/api/app.ts", null],
  ["scripts/console/tasks.test.ts", "console/src/tasks/card.tsx", null],
  ["console/src/main.tsx", "console/src/app.tsx", null],
  ["console/src/main.tsx", `${SHARED}outcome/reason.ts`, null],
  [`${SHARED}db/client.ts`, `${SHARED}http/app.ts`, "goes up"],
  [`${SHARED}outcome/reason.ts`, `${SHARED}db/client.ts`, "goes up"],
  [`${SHARED}http/app.ts`, "supabase/functions/define/app.ts", "goes up"],
  [`${SHARED}http/app.ts`, "scripts/start.ts", "goes up"],
  ["supabase/functions/define/app.ts", "scripts/start.ts", "goes up"],
  ["supabase/functions/define/app.ts", "supabase/functions/api/app.ts", "goes up"],
  [`${SHARED}secrets/store.ts`, `${SHARED}egress/guarded-fetch.ts`, "goes sideways"],
  [`${SHARED}auth/store.ts`, `${SHARED}results/store.ts`, "goes sideways"],
  ["supabase/functions/define/app.ts", "supabase/functions/cron/app.ts", "goes sideways"],
  ["console/src/main.tsx", `${SHARED}approvals/store.ts`, 'bundles only files marked "Pure."'],
  ["console/src/main.tsx", "supabase/functions/define/app.ts", "only its own files and those of _shared"],
  ["console/src/main.tsx", "scripts/console/addresses.ts", "only its own files and those of _shared"],
  [`${SHARED}http/app.ts`, "console/src/config.ts", "goes up"],
  ["supabase/functions/api/app.ts", "console/src/config.ts", "goes up"],
];

for (const [from, to, says] of ARROWS) {
  Deno.test(`judgeArrow() ${says === null ? "allows" : "refuses"} ${from} → ${to}`, () => {
    const found = judgeArrow(end(from, false), end(to, false));
    if (says === null) assertEquals(found, null);
    else assert(found?.includes(says), String(found));
  });
}

Deno.test("judgeArrow() lets a pure file of _shared be imported from every floor above the ground", () => {
  const pure = end(`${SHARED}results/rows.ts`, true);
  assertEquals(judgeArrow(end(`${SHARED}definition/checks.ts`, false), pure), null);
  assertEquals(judgeArrow(end(`${SHARED}auth/store.ts`, false), pure), null);
  assert(judgeArrow(end(`${SHARED}outcome/reason.ts`, false), pure)?.includes("goes up"));
});

Deno.test("judgeArrow() keeps _shared off functions and scripts, pure or not", () => {
  const from = end(`${SHARED}http/app.ts`, false);
  assert(judgeArrow(from, end("scripts/check/floors.ts", true))?.includes("goes up"));
  assert(judgeArrow(from, end("supabase/functions/define/shape.ts", true))?.includes("goes up"));
});

Deno.test("judgeArrow() lets a pure file import pure files and the ground only", () => {
  const pure = end(`${SHARED}approvals/state.ts`, true);
  assertEquals(judgeArrow(pure, end(`${SHARED}egress/address.ts`, true)), null);
  assertEquals(judgeArrow(pure, end(`${SHARED}outcome/result.ts`, false)), null);
  assert(judgeArrow(pure, end(`${SHARED}approvals/store.ts`, false))?.includes('marked "Pure."'));
  assert(judgeArrow(pure, end(`${SHARED}db/client.ts`, false))?.includes('marked "Pure."'));
});

Deno.test("judgeArrow() lets the console bundle pure files of _shared, and take types of the others", () => {
  const from = end("console/src/add-tool/editor.tsx", false);
  assertEquals(judgeArrow(from, end(`${SHARED}framed-tool.ts`, true)), null);
  const store = end(`${SHARED}approvals/store.ts`, false);
  assertEquals(judgeArrow(from, store, { typeOnly: true }), null);
  const app = end("supabase/functions/approval/app.ts", true);
  for (const typeOnly of [false, true]) {
    assert(judgeArrow(from, app, { typeOnly })?.includes("only its own files"), String(typeOnly));
  }
});

function end(path: string, pure: boolean) {
  const room = roomOf(path);
  assert(room !== null, path);
  return { ...room, pure };
}
