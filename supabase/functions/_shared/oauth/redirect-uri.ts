/** Where a code may be sent: which redirect addresses a client may have, and which one matches what it registered. Pure. */

/** The most characters of one. */
export const MAX_REDIRECT_URI = 2_048;

/** An address that a code may be sent to. */
export interface Redirect {
  readonly kind: "https" | "loopback" | "app";
  /** What a person is shown of it: the host, this device, or the app's scheme. */
  readonly shown: string;
  /** Of a loopback address, which of the three it is: one registered by name is not one by number. */
  readonly loopback?: Loopback;
}

type Loopback = "localhost" | "127.0.0.0/8" | "[::1]";

export type JudgedRedirect =
  | { readonly ok: true; readonly redirect: Redirect }
  /** What is wrong with it, without repeating it. */
  | { readonly ok: false; readonly why: string };

/**
 * Whether a code may be sent to this address: `https` to any host; `http` to this device alone (`localhost`,
 * 127.0.0.0/8, `[::1]`); a private-use scheme that is clearly one app's own (`com.example.app:/…`, `scheme://vendor.name/…`).
 *
 * Refuses everything else, and any address with a fragment, userinfo, a backslash, a blank, a control character or one
 * beyond ASCII, or whose host a browser would read as another: programs disagree about where those lead. Nor may its query
 * say beforehand what is told to the client: of two codes programs take now the first and now the last.
 * Source: RFC 8252 §7, RFC 9700 §2.1, OAuth 2.1 §2.3.1.
 */
