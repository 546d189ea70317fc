/** A real browser for tests of pages: the system's Chromium, driven by playwright. */

import { type Browser, chromium } from "playwright-core";

/** The first that is there. A browser without the windows and menus nobody sees takes half the processor time. */
const PROGRAMS = ["chromium-headless-shell", "chromium", "chromium-browser", "google-chrome"];

/** No window, and nothing asked of the network but what a page asks. As root it has no sandbox to put itself in. */
const ARGS = [
  "--headless",
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

/** Starts it. Throws in words where the machine has none: a page that no browser has shown is not tested. */
export async function startBrowser(): Promise<Browser> {
  return await chromium.launch({ executablePath: await findProgram(), args: ARGS });
}

async function findProgram(): Promise<string> {
  const folders = (Deno.env.get("PATH") ?? "").split(":");
  for (const name of PROGRAMS) {
    for (const folder of folders) {
      const path = `${folder}/${name}`;
      if (await Deno.stat(path).then(({ isFile }) => isFile, () => false)) return path;
    }
  }
  throw new Error(
    `There is no ${PROGRAMS.join(", ")} on this machine: apt-get install chromium-headless-shell`,
  );
}
