/** Who is on a workspace, the keys that act for them, and the programs they let in over Connect. */

import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useApi } from "./api-context.tsx";
import { pathOf } from "./client.ts";
import { readAll } from "./read-all.ts";

export type Role = "admin" | "member";

export interface Member {
  readonly user_id: string;
  readonly name: string;
  readonly role: Role;
  readonly grants: readonly string[];
  readonly created_at: string;
  /** For administrators only. */
  readonly email?: string;
}

/** What a member is made. */
export interface MemberChange {
  readonly role: Role;
  readonly name: string;
  readonly email: string;
  readonly grants: readonly string[];
}

/** Of a key and of a Connect token alike. */
interface Lasting {
  readonly id: string;
  readonly created_at: string;
  readonly last_used_at: string | null;
  readonly expires_at: string | null;
  readonly revoked_at: string | null;
}

/** The person whose rights it has; a reseller key has none. */
interface ActsAs {
  readonly user_id: string | null;
  readonly name: string | null;
}

export interface Key extends Lasting {
  readonly name: string;
  readonly kind: "raw" | "reseller";
  readonly acts_as: ActsAs;
}

export interface ConnectToken extends Lasting {
  readonly client: { readonly id: string; readonly name: string };
  readonly redirect_host: string;
  readonly acts_as: ActsAs;
}

/** Whether it still lets anybody in. */
export function standingOf(
  { expires_at, revoked_at }: Pick<Lasting, "expires_at" | "revoked_at">,
  nowMs: number,
): "in_force" | "expired" | "revoked" {
  if (revoked_at !== null) return "revoked";
  return expires_at !== null && Date.parse(expires_at) <= nowMs ? "expired" : "in_force";
}

export function useMembers(workspaceId: string) {
  const api = useApi();
  return useQuery({
    queryKey: ["members", workspaceId],
    queryFn: ({ signal }) =>
      readAll<Member>(api, { path: pathOf`/workspaces/${workspaceId}/members`, name: "members", signal }),
  });
}

export function useKeys(workspaceId: string) {
  const api = useApi();
  return useQuery({
    queryKey: ["keys", workspaceId],
    queryFn: ({ signal }) =>
      readAll<Key>(api, { path: pathOf`/workspaces/${workspaceId}/keys`, name: "keys", signal }),
  });
}

/** One's own; an administrator's are everyone's. */
export function useConnectTokens(workspaceId: string) {
  const api = useApi();
  return useQuery({
    queryKey: ["connect-tokens", workspaceId],
    queryFn: ({ signal }) =>
      readAll<ConnectToken>(api, {
        path: pathOf`/workspaces/${workspaceId}/connect-tokens`,
        name: "connect_tokens",
        signal,
      }),
  });
}

/** What changes them. Each throws `Problem`, and has the lists read again where it worked. */
export function usePeopleChanges(workspaceId: string) {
  const api = useApi();
  const queries = useQueryClient();

  async function readAgain(...names: string[]) {
    await Promise.all(names.map((name) => queries.invalidateQueries({ queryKey: [name, workspaceId] })));
  }

  return {
    async setMember(userId: string, change: MemberChange) {
      await api.send("PUT", pathOf`/workspaces/${workspaceId}/members/${userId}`, change);
      await readAgain("members", "keys");
    },
    async removeMember(userId: string) {
      await api.send("DELETE", pathOf`/workspaces/${workspaceId}/members/${userId}`);
      await readAgain("members", "keys", "connect-tokens");
    },
    /** What a change did to who made it: their own role stands in the list of workspaces. */
    readOwnAgain: () => queries.invalidateQueries({ queryKey: ["workspaces"] }),
    /** The key itself: told now and never again. */
    async issueKey(key: { name: string; expiresAt: string | null }): Promise<string> {
      const issued = await api.send<{ key: string }>("POST", pathOf`/workspaces/${workspaceId}/keys`, {
        name: key.name,
        kind: "raw",
        expires_at: key.expiresAt,
      });
      await readAgain("keys");
      return issued.key;
    },
    async revokeKey(id: string) {
      await api.send("DELETE", pathOf`/workspaces/${workspaceId}/keys/${id}`);
      await readAgain("keys");
    },
    async endConnectToken(id: string) {
      await api.send("DELETE", pathOf`/workspaces/${workspaceId}/connect-tokens/${id}`);
      await readAgain("connect-tokens");
    },
  };
}
