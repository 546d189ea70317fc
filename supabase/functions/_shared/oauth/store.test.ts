import { assertEquals } from "@std/assert";
import { databaseTest, openTestDatabase } from "../../../../scripts/testing/database.ts";
import { addTwoAccounts } from "../../../../scripts/testing/two-accounts.ts";
import { forgetConnections } from "./store.ts";

const { sql } = await openTestDatabase();
const { here } = await addTwoAccounts(sql);

const hash = () => crypto.getRandomValues(new Uint8Array(32));
const ago = (days: number) => new Date(Date.now() - days * 86_400_000);

async function addClient(createdAt: Date, consentedAt: Date | null): Promise<string> {
  const id = crypto.randomUUID();
  await sql`insert into framed.connect_clients (id, name, redirect_uris, created_at, consented_at)
    values (${id}, 'A host', '["https://host.example/"]', ${createdAt}, ${consentedAt})`;
  return id;
}

async function addGrant(
  { clientId = "c", expiresAt, activated = true, revokedAt = null }: {
    clientId?: string;
    expiresAt: Date;
    activated?: boolean;
    revokedAt?: Date | null;
  },
): Promise<string> {
  const [grant] = await sql<{ id: string }[]>`
    insert into framed.connect_grants
      (workspace_id, user_id, client_id, client_name, redirect_host, resource, expires_at, activated_at, revoked_at, revoked_because)
    values (${here.id}, ${here.admin.id}, ${clientId}, 'A host', 'host.example', 'r', ${expiresAt}, ${
    activated ? ago(200) : null
  },
      ${revokedAt}, ${revokedAt === null ? null : "person"}) returning id`;
  await sql`insert into framed.connect_codes (code_hash, workspace_id, grant_id, redirect_uri, code_challenge, expires_at)
    values (${hash()}, ${here.id}, ${grant!.id}, 'r', 'c', now())`;
  return grant!.id;
}

databaseTest(
  "forgetConnections() forgets what is of no use, and keeps what still tells or lets something",
  async () => {
    const kept = {
      clients: [
        await addClient(ago(6), null),
        await addClient(ago(400), ago(89)),
        await addClient(ago(400), ago(400)),
      ],
      grants: [
        await addGrant({ expiresAt: ago(-1) }),
        await addGrant({ expiresAt: ago(89) }),
        await addGrant({ expiresAt: ago(-1), revokedAt: ago(89) }),
        await addGrant({ expiresAt: ago(0.9), activated: false }),
      ],
    };
    await sql`update framed.connect_grants set client_id = ${kept.clients[2]!} where id = ${kept.grants[0]!}`;
    const gone = {
      clients: [await addClient(ago(8), null), await addClient(ago(400), ago(91))],
      grants: [
        await addGrant({ expiresAt: ago(91) }),
        await addGrant({ expiresAt: ago(-1), revokedAt: ago(91) }),
        await addGrant({ expiresAt: ago(1.1), activated: false }),
      ],
    };
    const [keptToken, goneToken, keptRequest, goneRequest] = [hash(), hash(), hash(), hash()];
    await sql`insert into framed.connect_tokens (token_hash, kind, workspace_id, grant_id, expires_at) values
    (${keptToken}, 'refresh', ${here.id}, ${kept.grants[0]!}, ${ago(0.9)}),
    (${goneToken}, 'refresh', ${here.id}, ${kept.grants[0]!}, ${ago(1.1)})`;
    for (const [request, expiresAt] of [[keptRequest, ago(-1)], [goneRequest, ago(0.1)]] as const) {
      await sql`insert into framed.connect_requests (request_hash, client_id, client_name, redirect_uri, code_challenge, resource, expires_at)
      values (${request}, 'c', 'A host', 'r', ${"c".repeat(43)}, 'r', ${expiresAt})`;
    }

    await Promise.all([forgetConnections(sql), forgetConnections(sql)]);

    const left = async (table: string, column: string, values: readonly (string | Uint8Array)[]) => {
      const found = await Promise.all(
        values.map(async (value) =>
          (await sql`select from ${sql(`framed.${table}`)} where ${sql(column)} = ${value}`).count
        ),
      );
      return found.reduce((sum, count) => sum + count, 0);
    };
    assertEquals(await left("connect_clients", "id", kept.clients), 3);
    assertEquals(await left("connect_clients", "id", gone.clients), 0);
    assertEquals(await left("connect_grants", "id", kept.grants), 4);
    assertEquals(await left("connect_grants", "id", gone.grants), 0);
    assertEquals(await left("connect_codes", "grant_id", [...kept.grants, ...gone.grants]), 4);
    assertEquals(await left("connect_tokens", "token_hash", [keptToken, goneToken]), 1);
    assertEquals(await left("connect_requests", "request_hash", [keptRequest, goneRequest]), 1);
  },
);
