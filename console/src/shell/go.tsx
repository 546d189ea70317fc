/** A link inside the console. It keeps the workspace in the address, so that an address can be given to a colleague. */

import type { ComponentPropsWithRef } from "react";
import { Link, useLocation } from "wouter";
import { useWorkspaceId } from "./workspace-context.tsx";

export interface GoProps extends Omit<ComponentPropsWithRef<"a">, "href"> {
  /** A path of the console, with or without a query. */
  to: string;
}

export function Go({ to, ...props }: GoProps) {
  const workspaceId = useWorkspaceId();
  return <Link {...props} href={addressOf(to, workspaceId)} />;
}

/** Goes there from code: after something was done. */
export function useGo(): (to: string, options?: { replace?: boolean }) => void {
  const workspaceId = useWorkspaceId();
  const [, navigate] = useLocation();
  return (to, options) => navigate(addressOf(to, workspaceId), options);
}

function addressOf(to: string, workspaceId: string | null): string {
  if (workspaceId === null) return to;
  const url = new URL(to, "https://console.invalid");
  url.searchParams.set("workspace_id", workspaceId);
  return url.pathname + url.search + url.hash;
}
