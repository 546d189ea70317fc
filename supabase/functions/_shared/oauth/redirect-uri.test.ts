import { assert, assertEquals } from "@std/assert";
import fc from "fast-check";
import { judgeRedirect, matchesRedirect, MAX_REDIRECT_URI, redirectTo } from "./redirect-uri.ts";

/** What is let pass, and what a person is shown of it. */
const ALLOWED: Readonly<Record<string, string>> = {
  // Claude, on the web and on a phone.
  "https://claude.ai/api/mcp/auth_callback": "claude.ai",
  "https://claude.com/api/mcp/auth_callback": "claude.com",
  // Claude Code: its document names no port.
  "http://localhost/callback": "localhost",
  "http://localhost:54545/callback": "localhost:54545",
  // ChatGPT.
  "https://chatgpt.com/connector_platform_oauth_redirect": "chatgpt.com",
  "https://chatgpt.com/connector/oauth/abcDEF123": "chatgpt.com",
  // Codex and Gemini CLI.
  "http://127.0.0.1:1455/auth/callback": "127.0.0.1:1455",
  "http://localhost:7777/oauth/callback": "localhost:7777",
  // Cursor.
  "cursor://anysphere.cursor-mcp/oauth/callback": "cursor://anysphere.cursor-mcp",
  "https://www.cursor.com/agents/mcp/oauth/callback": "www.cursor.com",
  "http://localhost:8787/callback": "localhost:8787",
  // VS Code.
  "http://127.0.0.1:33418": "127.0.0.1:33418",
  "http://127.0.0.1:33418/": "127.0.0.1:33418",
  "https://vscode.dev/redirect": "vscode.dev",
  "https://insiders.vscode.dev/redirect": "insiders.vscode.dev",
  "vscode://vscode.github-authentication/did-authenticate": "vscode://vscode.github-authentication",
  "vscode-insiders://vscode.github-authentication/did-authenticate":
    "vscode-insiders://vscode.github-authentication",
  "http://[::1]:9000/cb": "[::1]:9000",
  "http://127.8.9.10/": "127.8.9.10",
  "https://example.com:443/cb": "example.com",
  "https://example.com:8443/cb?x=1": "example.com:8443",
  "https://EXAMPLE.com/cb": "example.com",
  "HTTPS://example.com/cb": "example.com",
  "https://localhost/cb": "localhost",
  "https://example.com": "example.com",
  "com.example.app:/oauth2redirect": "com.example.app",
  "com.example.app://oauth/callback": "com.example.app",
  "Com.Example.App:/cb": "com.example.app",
};

