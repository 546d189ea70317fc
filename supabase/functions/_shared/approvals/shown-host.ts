/** A host as a person can trust it: what is looked up, and what it would be read as. Pure. */

import { shownText } from "./visible.ts";

/** `host`, its port and placeholder kept. One with names in other letters stands as it is looked up, then as it would be read. */
export function shownHost(host: string): string {
  const [, name = "", port = ""] = /^(.*?)(:\d+)?$/s.exec(host) ?? [];
  const isAscii = /^[\x21-\x7e]*$/.test(name);
  if (!isAscii && !URL.canParse(`https://${name}`)) return shownText(host);
  const lookedUp = isAscii ? name : new URL(`https://${name}`).hostname;
  const read = lookedUp.split(".").map((label) => readLabel(label) ?? label).join(".");
  return read === lookedUp
    ? shownText(lookedUp + port)
    : `${shownText(lookedUp + port)} (${shownText(read)})`;
}

/** What an A-label stands for, `null` for any other. */
function readLabel(label: string): string | null {
  return /^xn--/i.test(label) ? decodePunycode(label.slice("xn--".length).toLowerCase()) : null;
}

// Parameters of Punycode for host names. Source: RFC 3492 §5.
const BASE = 36;
const T_MIN = 1;
const T_MAX = 26;
const SKEW = 38;
const DAMP = 700;
const INITIAL_BIAS = 72;
const INITIAL_POINT = 128;
const DIGITS = "abcdefghijklmnopqrstuvwxyz0123456789";

/** Source: RFC 3492 §6.2. `null` for what no encoder writes. */
function decodePunycode(text: string): string | null {
  const delimiter = text.lastIndexOf("-");
  const points = [...text.slice(0, Math.max(0, delimiter))].map((letter) => letter.codePointAt(0)!);
  let point = INITIAL_POINT;
  let bias = INITIAL_BIAS;
  let at = 0;
  for (let read = delimiter < 0 ? 0 : delimiter + 1; read < text.length;) {
    const before = at;
    let weight = 1;
    for (let k = BASE;; k += BASE) {
      const digit = read < text.length ? DIGITS.indexOf(text[read++]!) : -1;
      if (digit < 0) return null;
      at += digit * weight;
      if (at > Number.MAX_SAFE_INTEGER / BASE) return null;
      const threshold = Math.min(T_MAX, Math.max(T_MIN, k - bias));
      if (digit < threshold) break;
      weight *= BASE - threshold;
    }
    const length = points.length + 1;
    bias = adapt(at - before, { length, isFirst: before === 0 });
    point += Math.floor(at / length);
    if (point > 0x10ffff) return null;
    at %= length;
    points.splice(at++, 0, point);
  }
  return points.length === 0 ? null : String.fromCodePoint(...points);
}

/** Source: RFC 3492 §6.1. */
function adapt(delta: number, { length, isFirst }: { length: number; isFirst: boolean }): number {
  let left = isFirst ? Math.floor(delta / DAMP) : Math.floor(delta / 2);
  left += Math.floor(left / length);
  let k = 0;
  for (; left > ((BASE - T_MIN) * T_MAX) >> 1; k += BASE) left = Math.floor(left / (BASE - T_MIN));
  return k + Math.floor(((BASE - T_MIN + 1) * left) / (left + SKEW));
}
