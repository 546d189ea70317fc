/** A workspace with many tools, put there at once: each by its file would take minutes. */

import { fixtureFile } from "./files.ts";
import type { TestWorkspace } from "./workspace.ts";

interface Place extends Pick<TestWorkspace, "id"> {
  readonly database: Pick<TestWorkspace["database"], "sql">;
}

/** Puts `tool_0001` to `tool_<count>` there, each with a description of its own: "What the tool nr 7. is for.". */
export async function addManyTools({ database: { sql }, id }: Place, count: number): Promise<void> {
  await sql`
    insert into framed.v2_connectors (workspace_id, slug, name, description, kind, access, file, digest, request_config, owner_user_id)
    select ${id}, slug, 'Tool ' || n, says, 'fixture', 'read',
      (${JSON.stringify(fixtureFile())}::text::jsonb
        || jsonb_build_object('slug', slug, 'name', 'Tool ' || n, 'description', says))::json,
      sha256(slug::bytea), '{"defined_from": "framed-tool/1"}',
      (select user_id from framed.members where workspace_id = ${id} limit 1)
    from (select n, 'tool_' || lpad(n::text, 4, '0') as slug, 'What the tool nr ' || n || '. is for.' as says
            from generate_series(1, ${count}::integer) n) tools`;
}
