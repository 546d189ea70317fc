/** What the main thread of a page did, from the browser's own trace. */

import type { CDPSession, Page } from "playwright-core";

/** A task of the main thread. */
export interface MainThreadTask {
  /** From its begin to its end, waiting for a turn on the processor included. */
  readonly ms: number;
  /** On the processor. */
  readonly busyMs: number;
}

interface TraceEvent {
  readonly name: string;
  readonly ph: string;
  readonly pid: number;
  readonly tid: number;
  /** Microseconds. */
  readonly dur?: number;
  readonly tdur?: number;
  readonly args?: { readonly name?: string };
}

const CATEGORIES = ["toplevel", "devtools.timeline", "disabled-by-default-devtools.timeline", "__metadata"];

/** Every task that the main thread of the page ran while `work` did, the longest first. Throws where the trace has none. */
export async function traceMainThread(page: Page, work: () => Promise<void>): Promise<MainThreadTask[]> {
  const cdp = await page.context().newCDPSession(page);
  await cdp.send("Tracing.start", {
    transferMode: "ReturnAsStream",
    traceConfig: { includedCategories: CATEGORIES, recordMode: "recordAsMuchAsPossible" },
  });
  await work();
  const events = await endTrace(cdp);
  await cdp.detach();
  const main = new Set(
    events.filter(({ name, args }) => name === "thread_name" && args?.name === "CrRendererMain")
      .map(({ pid, tid }) => `${pid} ${tid}`),
  );
  const tasks = events.filter(({ name, ph, pid, tid }) =>
    ph === "X" && /(?:^|::)RunTask$/.test(name) && main.has(`${pid} ${tid}`)
  ).map(({ dur = 0, tdur = dur }) => ({ ms: dur / 1000, busyMs: tdur / 1000 }));
  if (tasks.length === 0) throw new Error("The trace has no task of a page's main thread.");
  return tasks.sort((a, b) => b.ms - a.ms);
}

async function endTrace(cdp: CDPSession): Promise<TraceEvent[]> {
  const ended = new Promise<string>((resolve) =>
    cdp.once("Tracing.tracingComplete", ({ stream }) => resolve(stream!))
  );
  await cdp.send("Tracing.end");
  const handle = await ended;
  const parts: string[] = [];
  for (;;) {
    const { data, eof, base64Encoded } = await cdp.send("IO.read", { handle, size: 4 << 20 });
    parts.push(base64Encoded ? atob(data) : data);
    if (eof) break;
  }
  await cdp.send("IO.close", { handle });
  return (JSON.parse(parts.join("")) as { traceEvents: TraceEvent[] }).traceEvents;
}
