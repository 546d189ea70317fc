import { assertEquals } from "@std/assert";
import { checkText } from "./checked.ts";
import { mayBeKept } from "./may-be-kept.ts";
import { layOut } from "./lay-out.ts";
import { TEMPLATES } from "./templates.ts";

Deno.test("every file to begin with is fine, and has a fixture where its kind has them", () => {
  for (const { name, file } of TEMPLATES) {
    const text = layOut(file);
    const { problems, file: checked } = checkText(text);
    assertEquals(problems, [], name);
    assertEquals(checked!.views.length > 0, checked!.kind !== "mcp", name);
    assertEquals(mayBeKept(text), true, name);
  }
});
