/** Which keys and programs stop working with a person: by name, so that nobody is surprised where they are used. */

import { standingOf, useConnectTokens, useKeys } from "../api/people.ts";
import { useWorkspace } from "../shell/workspace-context.tsx";
import { Said } from "../ui/said.tsx";

/** `keys` is what goes with the role of an administrator, `all` what goes with the person. */
export function WhatGoes({ userId, goes }: { userId: string; goes: "keys" | "all" }) {
  const { id } = useWorkspace();
  const { data: allKeys } = useKeys(id);
  const { data: allTokens } = useConnectTokens(id);
  const now = Date.now();
  const keys = allKeys?.filter((key) =>
    key.acts_as.user_id === userId && standingOf(key, now) === "in_force"
  );
  const tokens = goes === "keys"
    ? []
    : allTokens?.filter((token) => token.acts_as.user_id === userId && standingOf(token, now) === "in_force");
  if (keys === undefined || tokens === undefined) {
    return <p>Their keys are revoked{goes === "all" && ", and the programs they let in are shut out"}.</p>;
  }
  if (keys.length + tokens.length === 0) {
    return <p>No key{goes === "all" && " and no program"} acts as them, so nothing else stops working.</p>;
  }
  return (
    <>
      <p>This goes with it, for good:</p>
      <ul>
        {keys.map(({ id, name }) => (
          <li key={id}>
            the key <Said>{name}</Said> is revoked
          </li>
        ))}
        {tokens.map(({ id, client, redirect_host }) => (
          <li key={id}>
            the program <Said>{client.name}</Said> (<Said>{redirect_host}</Said>) is shut out
          </li>
        ))}
      </ul>
    </>
  );
}
