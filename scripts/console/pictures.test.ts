/** The README's pictures of the console: there, of the size they are said to be, and shown. */

import { assert, assertEquals, assertMatch } from "@std/assert";
import { join } from "node:path";
import { FOLDER, PICTURE, PICTURES } from "./pictures.ts";

const readme = await Deno.readTextFile(join(FOLDER, "..", "..", "README.md"));

for (const file of PICTURES) {
  Deno.test(`docs/images/${file} is a small picture that the README shows, and says what is on it`, async () => {
    const bytes = await Deno.readFile(join(FOLDER, file));
    assertEquals([...bytes.subarray(0, 8)], [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a], "a PNG");
    // Its first part, IHDR, begins with both.
    const view = new DataView(bytes.buffer);
    assertEquals([view.getUint32(16), view.getUint32(20)], [PICTURE.width, PICTURE.height]);
    assert(bytes.length <= PICTURE.maxBytes, `${bytes.length} bytes`);
    const [, words] = new RegExp(`!\\[([^\\]]*)\\]\\(docs/images/${file}\\)`).exec(readme) ?? [];
    assertMatch(words ?? "", /^.{40,}$/s, "the words of who does not see it");
  });
}