/** What is refused. */
const REFUSED: readonly string[] = [
  "",
  "/callback",
  "callback",
  "//example.com/cb",
  // Scripts, files, launchers, other protocols.
  "javascript:alert(1)",
  "JavaScript://example.com/%0aalert(1)",
  "javascript://vendor.name/callback",
  "vbscript:msgbox(1)",
  "data:text/html,<script>1</script>",
  "data:text/html;base64,PHNjcmlwdD4=",
  "file:///etc/passwd",
  "file://vendor.name/share",
  "filesystem:https://example.com/temporary/x",
  "blob:https://example.com/5f2c9a53",
  "blob://vendor.name/x",
  "about:blank",
  "intent://example.com/#Intent;scheme=https;end",
  "intent://vendor.name/cb",
  "view-source:https://example.com/",
  "ftp://example.com/cb",
  "ftp://vendor.name/cb",
  "ws://example.com/cb",
  "wss://vendor.name/cb",
  "mailto:a@example.com",
  "mailto://vendor.name/a",
  "tel:+123",
  "sms:+123",
  "sms://vendor.name/1",
  "chrome://settings",
  "chrome://vendor.name/settings",
  "chrome-extension://abcdefghijklmnop/cb.html",
  "moz-extension://vendor.name/x",
  "googlechrome://example.com/",
  "microsoft-edge://example.com/",
  "ms-settings:privacy",
  "ms-word://vendor.name/ofe",
  "ms-appinstaller://vendor.name/?source=https://evil.example",
  "search-ms://vendor.name/query",
  "itms-apps://itunes.apple.com/app",
  "market://vendor.name/details",
  "x-apple.systempreferences:/x",
  "ssh://vendor.name/x",
  "git+ssh://vendor.name/x",
  "ldap://vendor.name/x",
  "smb://vendor.name/share",
  "jar:https://example.com!/x",
  "zoommtg://zoom.us/join",
  "jnlp://vendor.name/launch.jnlp",
  "afp://vendor.name/share",
  "cifs://vendor.name/share",
  "vlc://vendor.name/x",
  "mhtml://vendor.name/x",
  "web+app://vendor.name/cb",
  // A scheme that could be anybody's.
  "myapp:/callback",
  "myapp:callback",
  "myapp://callback",
  "myapp:///callback",
  "myapp://localhost/callback",
  "myapp://127.0.0.1/callback",
  "myapp://vendor.name:80/callback",
  "myapp://user@vendor.name/callback",
  "myapp://.name/callback",
  "myapp://vendor./callback",
  "c://vendor.name/callback",
  "com.example.app:callback",
  "com.example.app:",
  "com..app:/cb",
  "com.example.app://user@host/cb",
  // http beyond this device, however it is spelt.
  "http://example.com/cb",
  "http://localhost.example.com/cb",
  "http://localhost./cb",
  "http://127.0.0.1.example.com/cb",
  "http://127.1/cb",
  "http://2130706433/cb",
  "http://0x7f.0.0.1/cb",
  "http://0177.0.0.1/cb",
  "http://127.0.0.01/cb",
  "http://0.0.0.0/cb",
  "http://10.0.0.1/cb",
  "http://[::]/cb",
  "http://[::ffff:127.0.0.1]/cb",
  "http://[0:0:0:0:0:0:0:1]/cb",
  "http://128.0.0.1/cb",
  "http:127.0.0.1/cb",
  "http:/localhost/cb",
  // Read by one program as one host and by another as another.
  "https:example.com/cb",
  "https:/example.com/cb",
  "https:///example.com/cb",
  "https://",
  "https://?x",
  "https://user@example.com/cb",
  "https://user:pw@example.com/cb",
  "https://good.example:443@evil.example/cb",
  "https://good.example%40evil.example/cb",
  "https://exa%6dple.com/cb",
  "https://example.com\\@evil.example/cb",
  "https:\\\\example.com\\cb",
  "https://example.com./cb",
  "https://example.com:/cb",
  "https://example.com:0443/cb",
  "https://bücher.example/cb",
  "https://example.com/cb#fragment",
  "https://example.com/cb#",
  "http://localhost:1/cb#x",
  "https://example.com/c b",
  " https://example.com/cb",
  "https://example.com/cb\n",
  "https://exam\tple.com/cb",
  "https://example.com/\u0000",
  "https://example.com/\u202e",
  'https://example.com/"x',
  "https://example.com/<x>",
  "java\nscript:alert(1)",
  "https://*.example.com/cb",
  // What the client would be told, said beforehand.
  "https://example.com/cb?code=another",
  "https://example.com/cb?x=1&state=another",
  "https://example.com/cb?i%73s=another",
  "http://localhost:1/cb?code=another&",
  "com.example.app:/cb?error=access_denied",
  "cursor://anysphere.cursor-mcp/oauth/callback?CODE=another",
];

for (const [uri, shown] of Object.entries(ALLOWED)) {
  Deno.test(`judgeRedirect() lets ${uri} pass`, () => {
    const judged = judgeRedirect(uri);
    assertEquals(judged.ok && judged.redirect.shown, shown);
  });
}

for (const uri of REFUSED) {
  Deno.test(`judgeRedirect() refuses ${JSON.stringify(uri)}`, () => {
    assertEquals(judgeRedirect(uri).ok, false);
  });
}

Deno.test(`judgeRedirect() takes ${MAX_REDIRECT_URI} characters and no more`, () => {
  const longest = "https://example.com/".padEnd(MAX_REDIRECT_URI, "x");
  assertEquals([judgeRedirect(longest).ok, judgeRedirect(`${longest}x`).ok], [true, false]);
});

