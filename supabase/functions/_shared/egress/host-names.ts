/** Which host names may be reached, as far as the name alone can tell. Pure. */

/**
 * Names that lead into the machine, its network or its cloud rather than to the public internet, each with all names
 * below it. Sources: RFC 6761 and its registry (but `example`, which documentation uses and nobody can register),
 * RFC 6762 appendix G, RFC 8375, RFC 9476, ICANN's name collision list, and the metadata names of clouds.
 */
const INTERNAL_NAMES: readonly string[] = [
  "alt",
  "arpa",
  "cluster",
  "consul",
  "corp",
  "default",
  "home",
  "internal",
  "intranet",
  "invalid",
  "kubernetes",
  "lan",
  "local",
  "localdomain",
  "localhost",
  "mail",
  "onion",
  "private",
  "svc",
  "test",
  "metadata.azure.com",
  "metadata.goog",
  "metadata.packet.net",
  "metadata.platformequinix.com",
  "metadata.tencentyun.com",
];

const LABEL = /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/;

/**
 * Why `name` (lower case, A-labels, no trailing dot) may not be reached, in words, or `null` when it may: two labels
 * or more of letters, digits and inner hyphens (RFC 1123), at most 63 and 253 characters, not an internal name.
 */
export function refuseHostName(name: string): string | null {
  const labels = name.split(".");
  if (labels.length < 2) {
    return "the host is a single label; a full name such as api.ledger.example is wanted";
  }
  if (name.length > 253) return "the host is longer than 253 characters";
  if (labels.some((label) => !LABEL.test(label))) {
    return "the host is no name: labels are 1 to 63 letters, digits and inner hyphens";
  }
  const internal = INTERNAL_NAMES.find((suffix) => name === suffix || name.endsWith(`.${suffix}`));
  return internal === undefined
    ? null
    : `the host is an internal name (${internal}); only public hosts are reached`;
}
