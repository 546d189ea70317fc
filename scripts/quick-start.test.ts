/** Runs the README's own commands, on the stack the README starts, against the ledger it starts. */

import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { fileURLToPath } from "node:url";
import { join } from "node:path";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const readme = await Deno.readTextFile(join(ROOT, "README.md"));

/** The shell block under the marker `<!-- test: name -->`. */
function blockOf(name: string): string {
  const [, block] = readme.split(new RegExp(`<!-- test: ${name} -->\n+\`\`\`sh\n`));
  assert(block !== undefined, `README.md has no block ${name}`);
  return block.slice(0, block.indexOf("\n```"));
}

/** Where the README says `deno`, the test runs the Deno it runs on. */
function shell(script: string, { cwd, env }: { cwd: string; env: Record<string, string> }): Deno.Command {
  const prelude = `set -eu\ndeno() { "${Deno.execPath()}" "$@"; }\n`;
  return new Deno.Command("bash", {
    args: ["-c", prelude + script],
    cwd,
    env: { ...env, NO_COLOR: "1" },
    stdin: "null",
    stdout: "piped",
    stderr: "piped",
  });
}

/** Reads a child's lines until one fits, and lets the rest flow. */
async function firstLine(child: Deno.ChildProcess, wanted: (line: string) => boolean): Promise<string> {
  const reader = child.stdout.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  while (true) {
    const { value, done } = await reader.read();
    text += value ?? "";
    const line = text.split("\n").slice(0, -1).find(wanted);
    if (line !== undefined) {
      (async () => {
        while (!(await reader.read()).done);
      })();
      return line;
    }
    if (done) throw new Error(`It ended without the line that was wanted:\n${text}`);
  }
}

/** Stops a server; tells what it said when it had ended by itself. */
async function stop(child: Deno.ChildProcess): Promise<void> {
  try {
    child.kill("SIGTERM");
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    console.error(await new Response(child.stderr).text());
  }
  await child.status;
}

for (
  const { over, ledgerArgs, scheme } of [
    { over: "plain HTTP", ledgerArgs: "", scheme: "http" },
    { over: "TLS", ledgerArgs: " --tls ca.pem", scheme: "https" },
  ]
) {
  Deno.test(`the README's quick start shows the ledger's rows, and books an invoice once a person approves, over ${over}`, async () => {
    const folder = await Deno.makeTempDir();
    const env = { INIT_CWD: folder, NODE_EXTRA_CA_CERTS: scheme === "https" ? join(folder, "ca.pem") : "" };
    const task = (name: string) => `exec "${Deno.execPath()}" run -A scripts/${name}.ts`;
    // The README's lines, with a free port for each server and a stack that leaves nothing.
    const ledgerLine = blockOf("ledger").replace(
      "deno task demo:ledger",
      `${task("demo/ledger")} --port 0${ledgerArgs}`,
    );
    const ledger = shell(ledgerLine, { cwd: ROOT, env }).spawn();
    const children = [ledger];
    try {
      const address = /127\.0\.0\.1:\d+/.exec(
        await firstLine(ledger, (line) => line.includes("answers on")),
      )![0];
      const stackLine = blockOf("stack").replace("http://127.0.0.1:4801", `${scheme}://${address}`)
        .replace("deno task start", `${task("start")} --ephemeral --port 0`);
      const stack = shell(stackLine, { cwd: ROOT, env }).spawn();
      children.push(stack);
      const exported = await firstLine(stack, (line) => line.trim().startsWith("export "));
      const third = `${exported}\n${blockOf("third terminal")}\necho\n${blockOf("a write")}`
        .replaceAll(
          /deno task (?:--quiet )?([a-z][\w:-]*)/g,
          (_, name) => `deno run -A "${ROOT}scripts/${name}.ts"`,
        );
      const { code, stdout, stderr } = await shell(third, { cwd: folder, env }).output();
      const [out, err] = [stdout, stderr].map((bytes) => new TextDecoder().decode(bytes));
      assertEquals(code, 0, err);
      assertStringIncludes(out!, "runs on the call");
      assertStringIncludes(out!, "CONNECTOR_LEDGER");
      assertStringIncludes(err!, "CONNECTOR_LEDGER on ledger_open_invoices: stored.");
      const [answer, waits, seen, decided] = out!.match(/\{"ok":true.*?"request_id":"\w+"\}/g)!
        .map((text) => JSON.parse(text));
      assertEquals(answer.result.rows.map((row: { number: string }) => row.number), [
        "2026-0117",
        "2026-0121",
      ]);
      assertEquals([answer.answers_with, answer.kept.rows], ["live system", 2]);
      assertEquals([waits.ran, waits.status], [false, "awaiting_approval"]);
      assertEquals([seen.status, seen.calls[0].args], ["awaiting_approval", { number: "2026-0117" }]);
      assertEquals([decided.id, decided.status], [waits.approval_id, "applied"]);
      assertEquals(decided.calls[0].result, { id: 1, number: "2026-0117", booked: true });
      assert(!(out! + err!).includes("ledger-demo-token"));
    } finally {
      await Promise.all(children.map(stop));
      await Promise.all(children.map((child) => child.stderr.locked ? undefined : child.stderr.cancel()));
      await Deno.remove(folder, { recursive: true });
    }
  });
}