export function judgeRedirect(uri: string): JudgedRedirect {
  if (uri.length > MAX_REDIRECT_URI) return no(`it has more than ${MAX_REDIRECT_URI} characters`);
  if (!/^[\x21-\x7e]+$/.test(uri)) return no("it has a blank, a control character or one beyond ASCII");
  if (/[\\"<>^`{|}]/.test(uri)) return no("it has a character that no address has unescaped");
  if (uri.includes("#")) return no("it has a fragment");
  const scheme = /^([A-Za-z][A-Za-z0-9+.-]*):/.exec(uri)?.[1]?.toLowerCase();
  if (scheme === undefined || !URL.canParse(uri)) return no("it is no absolute address");
  if (namesAnswer(uri)) return no("its query has a name that an answer has, such as code or state");
  switch (scheme) {
    case "https":
      return judgeHttps(uri);
    case "http":
      return judgeHttp(uri);
    default:
      return judgeApp(uri, scheme);
  }
}

/**
 * Whether `presented` is an address that was registered as `registered`, both of them allowed: the same text, or on this
 * device, by the same name or kind of number, with any port and any path. A program that listens takes the port it gets.
 */
export function matchesRedirect(registered: string, presented: string): boolean {
  const [one, other] = [judgeRedirect(registered), judgeRedirect(presented)];
  if (!one.ok || !other.ok) return false;
  if (registered === presented) return true;
  return one.redirect.loopback !== undefined && one.redirect.loopback === other.redirect.loopback;
}

/** The address with what is told to the client, as it was registered and not as a parser would write it. */
export function redirectTo(uri: string, parameters: Readonly<Record<string, string | null>>): string {
  const told = new URLSearchParams();
  for (const [name, value] of Object.entries(parameters)) if (value !== null) told.set(name, value);
  return `${uri}${uri.includes("?") ? "&" : "?"}${told}`;
}

/** What an answer by redirect holds. Source: RFC 6749 §4.1.2, RFC 9207 §2. */
const ANSWERED = ["code", "state", "iss", "error", "error_description", "error_uri"];

function namesAnswer(uri: string): boolean {
  const names = [...new URLSearchParams(new URL(uri).search).keys()];
  return names.some((name) => ANSWERED.includes(name.toLowerCase()));
}

function judgeHttps(uri: string): JudgedRedirect {
  const host = hostOf(uri);
  return host === null
    ? no("its host is not written as a browser reads it, or has a user before it")
    : { ok: true, redirect: { kind: "https", shown: host } };
}

function judgeHttp(uri: string): JudgedRedirect {
  const host = hostOf(uri);
  const loopback = host === null ? null : loopbackOf(new URL(uri).hostname);
  if (loopback === null) {
    return no("http leads to this device alone: localhost, 127.0.0.0/8 or [::1], anything else takes https");
  }
  return { ok: true, redirect: { kind: "loopback", shown: host!, loopback } };
}

/** The host with its port, where it is written as every parser reads it. */
function hostOf(uri: string): string | null {
  const written = /^https?:\/\/([^/?]+)/i.exec(uri)?.[1]?.toLowerCase();
  const { hostname, username, password, port, protocol } = new URL(uri);
  if (written === undefined || username !== "" || password !== "" || !HOST.test(hostname)) return null;
  const usual = protocol === "https:" ? "443" : "80";
  const asRead = port === "" ? [hostname, `${hostname}:${usual}`] : [`${hostname}:${port}`];
  return asRead.includes(written) ? asRead[0]! : null;
}

const HOST = /^(?:[a-z0-9_-]+(?:\.[a-z0-9_-]+)*|\[[0-9a-f:.]+\])$/;

function loopbackOf(hostname: string): Loopback | null {
  if (hostname === "localhost" || hostname === "[::1]") return hostname;
  return /^127(?:\.[0-9]{1,3}){3}$/.test(hostname) ? "127.0.0.0/8" : null;
}

function judgeApp(uri: string, scheme: string): JudgedRedirect {
  if (isNobodys(scheme)) return no(`${scheme} is no scheme of one app`);
  const rest = uri.slice(scheme.length + 1);
  if (scheme.includes(".")) {
    // In reverse order of the app's own domain: nobody else's app asks for it by accident.
    const labels = scheme.split(".");
    return labels.every((label) => LABEL.test(label)) && /^\/(?!\/[^/?]*[@:])/.test(rest)
      ? { ok: true, redirect: { kind: "app", shown: scheme } }
      : no("a scheme with dots is a domain in reverse, followed by a path: com.example.app:/callback");
  }
  const vendor = /^\/\/([^/?]*)/.exec(rest)?.[1]?.toLowerCase() ?? "";
  const names = vendor.split(".");
  const isVendor = names.length >= 2 && names.every((name) => LABEL.test(name)) &&
    !/^[0-9]+$/.test(names.at(-1)!);
  return /^[a-z][a-z0-9-]+$/.test(scheme) && isVendor
    ? { ok: true, redirect: { kind: "app", shown: `${scheme}://${vendor}` } }
    : no(
      "a scheme has to be clearly one app's own: com.example.app:/callback, or scheme://vendor.name/callback",
    );
}

const LABEL = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/i;

/** Schemes that run a script, open a file, start whatever program answers to them, or speak another protocol. */
function isNobodys(scheme: string): boolean {
  return SCHEMES.has(scheme) || FAMILIES.test(scheme);
}

const FAMILIES =
  /^(?:ms-|x-|view-|web\+|ext\+|git\+|svn\+|chrome|googlechrome|google-chrome|edge|microsoft-edge|moz-|firefox|safari|opera|brave|vivaldi|itms|intent)|-ms$|script$/;

const SCHEMES = new Set(
  ("about acct afp aim android-app app apt ars bitcoin blob bolt cid cifs content coap coaps callto data dav davs dict dns doi ed2k ethereum facetime " +
    "facetime-audio fax feed file filesystem finger fish ftp ftps geo git go gopher gs h323 hdfs help http https iax imap imaps info ipfs " +
    "ipn ipns irc irc6 ircs iris itpc jabber jar javascript jdbc jnlp jnlps ldap ldapi ldaps livescript magnet mailto maps market message mhtml mid mk mms mmsh " +
    "mmst modem mongodb mongodb+srv mqtt mqtts ms msteams mumble mysql nfs news nntp oid opaquelocktoken openid otpauth " +
    "pcast pkcs11 podcast pop pop3 pop3s postgres postgresql prefs proxy rdp redis rediss res resource rlogin rmi rsync rtmp rtsp rtsps s3 " +
    "sftp shell shortcuts shttp sip sips skype slack smb sms smsto smtp smtps snmp soap ssh sshfs stratum steam stun stuns svn tel " +
    "telnet tftp tg things tn3270 tip turn turns udp unix urn vbscript ventrilo vlc vnc vncs webcal webcals whatsapp ws wss " +
    "wais wtai wyciwyg xmpp zoommtg zoomus").split(" "),
);

function no(why: string): JudgedRedirect {
  return { ok: false, why };
}
