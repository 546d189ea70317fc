/** Hands the session to the page. */

import { createContext, useContext, useSyncExternalStore } from "react";
import type { Session, SessionState } from "./session.ts";

const SessionContext = createContext<Session | null>(null);

export const SessionProvider = SessionContext.Provider;

export function useSession(): Session {
  const session = useContext(SessionContext);
  if (session === null) throw new Error("There is no session above this.");
  return session;
}

export function useSessionState(): SessionState {
  const session = useSession();
  return useSyncExternalStore(session.subscribe, session.state);
}
