/** What `connect-mcp --help` says. Pure. */

export const HELP = `connect-mcp: Framed's tools for a host that starts MCP servers as programs (stdio).

Usage
  connect-mcp          serve the host on standard input and output
  connect-mcp login    sign in now, in the browser, before a host asks
  connect-mcp logout   end the sign-in, here and at Framed

A host that can take an address needs none of this: give it https://www.framed.dev/api/connect/mcp.

Who calls
  With FRAMED_API_KEY, the owner of that key. Without, whoever signs in: a page opens in the
  browser, and its address is printed on standard error. The sign-in is kept in the folder
  framed of your configuration, readable by you alone, and is renewed by itself.

Options
  --help, --version

Environment
  FRAMED_API_KEY       a key to call with, in place of a sign-in
  FRAMED_API_BASE      the API; https://www.framed.dev/api unless set
  XDG_CONFIG_HOME      where configuration is kept; ~/.config unless set (%APPDATA% on Windows)

Exit codes
  0 fine, 1 Connect could not be reached or signed in to, 2 called wrongly
`;
