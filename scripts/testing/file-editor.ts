/** The editor of a file on the console's pages, used as a person does. */

import type { Locator, Page } from "playwright-core";

export function editorOf(page: Page): Locator {
  return page.getByRole("textbox", { name: "The file" });
}

/** What stands in the editor, whole: only the part in sight is in the page, so all of it is marked and copied. */
export async function textOf(page: Page): Promise<string> {
  await editorOf(page).focus();
  await page.keyboard.press("ControlOrMeta+a");
  return await page.evaluate<string>(`new Promise((resolve) => {
    addEventListener("copy", (event) => resolve(event.clipboardData.getData("text/plain")), { once: true });
    document.execCommand("copy");
  })`);
}

/** Puts `text` in the place of everything. */
export async function fillEditor(page: Page, text: string): Promise<void> {
  await editorOf(page).focus();
  await page.keyboard.press("ControlOrMeta+a");
  await paste(page, text);
}

/** Pastes as a person does, with the clipboard's own event, into what has the focus, or into the page. */
export async function paste(page: Page, text: string): Promise<void> {
  await page.evaluate(`{
    const data = new DataTransfer();
    data.setData("text/plain", ${JSON.stringify(text)});
    let target = document.activeElement ?? document.body;
    while (target.shadowRoot?.activeElement) target = target.shadowRoot.activeElement;
    target.dispatchEvent(
      new ClipboardEvent("paste", { clipboardData: data, bubbles: true, composed: true, cancelable: true }),
    );
  }`);
}

/** Drops a file on the page, beside the editor. */
export async function drop(
  page: Page,
  { name, bytes }: { name: string; bytes: Uint8Array },
): Promise<void> {
  const data = await page.evaluateHandle(`(() => {
    const data = new DataTransfer();
    const bytes = Uint8Array.from(atob("${bytes.toBase64()}"), (unit) => unit.charCodeAt(0));
    data.items.add(new File([bytes], ${JSON.stringify(name)}, { type: "application/json" }));
    return data;
  })()`);
  for (const type of ["dragenter", "dragover", "drop"]) {
    await page.dispatchEvent("main", type, { dataTransfer: data });
  }
}
