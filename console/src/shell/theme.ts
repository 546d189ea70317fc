/** Light, dark, or what the system says: chosen here, applied before the page is painted by public/theme.js. */

import { keep, kept } from "./kept.ts";

export type Theme = "system" | "light" | "dark";

const NAME = "framed.theme";

export function currentTheme(): Theme {
  const theme = kept(NAME);
  return theme === "light" || theme === "dark" ? theme : "system";
}

export function chooseTheme(theme: Theme): void {
  keep(NAME, theme === "system" ? null : theme);
  if (theme === "system") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme;
}
