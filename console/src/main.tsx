/** Starts the console: what it talks to, who is signed in, then the page of the address. */

import { CSPProvider } from "@base-ui/react/csp-provider";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { App } from "./app.tsx";
import { readConfig } from "./config.ts";
import { Session } from "./session/session.ts";
import { Notice } from "./ui/notice.tsx";
import "./ui/tokens.css";
import "./ui/base.css";
import "./ui/page.css";

const root = createRoot(document.getElementById("root")!);

try {
  const config = await readConfig();
  const session = new Session(config);
  await session.open();
  root.render(
    <StrictMode>
      {/* The page's policy lets no style element in. */}
      <CSPProvider disableStyleElements>
        <App config={config} session={session} />
      </CSPProvider>
    </StrictMode>,
  );
} catch (error) {
  root.render(
    <main className="page">
      <Notice tone="bad" title="The console cannot start">
        {error instanceof Error ? error.message : "Something is missing beside this page."}
      </Notice>
    </main>,
  );
}
