/** Hands the configuration to what needs an address of it. */

import { createContext, useContext } from "react";
import type { Config } from "./config.ts";

const ConfigContext = createContext<Config | null>(null);

export const ConfigProvider = ConfigContext.Provider;

export function useConfig(): Config {
  const config = useContext(ConfigContext);
  if (config === null) throw new Error("There is no configuration above this.");
  return config;
}
