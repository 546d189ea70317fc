import { assertEquals } from "@std/assert";
import { join } from "node:path";
import { makeEphemeralFolder } from "./ephemeral-folder.ts";
import { endOrphan } from "./orphan.ts";

Deno.test("endOrphan() leaves a process alone that is no PostgreSQL of the folder, and forgets its id", async () => {
  const folder = await makeEphemeralFolder();
  const bystander = new Deno.Command("sleep", { args: ["60"] }).spawn();
  try {
    await Deno.writeTextFile(join(folder, "postmaster.pid"), `${bystander.pid}\n${folder}\n`);
    await endOrphan(folder);
    assertEquals([...Deno.readDirSync(folder)], []);
    bystander.kill("SIGTERM");
    assertEquals((await bystander.status).signal, "SIGTERM");
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});

Deno.test("endOrphan() has nothing to do in a folder that is not there", async () => {
  await endOrphan("/nowhere/cluster");
});
