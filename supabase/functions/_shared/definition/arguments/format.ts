/**
 * The formats that are asserted, each in time linear in the text, and what they are called in words. Pure.
 * Any other `format` is an annotation, as JSON Schema has it, unless it is a slip of a known name.
 */

import { nearest } from "../words.ts";

interface FormatRow {
  /** What a problem says is wanted. */
  readonly words: string;
  readonly accepts: (text: string) => boolean;
}

/** A format that is asserted, or `undefined` for one that only tells. */
export function findFormat(name: string): FormatRow | undefined {
  return FORMATS.get(name);
}

/** The known format that `name` is a slip of, or `null` when it is known itself or like none. */
export function formatMeantBy(name: string): string | null {
  const names = [...FORMATS.keys(), ...TOLD_ONLY];
  return names.includes(name) ? null : nearest(name, names);
}

/** Formats of JSON Schema and OpenAPI that are taken and not asserted. */
const TOLD_ONLY: readonly string[] = [
  "binary",
  "byte",
  "double",
  "float",
  "idn-email",
  "idn-hostname",
  "int32",
  "int64",
  "iri",
  "iri-reference",
  "json-pointer",
  "password",
  "regex",
  "relative-json-pointer",
  "uri-template",
  "url",
];

const FORMATS: ReadonlyMap<string, FormatRow> = new Map<string, FormatRow>(Object.entries({
  "date": { words: "a date such as 2026-01-31", accepts: isDate },
  "time": { words: "a time with its zone such as 09:30:00Z or 09:30:00+01:00", accepts: isTime },
  "date-time": { words: "a date and time with its zone such as 2026-01-31T09:30:00Z", accepts: isDateTime },
  "duration": { words: "a duration such as P3D or PT1H30M", accepts: isDuration },
  "email": { words: "an e-mail address", accepts: isEmail },
  "hostname": { words: "a host name", accepts: isHostname },
  "ipv4": { words: "an IPv4 address", accepts: isIpv4 },
  "ipv6": { words: "an IPv6 address", accepts: isIpv6 },
  "uri": { words: "a whole URI such as https://example.com/page", accepts: isUri },
  "uri-reference": { words: "a URI or a part of one", accepts: isUriReference },
  "uuid": { words: "a UUID such as 2eb8aa08-aa98-11ea-b4aa-73b441d16380", accepts: isUuid },
}));

// No expression below has a quantifier inside another that could share its characters: all run in linear time.

/** RFC 3339 full-date; the day exists. */
function isDate(text: string): boolean {
  const [, year, month, day] = /^(\d{4})-(\d\d)-(\d\d)$/.exec(text) ?? [];
  if (day === undefined) return false;
  const leap = Number(year) % 4 === 0 && (Number(year) % 100 !== 0 || Number(year) % 400 === 0);
  const days = [31, leap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31][Number(month) - 1] ?? 0;
  return Number(day) >= 1 && Number(day) <= days;
}

/** RFC 3339 full-time; a second 60 only where a leap second can be, at 23:59:60 UTC. */
function isTime(text: string): boolean {
  const [, hours, minutes, seconds, offset] =
    /^(\d\d):(\d\d):(\d\d)(?:\.\d+)?([zZ]|[+-]\d\d:\d\d)$/.exec(text) ?? [];
  if (offset === undefined) return false;
  const away = /^[zZ]$/.test(offset) ? [0, 0] : [Number(offset.slice(1, 3)), Number(offset.slice(4))];
  if (Number(hours) > 23 || Number(minutes) > 59 || away[0]! > 23 || away[1]! > 59) return false;
  if (Number(seconds) < 60) return true;
  const shift = (away[0]! * 60 + away[1]!) * (offset.startsWith("-") ? 1 : -1);
  const day = 24 * 60;
  return Number(seconds) === 60 && (Number(hours) * 60 + Number(minutes) + shift + day) % day === day - 1;
}

/** RFC 3339 date-time. */
function isDateTime(text: string): boolean {
  return /^[tT]$/.test(text.charAt(10)) && isDate(text.slice(0, 10)) && isTime(text.slice(11));
}

