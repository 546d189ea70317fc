/** The one form a value takes where its name says that it is a credential. Pure. */

const PLACEHOLDER = String.raw`\{\{[A-Za-z]{1,20}(?:\|base64)?\}\}`;
const PART = String.raw`(?:[A-Za-z_][A-Za-z0-9_-]{0,39}=)?"?${PLACEHOLDER}"?`;
const SCHEME = String.raw`(?=[^ ]{1,24} )[A-Za-z]+(?:-[A-Za-z]+)*[0-9]{0,2} `;
const CREDENTIAL_VALUE = new RegExp(`^(?:${SCHEME})?${PART}(?:[:,;] ?${PART})*$`);

const BASIC_VALUE = new RegExp(`^basic ${PLACEHOLDER}$`, "i");

/** A scheme word and what reads like a credential behind it: anything after Bearer, base64 after Basic. */
const SCHEME_WITH_VALUE = /^\s*(?:bearer\s+\S|basic\s+[A-Za-z0-9+/]{8,}={0,2}\s*$)/i;

/**
 * Whether `text` holds credential placeholders and nothing that could be a value: a scheme word, then placeholders,
 * each perhaps with a `name=`, separated by a colon, comma or semicolon. `Bearer {{secret}}`,
 * `Token token={{secret}}`, `token {{clientId}}:{{clientSecret}}`.
 */
export function isCredentialValue(text: string): boolean {
  return CREDENTIAL_VALUE.test(text);
}

/**
 * Whether `text` is Basic authentication that no server could read: it takes `user:password` as one base64, so one
 * placeholder and nothing else. Source: RFC 7617 §2.
 */
export function isBrokenBasic(text: string): boolean {
  return /^\s*basic\s/i.test(text) && text.includes("{{") && !BASIC_VALUE.test(text);
}

/** Whether `text` reads `Bearer something` where the something is more than placeholders of credentials. */
export function carriesSchemeValue(text: string): boolean {
  return SCHEME_WITH_VALUE.test(text) && !isCredentialValue(text);
}
