/** All that a page holds and leaves where somebody could find it, for tests that look for what must not be there. */

import type { Page } from "playwright-core";

/** What stands in the page and its fields, its address and its storage. */
export async function everythingOn(page: Page): Promise<string> {
  return await page.evaluate<string>(
    "document.documentElement.outerHTML + [...document.querySelectorAll('input, textarea')].map((e) => e.value) + location.href + JSON.stringify(localStorage) + JSON.stringify(sessionStorage)",
  );
}
