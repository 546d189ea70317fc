/**
 * Ends PostgreSQL when the process that started it is gone without saying so (SIGKILL, a crash).
 *
 * A shell waits on a pipe that only this process holds open; when it closes without a word, the shell shuts
 * PostgreSQL down and removes the folder that was to leave nothing. Windows has no such shell; there PostgreSQL is
 * found and ended by the next start on its folder.
 */

// In the background of a shell that ends at once, because Deno kills its own children when it ends itself; a shell gives
// what is in its background no input, unless it comes from another descriptor.
const SCRIPT = `
exec 3<&0
{
  trap '' HUP INT TERM
  read -r word <&3
  [ "$word" = stopped ] && exit 0
  for signal in INT QUIT KILL; do
    kill -$signal "$1" 2>/dev/null || break
    tries=0
    while [ $tries -lt 25 ] && kill -0 "$1" 2>/dev/null; do sleep 0.2; tries=$((tries + 1)); done
  done
  [ -z "$2" ] || rm -rf -- "$2"
} &
`;

/** Says that all is stopped and there is nothing left to end. */
export interface Watchdog {
  dismiss(): Promise<void>;
}

/** Watches over the process `pid`; `remove` is a folder that goes with it. */
export function startWatchdog(pid: number, options: { remove?: string } = {}): Watchdog {
  if (Deno.build.os === "windows") return { dismiss: () => Promise.resolve() };
  const shell = new Deno.Command("sh", {
    args: ["-c", SCRIPT, "sh", String(pid), options.remove ?? ""],
    cwd: "/",
    stdin: "piped",
    stdout: "null",
    stderr: "null",
  }).spawn();
  const writer = shell.stdin.getWriter();
  return {
    async dismiss() {
      try {
        await writer.write(new TextEncoder().encode("stopped\n"));
        await writer.close();
      } catch {
        // Somebody has ended the watchdog; there is nothing left for it to do.
      }
      await shell.status;
    },
  };
}
