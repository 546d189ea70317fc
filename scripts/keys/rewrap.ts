/** The master keys of a stack: a fresh one is made, and data keys are moved to the one that stands first. */

import type { Database } from "../../supabase/functions/_shared/db/client.ts";
import { generateKeyRing, readKeyRing } from "../../supabase/functions/_shared/secrets/key-ring.ts";
import { rewrapDataKeys } from "../../supabase/functions/_shared/secrets/rewrap.ts";
import { CommandRefused } from "../operator/command.ts";
import type { Done } from "./commands.ts";

/** A ring of one fresh key, as an entry of `FRAMED_SECRET_KEYS`. */
export function makeRing({ kid }: { kid: string }): Done {
  const entry = generateKeyRing(kid);
  return {
    output: entry,
    data: { kid, entry },
    says: "Keep it as carefully as the secrets it will seal: whoever has it and the database reads them all.",
  };
}

/** Moves data keys to the first key of `FRAMED_SECRET_KEYS`, and says which others seal nothing any more. */
export async function rewrap(
  db: Database,
  { workspaceId }: { workspaceId: string | null },
): Promise<Done> {
  const ring = await readKeyRing(Deno.env.get("FRAMED_SECRET_KEYS"));
  if (!ring.ok) throw new CommandRefused(ring.refusal.join(" "));
  if (ring.value === null) {
    throw new CommandRefused("FRAMED_SECRET_KEYS is missing: its first key is what data keys are moved to.");
  }
  const first = ring.value.encryptsWith;
  const ran = await rewrapDataKeys(db, { ring: ring.value, workspaceId });
  if (!ran.ok) {
    throw new CommandRefused(
      `FRAMED_SECRET_KEYS lacks ${
        ran.refusal.join(", ")
      }, which data keys are sealed with. Nothing was moved.`,
    );
  }
  const { moved, broken, left } = ran.value;
  if (broken.length > 0) {
    throw new CommandRefused(
      `${
        counted(moved)
      } moved to ${first}. These workspaces' data keys do not open with the key they name, and ` +
        `stay as they are: ${broken.join(", ")}.`,
    );
  }
  const others = left.filter(({ kid }) => kid !== first).map(({ kid }) => kid);
  const stays = others.length > 0
    ? `Still in use: ${others.join(", ")}. Run this again.`
    : workspaceId === null
    ? "No other key is in use."
    : "Other workspaces may use other keys.";
  return {
    output: "",
    data: { moved, kid: first, data_keys: left },
    says: `${counted(moved)} moved to ${first}. ${stays}`,
  };
}

function counted(count: number): string {
  return count === 1 ? "1 data key" : `${count} data keys`;
}
