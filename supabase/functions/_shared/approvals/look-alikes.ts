/**
 * What of a text could be taken for something else although it shows: letters of two scripts in one word, letters and
 * signs that look like plain ones. Pure. Told in plain words and code points, never by repeating the text.
 */

import { codePointOf } from "./visible.ts";
import { listed } from "../definition/words.ts";

/** Scripts whose letters are taken for one another. */
const SCRIPTS: readonly (readonly [name: string, pattern: RegExp])[] = [
  ["Latin", /\p{Script=Latin}/u],
  ["Cyrillic", /\p{Script=Cyrillic}/u],
  ["Greek", /\p{Script=Greek}/u],
  ["Armenian", /\p{Script=Armenian}/u],
  ["Cherokee", /\p{Script=Cherokee}/u],
  ["Coptic", /\p{Script=Coptic}/u],
  ["Lisu", /\p{Script=Lisu}/u],
];

/** Letters that are drawn like Latin ones, by script. Source: Unicode's confusables, those that most fonts draw alike. */
const LIKE_LATIN: readonly (readonly [name: string, script: RegExp, letters: ReadonlySet<string>])[] = [
  [
    "Cyrillic",
    /\p{Script=Cyrillic}/u,
    new Set("аАВвсСԁеЕһНіІјЈКкӏӀМмоОрРԛЅѕТтуУүҮѵѴԝԜхХ"),
  ],
  ["Greek", /\p{Script=Greek}/u, new Set("αΑΒΕΖΗΙΚΜΝΟΡΤΥΧοιυνκργϲϹϳͿ")],
  ["Armenian", /\p{Script=Armenian}/u, new Set("օսհոցզգՕՍԼՏԱյ")],
  ["Cherokee", /\p{Script=Cherokee}/u, new Set("ᎠᎡᎢᎥᎩᎪᎫᎬᎳᎷᎻᏀᏃᏎᏒᏔᏚᏞᏟᏢᏦᏧᏴ")],
];

/** Signs and letters by themselves that are drawn like a character of ASCII. */
const LIKE_ASCII: ReadonlyMap<string, string> = new Map([
  ["\u0131", "i"],
  ["\u017f", "s"],
  ["\u01c0", "|"],
  ["\u01c3", "!"],
  ["\u0251", "a"],
  ["\u0261", "g"],
  ["\u0269", "i"],
  ["\u026a", "i"],
  ["\u02d0", ":"],
  ["\u037e", ";"],
  ["\u0589", ":"],
  ["\u05c3", ":"],
  ["\u066a", "%"],
  ["\u066b", ","],
  ["\u1d0f", "o"],
  ["\u2010", "-"],
  ["\u2011", "-"],
  ["\u2024", "."],
  ["\u2044", "/"],
  ["\u204e", "*"],
  ["\u212a", "K"],
  ["\u2212", "-"],
  ["\u2215", "/"],
  ["\u2216", "\\"],
  ["\u2217", "*"],
  ["\u2236", ":"],
  ["\u2571", "/"],
  ["\u29f8", "/"],
  ["\ua789", ":"],
]);
/** Forms of ASCII kept for compatibility: small, full width, mathematical, Roman numerals. */
const COMPATIBLE = /[\u2160-\u217f\ufe50-\ufe6b\uff01-\uff5e\u{1d400}-\u{1d7ff}]/u;
const FOREIGN_DIGIT = /(?![0-9\uff10-\uff19\u{1d7ce}-\u{1d7ff}])\p{Nd}/u;
const WORD = /[\p{L}\p{M}\p{N}]+/gu;
const PLAIN = /^\p{ASCII}*$/u;

/** What is to be known of how `text` looks, one line each; none for plain ASCII. Linear in it. */
export function lookAlikes(text: string): string[] {
  if (PLAIN.test(text)) return [];
  return [...mixedWords(text), ...imitatedWords(text), ...imitatedCharacters(text), ...combiningMarks(text)];
}

function mixedWords(text: string): string[] {
  const mixes = new Map<string, number>();
  for (const [word] of text.matchAll(WORD)) {
    if (PLAIN.test(word)) continue;
    const scripts = SCRIPTS.filter(([, pattern]) => pattern.test(word)).map(([name]) => name);
    if (scripts.length < 2) continue;
    const mix = scripts.join(" and ");
    mixes.set(mix, (mixes.get(mix) ?? 0) + 1);
  }
  return [...mixes].map(([mix, words]) =>
    words === 1 ? `one word mixes ${mix} letters` : `${words} words mix ${mix} letters, each in one word`
  );
}

/** A script that stands only in words that read as Latin ones. Beside words that do not, it is a language like any other. */
function imitatedWords(text: string): string[] {
  return LIKE_LATIN.flatMap(([name, script, letters]) => {
    const words = (text.match(WORD) ?? []).filter((word) => script.test(word));
    const imitating = words.filter((word) =>
      [...word].every((letter) => letters.has(letter) || /[\p{M}\p{N}]/u.test(letter))
    );
    if (words.length === 0 || imitating.length < words.length) return [];
    return [`reads like Latin letters and is written in ${name} ones`];
  });
}

function imitatedCharacters(text: string): string[] {
  const taken = new Map<string, string>();
  const digits = new Set<string>();
  for (const character of text) {
    if (character <= "\x7f") continue;
    const like = LIKE_ASCII.get(character) ??
      (COMPATIBLE.test(character) ? character.normalize("NFKC") : null);
    if (like !== null && like !== character && PLAIN.test(like)) taken.set(character, like);
    else if (FOREIGN_DIGIT.test(character)) digits.add(character);
  }
  const notes: string[] = [];
  if (taken.size > 0) {
    const tell = ([character, like]: [string, string]) => `${codePointOf(character)} for ${like}`;
    notes.push(`holds characters that are easily taken for others: ${listed([...taken], tell)}`);
  }
  if (digits.size > 0) notes.push(`holds digits other than 0 to 9: ${listed([...digits], codePointOf)}`);
  return notes;
}

function combiningMarks(text: string): string[] {
  const notes: string[] = [];
  if (text !== text.normalize("NFC")) {
    notes.push("holds letters that are written in another way than they look");
  }
  if (/\p{M}{4}/u.test(text)) notes.push("stacks more than 3 marks on one letter");
  return notes;
}
