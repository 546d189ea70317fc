import { assert, assertEquals, assertRejects } from "@std/assert";
import { join } from "node:path";
import { type SignIn, signInFile } from "./sign-in-file.ts";

const SERVER = "https://www.framed.dev/api/connect/mcp";
const signIn = (text: string): SignIn => ({
  issuer: "https://www.framed.dev/connect",
  clientId: "a-client",
  tokens: { access: text, refresh: text, expiresAt: 1 },
});

async function inFolder(use: (folder: string) => Promise<void>) {
  const folder = await Deno.makeTempDir();
  try {
    await use(join(folder, "config", "framed"));
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

Deno.test("a sign-in is read back as it was written, of its own server alone, and makes nothing before", () =>
  inFolder(async (folder) => {
    const file = signInFile(folder, SERVER);
    assertEquals([await file.read(), await file.look("any", { maxAgeMs: 1 })], [null, "free"]);
    assertEquals(await Deno.stat(folder).catch(() => null), null);
    await file.write(signIn("one"));
    assertEquals(await file.read(), signIn("one"));
    assertEquals(await signInFile(folder, `${SERVER}/other`).read(), null);
    assertEquals((await Deno.stat(file.path)).mode! & 0o777, 0o600);
    assertEquals((await Deno.stat(folder)).mode! & 0o777, 0o700);
    await file.remove();
    assertEquals(await file.read(), null);
  }));

Deno.test("a sign-in is whole to who reads it while many write it", () =>
  inFolder(async (folder) => {
    const long = Array.from({ length: 8 }, (_, n) => String(n).repeat(40_000));
    await signInFile(folder, SERVER).write(signIn(long[0]!));
    const writing = Promise.all(
      long.map(async (text) => {
        for (let times = 0; times < 10; times++) await signInFile(folder, SERVER).write(signIn(text));
      }),
    );
    let isOver = false;
    writing.then(() => isOver = true);
    while (!isOver) {
      const read = await signInFile(folder, SERVER).read();
      assert(long.includes(read!.tokens!.access) && read!.tokens!.access === read!.tokens!.refresh);
    }
    assertEquals((await Array.fromAsync(Deno.readDir(folder))).length, 1);
  }));

Deno.test("a file that is no sign-in is none, and is not sent anywhere", () =>
  inFolder(async (folder) => {
    const file = signInFile(folder, SERVER);
    await file.write(signIn("one"));
    for (
      const text of [
        "",
        "{",
        "[]",
        "null",
        "7",
        `{"server":"https://else.example"}`,
        `{"server":"${SERVER}"}`,
      ]
    ) {
      await Deno.writeTextFile(file.path, text);
      assertEquals(await file.read(), null, text);
    }
  }));

Deno.test("a claim is one process's, until it lets go; one that was left behind is seen", () =>
  inFolder(async (folder) => {
    const [one, other] = [signInFile(folder, SERVER), signInFile(folder, SERVER)];
    const taken = await Promise.all([one, other, one, other].map((file) => file.claim("renewal")));
    assertEquals(taken.filter((claim) => claim !== null).length, 1);
    assertEquals(await other.look("renewal", { maxAgeMs: 60_000 }), "held");
    await taken.find((claim) => claim !== null)!.release();
    assertEquals(await other.look("renewal", { maxAgeMs: 60_000 }), "free");

    await one.claim("renewal");
    const path = `${one.path}.renewal.claim`;
    await Deno.utime(path, new Date(), new Date(Date.now() - 61_000));
    assertEquals(await other.look("renewal", { maxAgeMs: 60_000 }), "left");
    await other.clear("renewal");
    const gone = new Deno.Command("true").spawn();
    await gone.status;
    await Deno.writeTextFile(path, String(gone.pid));
    assertEquals(await other.look("renewal", { maxAgeMs: 60_000 }), "left");
  }));

Deno.test("a folder that cannot be made is told in words", () =>
  inFolder(async (folder) => {
    await Deno.mkdir(join(folder, ".."), { recursive: true });
    await Deno.writeTextFile(folder, "a file");
    const refused = await assertRejects(() => signInFile(folder, SERVER).write(signIn("one")));
    assertEquals((refused as Error).name, "Failure");
  }));
