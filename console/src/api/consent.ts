/** What a program asks for over Connect, and what its person decides: asked of Connect itself, with their session. */

import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { useConfig } from "../config-context.tsx";
import { useSession } from "../session/session-context.tsx";
import { createApi, pathOf } from "./client.ts";

export interface Consent {
  readonly client: {
    readonly name: string;
    /** The host that vouches for the name; null where only the program says it. */
    readonly described_by: string | null;
  };
  readonly redirect: { readonly kind: "https" | "loopback" | "app"; readonly shown: string };
  readonly workspaces: readonly { readonly id: string; readonly name: string; readonly role: string }[];
  readonly may: readonly string[];
  readonly may_not: readonly string[];
}

export type ConsentDecision = { decision: "allow"; workspace_id: string } | { decision: "deny" };

function useConnect() {
  const { connect } = useConfig();
  const session = useSession();
  return useMemo(() => createApi(connect, session), [connect, session]);
}

/** Asked once: from then on the request is this person's to decide, and decided it is not there any more. */
export function useConsent(requestId: string) {
  const connect = useConnect();
  return useQuery({
    queryKey: ["consent", requestId],
    queryFn: ({ signal }) => connect.get<Consent>(pathOf`/consent/${requestId}`, {}, { signal }),
    staleTime: Infinity,
    gcTime: 0,
    refetchOnReconnect: false,
    refetchOnWindowFocus: false,
  });
}

/** Decides, once; answers where the browser goes with that. Throws `Problem`. */
export function useDecideConsent(requestId: string): (decision: ConsentDecision) => Promise<string> {
  const connect = useConnect();
  return async function decide(decision) {
    const { redirect_to } = await connect.send<{ redirect_to: string }>(
      "POST",
      pathOf`/consent/${requestId}`,
      decision,
    );
    return redirect_to;
  };
}