/** RFC 3339 appendix A. */
function isDuration(text: string): boolean {
  if (/^P\d+W$/.test(text)) return true;
  const time = "T(?:\\d+H(?:\\d+M(?:\\d+S)?)?|\\d+M(?:\\d+S)?|\\d+S)";
  const date = "(?:\\d+Y(?:\\d+M(?:\\d+D)?)?|\\d+M(?:\\d+D)?|\\d+D)";
  return new RegExp(`^P(?:${date}(?:${time})?|${time})$`).test(text);
}

/** RFC 5321 mailbox: a dot-string or quoted local part, and a host name or an address literal. */
function isEmail(text: string): boolean {
  const at = text.lastIndexOf("@");
  const local = text.slice(0, Math.max(at, 0));
  const domain = text.slice(at + 1);
  if (local === "" || local.length > 64) return false;
  const atoms = /^[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+(?:\.[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+)*$/;
  if (!atoms.test(local) && !/^"(?:[ !#-[\]-~]|\\[ -~])*"$/.test(local)) return false;
  const address = /^\[(IPv6:)?([0-9A-Fa-f:.]+)\]$/.exec(domain);
  if (address === null) return isHostname(domain);
  return address[1] === undefined ? isIpv4(address[2]!) : isIpv6(address[2]!);
}

/** RFC 1123: labels of 1 to 63 letters, digits and inner hyphens, 253 characters in all. */
function isHostname(text: string): boolean {
  return text.length <= 253 &&
    text.split(".").every((label) => /^[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?$/.test(label));
}

/** RFC 2673 dotted quad; a leading zero, which some read as octal, is refused. */
function isIpv4(text: string): boolean {
  const parts = text.split(".", 5);
  return parts.length === 4 &&
    parts.every((part) => /^(?:0|[1-9]\d{0,2})$/.test(part) && Number(part) <= 255);
}

/** RFC 4291, without a zone. */
function isIpv6(text: string): boolean {
  if (text.length > 45) return false;
  const halves = text.split("::");
  if (halves.length > 2) return false;
  let groups = 0;
  for (const [index, half] of halves.entries()) {
    const parts = half === "" ? [] : half.split(":");
    for (const [place, part] of parts.entries()) {
      const last = index === halves.length - 1 && place === parts.length - 1;
      if (/^[0-9A-Fa-f]{1,4}$/.test(part)) groups++;
      else if (last && isIpv4(part)) groups += 2;
      else return false;
    }
  }
  return halves.length === 2 ? groups <= 7 : groups === 8;
}

const URI_CHARACTERS = "(?:[A-Za-z0-9._~!$&'()*+,;=:@/?-]|%[0-9A-Fa-f]{2})*";

/** RFC 3986 URI, with a scheme. */
function isUri(text: string): boolean {
  const scheme = /^[A-Za-z][A-Za-z0-9+.-]*:/.exec(text);
  return scheme !== null && isAfterScheme(text.slice(scheme[0].length));
}

/** RFC 3986 URI-reference. */
function isUriReference(text: string): boolean {
  return isUri(text) || (!/^[^/?#]*:/.test(text) && isAfterScheme(text));
}

function isAfterScheme(text: string): boolean {
  const [, authority, rest] = /^(?:\/\/([^/?#]*))?([^]*)$/.exec(text)!;
  if (!new RegExp(`^${URI_CHARACTERS}(?:#${URI_CHARACTERS})?$`).test(rest!)) return false;
  if (authority === undefined) return true;
  const [, host] =
    /^(?:(?:[A-Za-z0-9._~!$&'()*+,;=:-]|%[0-9A-Fa-f]{2})*@)?(\[[^\]]*\]|(?:[A-Za-z0-9._~!$&'()*+,;=-]|%[0-9A-Fa-f]{2})*)(?::\d*)?$/
      .exec(authority) ?? [];
  if (host === undefined) return false;
  return !host.startsWith("[") || isIpv6(host.slice(1, -1)) ||
    /^\[v[0-9A-Fa-f]+\.[A-Za-z0-9._~!$&'()*+,;=:-]+\]$/.test(host);
}

/** RFC 9562, any version. */
function isUuid(text: string): boolean {
  return /^[0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}$/.test(text);
}
