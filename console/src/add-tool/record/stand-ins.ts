/**
 * What stands in the place of a value that is replaced: of the same type, made up, and known again, so that nothing is
 * replaced twice. Each kind of value has its own; the same value gets the same one. Pure.
 */

/** What a value was taken for. */
export type ValueKind =
  | "credential"
  | "e-mail"
  | "phone number"
  | "account number"
  | "long number"
  | "address"
  | "date of birth"
  | "name"
  | "text";

/** A word that no part of can be a value of its own: no blank or sign is in it. */
const WORDS: Record<ValueKind, string> = {
  credential: "Removed",
  "e-mail": "Mail",
  "phone number": "Phone",
  "account number": "Account",
  "long number": "Number",
  address: "Place",
  "date of birth": "Born",
  name: "Person",
  text: "Text",
};

const FORMS: readonly RegExp[] = [
  new RegExp(`^(?:${Object.values(WORDS).join("|")})[1-9][0-9]*$`),
  /^person[1-9][0-9]*@people\.example$/,
  /^\+00 000 000 [0-9]{4,}$/,
  /^[A-Z]{2}00TEST[0-9]{10,}$/,
  /^10{3,}[0-9]{1,6}$/,
  /^1900-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12][0-9]|3[01])$/,
];

/** Whether `text` is what this would put in the place of something. */
export function isStandIn(text: string): boolean {
  return FORMS.some((form) => form.test(text));
}

/** Numbers from ten million and one on, with a quarter where they were no whole ones. */
export function isStandInNumber(value: number): boolean {
  const whole = Math.floor(value);
  return whole > 10_000_000 && whole < 11_000_000 && (value === whole || value === whole + 0.25);
}

/** The `count`th stand-in for a number. */
export function numberFor(value: number, count: number): number {
  return 10_000_000 + count + (Number.isInteger(value) ? 0 : 0.25);
}

/** The `count`th stand-in for a text of this kind, in the form of `text` as far as that goes. */
export function textFor(kind: ValueKind, { text, count }: { text: string; count: number }): string {
  switch (kind) {
    case "e-mail":
      return `person${count}@people.example`;
    case "phone number":
      return `+00 000 000 ${String(count).padStart(4, "0")}`;
    case "account number":
      return `${/^[A-Za-z]{2}/.exec(text)?.[0].toUpperCase() ?? "XX"}00TEST${
        String(count).padStart(10, "0")
      }`;
    case "long number": {
      const digits = text.replace(/[^0-9]/g, "").length;
      return `1${String(count).padStart(Math.max(digits - 1, 6), "0")}`;
    }
    case "date of birth":
      // Nobody who lives was born in that year; beyond its days there are plain words.
      return count > 365
        ? plainFor(kind, count)
        : new Date(Date.UTC(1900, 0, count)).toISOString().slice(0, 10);
    default:
      return plainFor(kind, count);
  }
}

/** The form that holds no other value: what is used where another form would. */
export function plainFor(kind: ValueKind, count: number): string {
  return `${WORDS[kind]}${count}`;
}
