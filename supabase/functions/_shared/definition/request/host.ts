/** The host of a URL template: which argument may stand in it, and how two hosts compare. Pure. */

import { getDomain } from "tldts";
import { ok, refuse, type Result } from "../../outcome/result.ts";
import type { JsonObject } from "../json.ts";
import { formatProblems } from "../problem.ts";
import { tell, tellCharacter } from "../words.ts";
import { argumentOf, argumentPath, type Filling, fillingOf } from "./filling.ts";
import type { RequestContext } from "./request-template.ts";

/** One whole label. Source: RFC 1123; no A-label, which would show as another name than it is. */
const LABEL = /^(?!xn--)[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;
/** Characters of a host's name. Source: RFC 1035 §2.3.4. */
const MAX_NAME = 253;
const PLACEHOLDER = /\{[^{}]*\}/;

/** Faults of one host that are told. */
const MAX_TOLD = 5;

/**
 * What of `authority`, the host and port of a URL template, is not there any more once it is read: characters that
 * become a dot (`。`) or are dropped (U+00AD). Whoever counts its labels as they are written would count others than
 * those the request goes to.
 */
export function checkHostCharacters(authority: string): string[] {
  const odd = [...new Set(authority)].filter((character) => !/[\x20-\x7e]/.test(character));
  // More kinds that are kept make a name that is too long.
  return odd.slice(0, MAX_NAME).flatMap((character) => {
    const read = readInHost(character);
    if (read.includes(".")) {
      return [`in the host ${tellCharacter(character)} is read as a dot; write a plain dot, or another name`];
    }
    return read === "" ? [`in the host ${tellCharacter(character)} is dropped; leave it out`] : [];
  }).slice(0, MAX_TOLD);
}

/** What the URL parser makes of one character in a host; the character itself where it takes none. */
function readInHost(character: string): string {
  const url = `https://a${character}b.example`;
  if (!URL.canParse(url)) return character;
  const name = new URL(url).hostname.slice(0, -".example".length);
  return name.startsWith("xn--") ? character : name.slice(1, -1);
}

/**
 * What is wrong with the placeholders of `authority`, the host and port of a URL template: at most one, a required
 * argument, standing for exactly one whole label left of a registrable domain by the public suffix list with its
 * private part. Whoever fills it in then stays inside a domain that has one owner.
 */
export function checkHost(authority: string, { names, required }: RequestContext): string[] {
  if (authority.includes("{{")) return ["a credential may not stand in the host; write the host out"];
  const placeholders = authority.match(/\{[^{}]*\}/g) ?? [];
  if (placeholders.length === 0) return [];
  if (placeholders.length > 1) {
    return ["more than one placeholder stands in the host; at most one label may be one"];
  }
  const [name = "", ...port] = authority.split(":");
  if (port.join().includes("{")) return ["a placeholder stands for the port; write the port out"];
  const labels = name.split(".");
  const at = labels.findIndex((label) => label.includes("{"));
  const problems: string[] = [];
  if (!/^\{[^{}]*\}$/.test(labels[at]!)) {
    problems.push(
      "a placeholder stands for a part of a label; it stands for one whole label, as in {tenant}.example.com",
    );
  }
  const argument = placeholders[0]!.slice(1, -1);
  if (names.has(argument) && !required.has(argument)) {
    problems.push(`{${argument}} stands in the host; add it to arguments.required`);
  }
  if (fixedDomain(labels.slice(at + 1).join(".")) === null) {
    problems.push(
      "a placeholder stands where anybody can own what it names; it stands left of a domain of its own, as in {tenant}.example.com",
    );
  }
  return problems;
}

/**
 * `authority` with its argument filled in. A value that is no label is noted as the argument's problem; `null` when
 * the filled name has another owner than the file's, as where `s3` fills `{t}.amazonaws.com`.
 */
export function fillHost(authority: string, filling: Filling): string | null {
  const argument = PLACEHOLDER.exec(authority)?.[0].slice(1, -1);
  if (argument === undefined) return authority;
  const value = argumentOf(argument, filling);
  if (typeof value !== "string" || !LABEL.test(value)) {
    const found = value === undefined ? "missing" : `found ${tell(value)}`;
    filling.problems.push({
      path: argumentPath(argument),
      says:
        `${found}; one label of a host is wanted: 1 to 63 lower-case letters, digits and inner hyphens, not starting xn--`,
    });
    return authority.replace(PLACEHOLDER, () => "x");
  }
  const filled = authority.replace(PLACEHOLDER, () => value);
  const [name = ""] = filled.split(":");
  if (name.length > MAX_NAME) {
    filling.problems.push({
      path: argumentPath(argument),
      says: `makes the host longer than ${MAX_NAME} characters`,
    });
    return filled;
  }
  const rest = authority.slice(authority.indexOf("}") + 2).split(":")[0]!;
  return registrableDomain(name) === fixedDomain(rest) ? filled : null;
}

/**
 * The host of a URL template that passed the check, for comparing: with its port unless it is 443, lower case but for
 * the placeholder, A-labels, no trailing dot. Two tools are on one host when these are equal.
 */
export function hostOf(url: string): string {
  const [, authority = ""] = /^https:\/\/([^/?#]*)/i.exec(url) ?? [];
  const placeholder = PLACEHOLDER.exec(authority)?.[0];
  const standIn = standInFor(authority);
  const { hostname, port } = new URL(`https://${authority.replace(PLACEHOLDER, standIn)}`);
  const labels = hostname.replace(/\.$/, "").split(".");
  // Looked for among the labels as they are read: a file of before may be written with dots that are none.
  if (placeholder !== undefined) labels[labels.indexOf(standIn)] = placeholder;
  return labels.join(".") + (port === "" ? "" : `:${port}`);
}

/**
 * The host a call with `args` goes to, as `hostOf` writes it. Only what stands in the host is looked at. Refuses
 * `bad_arguments` for a value that is no label, `host_refused` where it leads to another owner's host.
 */
export function hostWith(url: string, args: JsonObject): Result<string> {
  const [, authority = ""] = /^https:\/\/([^/?#]*)/i.exec(url) ?? [];
  const filling = fillingOf(args);
  const filled = fillHost(authority, filling);
  if (filling.problems.length > 0) {
    return refuse("bad_arguments", {
      detail: "The arguments do not fit the request.",
      problems: formatProblems(filling.problems, "args"),
    });
  }
  if (filled === null) {
    return refuse("host_refused", {
      detail: "An argument leads to a host of another owner. Nothing was sent.",
    });
  }
  return ok(hostOf(`https://${filled}`));
}

/** A label that is none of the others, as they are written and as they are read. */
function standInFor(authority: string): string {
  const { hostname } = new URL(`https://${authority.replace(PLACEHOLDER, "x")}`);
  let label = "x";
  while (hostname.includes(label)) label += "x";
  return label;
}

/** The registrable domain that every name directly below `rest` belongs to, or `null` when there is none. */
function fixedDomain(rest: string): string | null {
  const domain = registrableDomain(rest);
  // Of `kawasaki.jp` the name itself is registrable, what stands left of it is a public suffix.
  return domain !== null && registrableDomain(`x.${rest}`) === domain ? domain : null;
}

function registrableDomain(name: string): string | null {
  if (!URL.canParse(`https://${name}`)) return null;
  return getDomain(new URL(`https://${name}`).hostname.replace(/\.$/, ""), { allowPrivateDomains: true });
}
