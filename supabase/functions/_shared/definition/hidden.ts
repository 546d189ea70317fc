/** Characters that do not show as themselves. Pure. */

/**
 * Controls, formatting and bidirectional characters, tags, variation selectors, private use, unassigned, halves of pairs,
 * fillers, and every blank but the space. Each of them alone, to be found or replaced one by one.
 */
export const HIDDEN_CHARACTERS =
  /(?! )[\p{C}\p{Z}\p{Default_Ignorable_Code_Point}\p{Variation_Selector}\u2800\u{1D159}]/gu;

/** Whether all of `text` shows, no blank standing at an end of it. */
export function isAllVisible(text: string): boolean {
  return text.search(HIDDEN_CHARACTERS) < 0 && text.trim() === text;
}

/** `text` with each of them as `\u{…}`. */
export function revealHidden(text: string): string {
  return text.replace(HIDDEN_CHARACTERS, (character) => `\\u{${character.codePointAt(0)!.toString(16)}}`);
}
