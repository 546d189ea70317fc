/** What `framed-tool --help` says. Pure. */

export const HELP = `framed-tool: check a tool's file, see what a host will see, put it on a workspace.

Usage
  framed-tool test FILE… [--json] [--live] [--push --workspace ID]
  framed-tool schema

Commands
  test               check each file and show what a call of each example does and answers;
                     - is standard input. Nothing leaves your machine without --push
                     or --live.
  schema             print the JSON schema of the file, for editors and other programs

Options
  --json             print the result as JSON
  --push             define the tool on a workspace when the check finds nothing;
                     of several files none is sent when one has problems
  --workspace ID     the workspace; FRAMED_WORKSPACE where it is left out
  --live             list the tools of an MCP file's server, asked without the secret:
                     nothing here reads one
  --help, --version

Environment
  FRAMED_API_KEY     the key that --push uses
  FRAMED_API_BASE    the API that --push calls; https://www.framed.dev/api unless set
  NO_COLOR           set to anything for no colour; there is none in a pipe either

Exit codes
  0 fine, 1 problems, 2 called wrongly
`;
