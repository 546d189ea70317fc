/** Exact division of decimal numbers, for `multipleOf`. Pure. */

/**
 * Whether `value` is a whole multiple of `divisor`, both taken as the shortest decimals that write them: 19.99 is a
 * multiple of 0.01, which binary division denies. `divisor` is above 0.
 */
export function isMultipleOf(value: number, divisor: number): boolean {
  if (Number.isSafeInteger(value) && Number.isSafeInteger(divisor)) return value % divisor === 0;
  const [digits, exponent] = decimalOf(value);
  const [divisorDigits, divisorExponent] = decimalOf(divisor);
  const shift = exponent - divisorExponent;
  // Exponents of a double are below 330, so neither power has more than 660 digits.
  return shift >= 0
    ? (digits * 10n ** BigInt(shift)) % divisorDigits === 0n
    : digits % (divisorDigits * 10n ** BigInt(-shift)) === 0n;
}

/** `value` as digits times ten to the exponent. */
function decimalOf(value: number): [digits: bigint, exponent: number] {
  const [mantissa, exponent] = value.toExponential().split("e") as [string, string];
  const [whole, fraction = ""] = mantissa.split(".") as [string, string?];
  return [BigInt(whole + fraction), Number(exponent) - fraction.length];
}
