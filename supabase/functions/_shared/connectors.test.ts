import { assert, assertEquals } from "@std/assert";
import fc from "fast-check";
import { decideCall } from "./connectors.ts";
import { FILES } from "./definition/testdata/files.ts";
import { mutatedFile } from "./definition/testdata/mutated.ts";
import { exampleAsCall } from "./definition/fixtures.ts";
import { checkFramedTool, type FramedTool, type HostView, hostViews, readFramedTool } from "./framed-tool.ts";
import { problemBody } from "./outcome/problem-body.ts";

/** Fails unless what `view` shows is what the server makes of a call of the view's example. */
function assertShown(tool: FramedTool, view: HostView): void {
  const call = exampleAsCall(tool, view.example ?? {});
  const decided = decideCall({
    tool: { slug: tool.slug, file: tool, runs_as_read: false },
    call,
    caller: "host",
  });
  const told = JSON.stringify({ call, view });
  if (decided.ok) {
    const { does } = decided.value.effect;
    return assertEquals([view.does, view.status], [does, does === "runs" ? 200 : 202], told);
  }
  switch (decided.refusal.reason) {
    case "bad_arguments":
      return assert(view.notes.some((note) => note.startsWith("Not a whole call: args")), told);
    default:
      assertEquals(view.does, "refused", told);
      assertEquals<unknown>(view.sees, problemBody(decided.refusal, "…"), told);
  }
}

Deno.test("hostViews() shows of every example of a good file what the server decides about its call", () => {
  let views = 0;
  for (const { name, bytes } of FILES.valid) {
    const read = readFramedTool(bytes);
    assert(read.ok, name);
    for (const view of hostViews(read.tool)) {
      assertShown(read.tool, view);
      views++;
    }
  }
  assert(views > 60, String(views));
});

Deno.test("hostViews() shows it of any file that passes the check", () => {
  fc.assert(
    fc.property(mutatedFile, (file) => {
      const read = checkFramedTool(file);
      if (read.ok) { for (const view of hostViews(read.tool)) assertShown(read.tool, view); }
    }),
    { numRuns: 4_000 },
  );
});