Deno.test("judgeRedirect() lets nothing pass that a browser takes for another scheme or another host", () => {
  const part = fc.constantFrom(
    ..."https http : / // \\ @ ? # . localhost 127.0.0.1 [::1] example.com evil.example vendor.name javascript data %2f %40 \t é"
      .split(" "),
    " ",
  );
  fc.assert(
    fc.property(fc.array(part, { maxLength: 8 }), (parts) => {
      const uri = parts.join("");
      const judged = judgeRedirect(uri);
      if (!judged.ok) return;
      const { protocol, host, username, hash } = new URL(redirectTo(uri, { code: "c" }));
      assertEquals([username, hash], ["", ""]);
      switch (judged.redirect.kind) {
        case "https":
          return assertEquals([protocol, host], ["https:", judged.redirect.shown]);
        case "loopback":
          assert(/^(?:localhost|127\.[\d.]+|\[::1\])(?::\d+)?$/.test(host), host);
          return assertEquals([protocol, host], ["http:", judged.redirect.shown]);
        case "app":
          return assert(!["https:", "http:", "javascript:", "data:"].includes(protocol), protocol);
      }
    }),
    { numRuns: 3_000 },
  );
});

const MATCHES: readonly [registered: string, presented: string, matches: boolean][] = [
  ["https://claude.ai/api/mcp/auth_callback", "https://claude.ai/api/mcp/auth_callback", true],
  ["https://claude.ai/api/mcp/auth_callback", "https://claude.ai/api/mcp/auth_callback/", false],
  ["https://claude.ai/api/mcp/auth_callback", "https://claude.ai/api/mcp/auth_callback?x=1", false],
  ["https://claude.ai/api/mcp/auth_callback", "https://CLAUDE.ai/api/mcp/auth_callback", false],
  ["https://claude.ai/cb", "https://claude.ai:443/cb", false],
  ["https://claude.ai/cb", "https://evil.example/cb", false],
  ["https://localhost/cb", "https://localhost:8443/cb", false],
  // Claude Code registers no port and listens on one.
  ["http://localhost/callback", "http://localhost:54545/callback", true],
  // Codex: the path varies.
  ["http://localhost:1455/auth/callback", "http://localhost:1457/callback/abc", true],
  // VS Code.
  ["http://127.0.0.1:33418", "http://127.0.0.1:33418/", true],
  ["http://127.0.0.1/", "http://127.0.0.2:9/x?y=z", true],
  ["http://[::1]/cb", "http://[::1]:8080/", true],
  ["http://localhost/cb", "http://127.0.0.1/cb", false],
  ["http://127.0.0.1/cb", "http://[::1]/cb", false],
  ["http://localhost/cb", "https://localhost/cb", false],
  ["http://localhost/cb", "http://localhost.example.com/cb", false],
  ["http://localhost/cb", "http://localhost:1/cb#x", false],
  ["cursor://anysphere.cursor-mcp/oauth/callback", "cursor://anysphere.cursor-mcp/oauth/callback", true],
  ["cursor://anysphere.cursor-mcp/oauth/callback", "cursor://anysphere.cursor-mcp/other", false],
  ["com.example.app:/cb", "com.example.app:/cb", true],
  ["com.example.app:/cb", "com.example.app:/other", false],
  ["javascript:alert(1)", "javascript:alert(1)", false],
  ["http://example.com/cb", "http://example.com/cb", false],
];

for (const [registered, presented, matches] of MATCHES) {
  Deno.test(`matchesRedirect() ${matches ? "takes" : "refuses"} ${presented} for ${registered}`, () => {
    assertEquals(matchesRedirect(registered, presented), matches);
  });
}

Deno.test("redirectTo() leaves the address as it was registered and adds what is told, escaped", () => {
  const told = { code: "fcc_1", state: "a b&c=d#e\nf", iss: "https://framed.example/connect", error: null };
  const query = "code=fcc_1&state=a+b%26c%3Dd%23e%0Af&iss=https%3A%2F%2Fframed.example%2Fconnect";
  assertEquals(redirectTo("http://127.0.0.1:33418", told), `http://127.0.0.1:33418?${query}`);
  assertEquals(redirectTo("https://example.com/cb?x=%41", told), `https://example.com/cb?x=%41&${query}`);
  assertEquals(redirectTo("com.example.app:/cb", { code: "c" }), "com.example.app:/cb?code=c");
});
