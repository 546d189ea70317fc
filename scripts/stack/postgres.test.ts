import { assert, assertEquals, assertRejects } from "@std/assert";
import { join } from "node:path";
import postgres from "postgres";
import { stageBinaries } from "./binaries.ts";
import { makeEphemeralFolder } from "./ephemeral-folder.ts";
import { cacheFolder } from "./places.ts";
import { startCluster } from "./postgres.ts";
import { StackProblem } from "./stack-problem.ts";

const PASSWORD = "aPasswordThatFits";

async function whoAmI(url: string): Promise<string> {
  const sql = postgres(url, { max: 1, fetch_types: false });
  try {
    const [row] = await sql`select current_user as name`;
    return row?.name;
  } finally {
    await sql.end();
  }
}

Deno.test("startCluster()", async (t) => {
  const binaries = await stageBinaries(cacheFolder());
  const parent = await makeEphemeralFolder();
  const options = { binaries, folder: join(parent, "cluster"), password: PASSWORD, durable: false };
  try {
    // As a start that was killed between making the cluster and closing it.
    await Deno.mkdir(`${options.folder}.new`);
    await Deno.writeTextFile(join(`${options.folder}.new`, "PG_VERSION"), "17\n");
    const cluster = await startCluster(options);

    await t.step("makes a cluster that takes the owner with the password", async () => {
      assertEquals(await whoAmI(cluster.url), "postgres");
    });

    await t.step("makes a cluster that takes nobody else", async () => {
      for (
        const [user, password] of [["postgres", "another"], ["postgres", ""], ["supabase_admin", PASSWORD]]
      ) {
        const url = Object.assign(new URL(cluster.url), { username: user, password }).href;
        await assertRejects(() => whoAmI(url), postgres.PostgresError, "password authentication failed");
      }
    });

    await t.step("leaves nothing of the making", () => {
      assertEquals([...Deno.readDirSync(parent)].map(({ name }) => name), ["cluster"]);
    });

    await cluster.stop();

    await t.step("takes another port when the one before is taken", async () => {
      const listener = Deno.listen({ hostname: "127.0.0.1", port: cluster.port });
      const again = await startCluster({ ...options, preferredPort: cluster.port });
      listener.close();
      assert(again.port !== cluster.port);
      assertEquals(await whoAmI(again.url), "postgres");
      await again.stop();
      assertEquals(await again.ended, { lastWords: null });
    });

    await t.step("says what PostgreSQL says when it does not start", async () => {
      await Deno.writeTextFile(join(options.folder, "postgresql.conf"), "shared_bufers = 1\n", {
        append: true,
      });
      await assertRejects(
        () => startCluster(options),
        StackProblem,
        `PostgreSQL does not start in ${options.folder}: configuration file`,
      );
    });

    await t.step("refuses a folder that holds something else", async () => {
      await Deno.mkdir(join(parent, "other"));
      await Deno.writeTextFile(join(parent, "other", "thesis.txt"), "chapter one");
      await assertRejects(
        () => startCluster({ ...options, folder: join(parent, "other") }),
        StackProblem,
        "holds something that is no PostgreSQL cluster",
      );
    });
  } finally {
    await Deno.remove(parent, { recursive: true });
  }
});
