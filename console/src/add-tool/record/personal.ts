/** What in an answer is about a person or proves who somebody is: by the name of its field, or by its shape. Pure. */

import { findCredential } from "../../../../supabase/functions/_shared/definition/credentials.ts";
import {
  isCredentialField,
  isCredentialHeader,
} from "../../../../supabase/functions/_shared/definition/request/names.ts";
import { isStandIn, type ValueKind } from "./stand-ins.ts";

/** Names of fields by their words; the first that fits counts. */
const BY_NAME: readonly (readonly [ValueKind, RegExp])[] = [
  ["credential", /\b(?:password|passwd|secret|token|credential|cookie|session|otp|pin|cvv|cvc)s?\b/],
  ["e-mail", /\be ?mails?\b/],
  ["phone number", /\b(?:phone|telephone|telefoon|mobile|mobiel|cell|fax|tel|gsm|whatsapp)\b/],
  [
    "account number",
    /\b(?:iban|bic|swift|bank account|account number|account nr|rekening\w*|card number|pan)\b/,
  ],
  [
    "long number",
    /\b(?:bsn|ssn|passport|tax (?:id|number|no)|vat(?: (?:id|number|no))?|btw|kvk|national id|social security|licen[cs]e plate|plate)\b/,
  ],
  ["date of birth", /\b(?:birth\w*|dob|born|geboren|geboorte\w*|geburts\w*)\b/],
  [
    "address",
    /\b(?:address\w*|adres\w*|street\w*|straat\w*|strasse|house ?(?:number|no)|huisnummer|post ?codes?|zip(?: code)?|postal(?: code)?|city|town|woonplaats|plaats|lat|latitude|lon|lng|longitude|ip)\b/,
  ],
  [
    "name",
    /\b(?:name|names|naam|namen|voornaam|achternaam|surname|forename|contact|agent|applicant|broker|buyer|candidate|dealer|director|doctor|driver|landlord|member|payee|payer|person|representative|seller|teacher|customer|client|klant|debtor|creditor|debiteur|crediteur|supplier|vendor|leverancier|employee|werknemer|medewerker|colleague|manager|owner|holder|patient|student|guest|tenant|author|creator|assignee|reporter|requester|sender|recipient|attention|attn|user|username|login|signer|spouse|by|company|bedrijf|organi[sz]ation|employer)\b/,
  ],
];

/** What a field of this name holds, as far as its name tells; null where it tells nothing. */
export function kindByName(name: string): ValueKind | null {
  if (isCredentialField(name) || isCredentialHeader(name)) return "credential";
  const words = name.replace(/([a-z0-9])([A-Z])/g, "$1 $2").replace(/[^A-Za-z0-9]+/g, " ").toLowerCase();
  return BY_NAME.find(([, pattern]) => pattern.test(words))?.[0] ?? null;
}

/** Each shape takes all it can, so that what is left over never begins in the middle of a value. */
const BY_SHAPE: readonly (readonly [ValueKind, RegExp])[] = [
  ["e-mail", /[\p{L}\p{N}._%+'-]+@[\p{L}\p{N}-]+(?:\.[\p{L}\p{N}-]+)+/gu],
  [
    "account number",
    /(?<![\p{L}\p{M}\p{N}])[A-Za-z]{2}[0-9]{2}(?: ?[A-Za-z0-9]{4}){2,7}(?: ?[A-Za-z0-9]{1,4})?(?![\p{L}\p{M}\p{N}])/gu,
  ],
  ["long number", /(?<![\p{L}\p{M}\p{N}-])[0-9]{3}-[0-9]{2}-[0-9]{4}(?![\p{L}\p{M}\p{N}-])/gu],
  ["phone number", /(?<![\p{L}\p{M}\p{N}+])(?:\+|00)[1-9](?:[ ()./-]{0,3}[0-9]){6,}(?![\p{L}\p{M}\p{N}])/gu],
  ["phone number", /(?<![\p{L}\p{M}\p{N}+])\(?0[1-9](?:[ ()./-]{0,3}[0-9]){7,}(?![\p{L}\p{M}\p{N}])/gu],
  ["phone number", /(?<![\p{L}\p{M}\p{N}+])\([0-9]{3}\) ?[0-9]{3}[ .-][0-9]{4}(?![\p{L}\p{M}\p{N}])/gu],
  ["long number", /(?<![\p{L}\p{M}\p{N}.,+])[0-9](?:[ -]?[0-9]){12,}(?![\p{L}\p{M}\p{N}])/gu],
  ["long number", /(?<![\p{L}\p{M}\p{N}.,+])[0-9]{9,}(?![\p{L}\p{M}\p{N}])/gu],
  [
    "address",
    /(?<![\p{L}\p{M}\p{N}])[0-9]{1,5}[A-Za-z]? (?:\p{Lu}[\p{L}'.-]+ ){1,3}(?:Street|St|Road|Rd|Avenue|Ave|Lane|Ln|Drive|Dr|Way|Boulevard|Blvd|Court|Ct|Square|Sq|Place|Terrace|Close)(?![\p{L}\p{M}\p{N}])/gu,
  ],
  [
    "address",
    /(?<![\p{L}\p{M}\p{N}])\p{L}*(?:straat|laan|weg|plein|kade|gracht|dijk|singel|straße|strasse|platz|allee) [0-9]{1,5}(?: ?[A-Za-z])?(?![\p{L}\p{M}\p{N}])/giu,
  ],
  ["address", /(?<![\p{L}\p{M}\p{N}-])[1-9][0-9]{3} ?[A-Z]{2}(?![\p{L}\p{M}\p{N}-])/gu],
  ["address", /(?<![\p{L}\p{M}\p{N}-])[A-Z]{1,2}[0-9][A-Z0-9]? [0-9][A-Z]{2}(?![\p{L}\p{M}\p{N}-])/gu],
  ["address", /(?<![\p{L}\p{M}\p{N}.])(?:[0-9]{1,3}\.){3}[0-9]{1,3}(?![\p{L}\p{M}\p{N}.])/gu],
  [
    "date of birth",
    /(?<=(?:born|birth|dob|geboren|geboortedatum|geb\.)(?: on| op|:|: | ){0,2} ?)[0-9]{1,4}[-/.][0-9]{1,2}[-/.][0-9]{1,4}/giu,
  ],
  [
    "name",
    /(?<=(?<![\p{L}\p{M}\p{N}])(?:Mr|Mrs|Ms|Miss|Dr|Prof|Dhr|Mevr|Mw|Herr|Frau|Mme|M)\.? )(?:\p{Lu}[\p{L}'.-]*\p{L}|\p{Lu})(?: (?:van|von|de|der|den|la|le|\p{Lu}[\p{L}'.-]*\p{L}))*(?![\p{L}\p{M}\p{N}])/gu,
  ],
];

/** A value inside a text, by its shape. */
export interface Found {
  readonly kind: ValueKind;
  readonly text: string;
}

/**
 * The values that `text` holds by their shape. One that holds a credential is one as a whole. What was put in somebody's
 * place is none.
 */
export function findPersonal(text: string): Found[] {
  if (findCredential(text) !== null) return [{ kind: "credential", text }];
  const found: Found[] = [];
  let rest = text;
  for (const [kind, pattern] of BY_SHAPE) {
    rest = rest.replace(pattern, (match) => {
      if (match.trim() === "") return match;
      if (!isStandIn(match)) found.push({ kind, text: match });
      // What is taken is no part of another value, and parts nothing that stood together.
      return "\uE000".repeat(match.length);
    });
  }
  return found;
}
