import { assertEquals } from "@std/assert";
import { findPlaceholders } from "./placeholder.ts";

Deno.test("findPlaceholders() lists every one, with its place, also those that are none", () => {
  const value = {
    a: "{{calls.0.result.id}}",
    "b{{x}}": ["Of {{args.a}} and {{args.b}}", "open {{", 1, "}}{{}}"],
  };
  assertEquals(findPlaceholders(value), [
    { at: ["a"], inside: "calls.0.result.id", whole: true, inKey: false },
    { at: ["b{{x}}"], inside: "x", whole: false, inKey: true },
    { at: ["b{{x}}", 0], inside: "args.a", whole: false, inKey: false },
    { at: ["b{{x}}", 0], inside: "args.b", whole: false, inKey: false },
    { at: ["b{{x}}", 1], inside: null, whole: false, inKey: false },
    { at: ["b{{x}}", 3], inside: "", whole: false, inKey: false },
  ]);
  assertEquals(findPlaceholders("{{open"), [{ at: [], inside: null, whole: true, inKey: false }]);
  assertEquals(findPlaceholders({ a: "{b} } {", c: [null] }), []);
});
