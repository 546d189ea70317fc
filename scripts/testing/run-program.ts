/** Runs a program to its end and gives back all it said. */

export interface Ended {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

export interface RunOptions {
  readonly cwd?: string;
  /** The whole environment beside what a program cannot start without: nothing of this process's own is passed on. */
  readonly env?: Readonly<Record<string, string>>;
  readonly stdin?: string;
}

/** What a program needs of the machine: where programs, homes, caches and certificates are. */
const PASSED_ON = [
  "PATH",
  "HOME",
  "DENO_DIR",
  "XDG_CACHE_HOME",
  "NPM_CONFIG_REGISTRY",
  "SSL_CERT_FILE",
  "NODE_EXTRA_CA_CERTS",
  "DENO_TLS_CA_STORE",
];

/** Runs `program` with `args`, writes `stdin` and waits for the end. */
export async function runProgram(
  program: string,
  args: readonly string[],
  { cwd, env = {}, stdin = "" }: RunOptions = {},
): Promise<Ended> {
  const passedOn = PASSED_ON.flatMap((name) => {
    const value = Deno.env.get(name);
    return value === undefined ? [] : [[name, value] as const];
  });
  const child = new Deno.Command(program, {
    args: [...args],
    clearEnv: true,
    env: { ...Object.fromEntries(passedOn), ...env },
    stdin: "piped",
    stdout: "piped",
    stderr: "piped",
    ...(cwd === undefined ? {} : { cwd }),
  }).spawn();
  const writer = child.stdin.getWriter();
  // A program that ends without reading closes its end first, and that is its right.
  const written = writer.write(new TextEncoder().encode(stdin)).then(() => writer.close()).catch(() => {});
  const { code, stdout, stderr } = await child.output();
  await written;
  const decoder = new TextDecoder();
  return { code, stdout: decoder.decode(stdout), stderr: decoder.decode(stderr) };
}
