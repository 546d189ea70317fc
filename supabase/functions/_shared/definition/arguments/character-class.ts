/**
 * Sets of characters as ECMA-262 means them, written in the syntax of RE2. Pure.
 * Written out rather than passed on, because the two differ: RE2's `\s` is ASCII, its `.` takes `\r`.
 */

/** `\s` of ECMA-262: white space and line terminators. */
const SPACE =
  "\\t-\\r\\x{20}\\x{a0}\\x{1680}\\x{2000}-\\x{200a}\\x{2028}\\x{2029}\\x{202f}\\x{205f}\\x{3000}\\x{feff}";
/** `\S`: what is between the ranges of {@link SPACE}; spelled out, since RE2 has no negation inside a class. */
const NO_SPACE =
  "\\x{0}-\\x{8}\\x{e}-\\x{1f}\\x{21}-\\x{9f}\\x{a1}-\\x{167f}\\x{1681}-\\x{1fff}\\x{200b}-\\x{2027}" +
  "\\x{202a}-\\x{202e}\\x{2030}-\\x{205e}\\x{2060}-\\x{2fff}\\x{3001}-\\x{fefe}\\x{ff00}-\\x{10ffff}";

/** `.` of ECMA-262: anything but a line terminator. */
export const DOT = "[^\\n\\r\\x{2028}\\x{2029}]";
/** `[^]` of ECMA-262. */
export const ANYTHING = "[\\x{0}-\\x{10ffff}]";
/** `[]` of ECMA-262, which matches nowhere. */
export const NOTHING = "[^\\x{0}-\\x{10ffff}]";

/** What `\d`, `\D`, `\w`, `\W`, `\s`, `\S` stand for inside a class. */
export const SHORTHANDS: ReadonlyMap<string, string> = new Map([
  ["d", "0-9"],
  ["D", "\\D"],
  ["w", "0-9A-Z_a-z"],
  ["W", "\\W"],
  ["s", SPACE],
  ["S", NO_SPACE],
]);

/** The character with code point `code`, literal, inside or outside of a class. */
export function literal(code: number): string {
  return /[0-9A-Za-z]/.test(String.fromCodePoint(code)) && code < 128
    ? String.fromCodePoint(code)
    : `\\x{${code.toString(16)}}`;
}

const CATEGORIES: ReadonlyMap<string, string> = new Map(
  [
    "C Other",
    "Cc Control cntrl",
    "Cf Format",
    "Cn Unassigned",
    "Co Private_Use",
    "Cs Surrogate",
    "L Letter",
    "LC Cased_Letter",
    "Ll Lowercase_Letter",
    "Lm Modifier_Letter",
    "Lo Other_Letter",
    "Lt Titlecase_Letter",
    "Lu Uppercase_Letter",
    "M Mark Combining_Mark",
    "Mc Spacing_Mark",
    "Me Enclosing_Mark",
    "Mn Nonspacing_Mark",
    "N Number",
    "Nd Decimal_Number digit",
    "Nl Letter_Number",
    "No Other_Number",
    "P Punctuation punct",
    "Pc Connector_Punctuation",
    "Pd Dash_Punctuation",
    "Pe Close_Punctuation",
    "Pf Final_Punctuation",
    "Pi Initial_Punctuation",
    "Po Other_Punctuation",
    "Ps Open_Punctuation",
    "S Symbol",
    "Sc Currency_Symbol",
    "Sk Modifier_Symbol",
    "Sm Math_Symbol",
    "So Other_Symbol",
    "Z Separator",
    "Zl Line_Separator",
    "Zp Paragraph_Separator",
    "Zs Space_Separator",
  ].flatMap((row) => row.split(" ").map((name) => [name, row.split(" ")[0]!] as const)),
);

/**
 * What `\p{name}` stands for inside a class, or `null` when the engine has no such set: general categories by any
 * of their names, scripts as `Script=Greek`, `ASCII` and `Any`. `negated` is `\P`.
 */
export function unicodeProperty(name: string, { negated }: { negated: boolean }): string | null {
  if (name === "ASCII") return negated ? "\\x{80}-\\x{10ffff}" : "\\x{0}-\\x{7f}";
  if (name === "Any") return negated ? null : "\\x{0}-\\x{10ffff}";
  const [, key, value] = /^(?:(gc|General_Category|sc|Script)=)?([A-Za-z_]{1,40})$/.exec(name) ?? [];
  if (value === undefined) return null;
  const letter = negated ? "P" : "p";
  if (key === "sc" || key === "Script") return `\\${letter}{${value}}`;
  const category = CATEGORIES.get(value);
  return category === undefined ? null : `\\${letter}{${category}}`;
}
