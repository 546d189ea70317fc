/** Texts of other systems as the database can hold them: it takes neither NUL nor half of a surrogate pair. Pure. */

/** Whether the database takes `text` as it is. */
export function isStorable(text: string): boolean {
  return !text.includes("\0") && text.isWellFormed();
}

/** The text with U+FFFD in the place of each character that the database takes none of. */
export function storableText(text: string): string {
  return isStorable(text) ? text : text.replaceAll("\0", "\uFFFD").toWellFormed();
}

/**
 * The JSON of `value` with each text in it as `storableText` leaves it, for what has to be stored whatever another system
 * said: nobody may lose sight of a write because its answer holds such a character. Keys are taken as they are.
 */
export function storableJson(value: unknown): string {
  return JSON.stringify(value, (_key, each) => typeof each === "string" ? storableText(each) : each);
}
