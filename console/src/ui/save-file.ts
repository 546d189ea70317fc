/** Gives the person a file to keep. */

export function saveFile(content: Blob, name: string): void {
  const url = URL.createObjectURL(content);
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  link.click();
  // Not at once: the browser reads it after this.
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}
