/** Hands the API to the page, with what every question to it has in common. */

import { QueryClient } from "@tanstack/react-query";
import { createContext, useContext } from "react";
import type { Api } from "./client.ts";
import { Problem } from "./problem.ts";

const ApiContext = createContext<Api | null>(null);

export const ApiProvider = ApiContext.Provider;

export function useApi(): Api {
  const api = useContext(ApiContext);
  if (api === null) throw new Error("There is no API above this.");
  return api;
}

/** Asked again is what may pass; a refusal is shown as it is. What changes something is never sent again by itself. */
export function createQueryClient(): QueryClient {
  return new QueryClient({
    defaultOptions: {
      queries: {
        staleTime: 2_000,
        retry: (failures, error) => error instanceof Problem && error.mayPass && failures < 2,
        retryDelay: (failures, error) =>
          error instanceof Problem && error.retryAfterSeconds !== null
            ? Math.min(error.retryAfterSeconds, 30) * 1000
            : 500 * 2 ** failures,
      },
      mutations: { retry: false },
    },
  });
}
