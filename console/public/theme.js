// Before anything is painted: the theme this person chose here, if they did. src/shell/theme.ts writes it.
try {
  const theme = localStorage.getItem("framed.theme");
  if (theme === "light" || theme === "dark") document.documentElement.dataset.theme = theme;
} catch {
  // A browser that keeps nothing follows the system.
}
