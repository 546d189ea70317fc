/** What an administrator looks at before a tool may use a value that is stored already. */

import { shownHost } from "../../../supabase/functions/_shared/approvals/shown-host.ts";
import type { Rule } from "../../../supabase/functions/_shared/definition/format-after.ts";
import type { ToolDetail, ToolSecret } from "../api/tools.ts";
import { useAction } from "../api/use-action.ts";
import { Button } from "../ui/button.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { ProblemNotice } from "../ui/notice.tsx";
import { Said } from "../ui/said.tsx";
import { argumentsInWords, conditionInWords, requestsOf } from "./file-words.ts";
import { ACCESS_WORDS, ownerOf } from "./tool-words.ts";

export function AllowDialog(
  { detail, secret, isOpen, onClose, onSend, onDone }: {
    detail: ToolDetail;
    secret: ToolSecret;
    isOpen: boolean;
    onClose: () => void;
    onSend: () => Promise<unknown>;
    onDone: () => void;
  },
) {
  const allowing = useAction(async () => {
    await onSend();
    onDone();
  });
  function close() {
    allowing.reset();
    onClose();
  }
  return (
    <Dialog
      size="wide"
      title={`May this tool use ${secret.name}?`}
      description="Who can write a file could send your value along with a request of their own. Look at each of these first."
      isOpen={isOpen}
      onClose={close}
      actions={
        <>
          <Button onClick={close}>Not now</Button>
          <Button variant="primary" isBusy={allowing.isBusy} onClick={() => void allowing.run()}>
            Allow it
          </Button>
        </>
      }
    >
      {/* It scrolls, and who has no mouse scrolls what has the focus. */}
      <div className="stack" role="region" aria-label="What to look at first" tabIndex={0}>
        <dl className="look-at">
          {lookAt(detail, secret).map(({ what, found, ask, isCode = false }) => (
            <div key={what} className="look-at-row">
              <dt>{what}</dt>
              <dd>
                {found.map((line, index) => (
                  <p key={index} className={isCode ? "mono" : undefined}>
                    <Said>{line}</Said>
                  </p>
                ))}
                <p className="small muted">{ask}</p>
              </dd>
            </div>
          ))}
        </dl>
        {allowing.error !== null && <ProblemNotice error={allowing.error} />}
      </div>
    </Dialog>
  );
}

interface LookedAt {
  readonly what: string;
  readonly found: readonly string[];
  readonly ask: string;
  readonly isCode?: boolean;
}

function lookAt(detail: ToolDetail, { host, keys }: ToolSecret): LookedAt[] {
  const { tool } = detail;
  const fields = tool.kind === "mcp" ? undefined : tool.result?.fields;
  const args = argumentsInWords(tool.arguments);
  const rules = tool.rules ?? [];
  return [
    { what: "Who defined it", found: [ownerOf(detail)], ask: "Do you know them?" },
    {
      what: "Where the value goes",
      isCode: true,
      found: [shownHost(host)],
      ask: host.includes("{")
        ? "A call chooses the part in braces. Does every name under that domain belong to the system you trust?"
        : "Is this the system the value is for? It goes to this host and to no other.",
    },
    {
      what: "As what",
      isCode: true,
      found: keys.map(keyPlaces(tool)),
      ask: "A credential belongs under secret, accessToken or clientSecret; the others are told openly. " +
        "In a header is best: in an address the other system may write it into its own logs.",
    },
    {
      what: "What it says it does",
      found: [tool.name, tool.description],
      ask: "Compare it with what is sent.",
    },
    {
      what: "What is sent",
      isCode: true,
      found: requestsOf(tool).map(({ what, method, url }) =>
        `${what === null ? "" : `${what}: `}${method} ${url}`
      ),
      ask: "Does the call do what it says? Ask the system's maker what this path does: a GET that changes " +
        "something would run without a person.",
    },
    {
      what: "Access",
      found: [
        detail.access === null
          ? "what the server says of each of its tools"
          : `${detail.access}: ${ACCESS_WORDS[detail.access]}`,
      ],
      ask: "If a call reveals what few may see, sensitive makes it wait for an administrator.",
    },
    {
      what: "What leaves",
      found: [fields === undefined ? "all of the answer" : fields.join(", ")],
      ask: "May everyone who uses tools here see this?",
    },
    {
      what: "What a call can ask for",
      found: args.length === 0 ? ["no arguments"] : args.map(({ name, type }) => `${name}: ${type}`),
      ask: "Is there more in it than the name says?",
    },
    ...(rules.length === 0 ? [] : [rulesToLookAt(rules)]),
  ];
}

function rulesToLookAt(rules: readonly Rule[]): LookedAt {
  return {
    what: "Rules",
    found: rules.map((rule) =>
      `${conditionInWords(rule)}: ${rule.then === "deny" ? "refused" : "an administrator decides"}`
    ),
    ask: "Does each name the argument that the request really sends? " +
      "A rule about another one holds nothing back.",
  };
}

/** Under which key a file names the secret, and where its request puts it. */
function keyPlaces(tool: ToolDetail["tool"]): (key: string) => string {
  return (key) => {
    if (tool.kind !== "request") return `${key}, in a header`;
    const holds = (value: unknown) => JSON.stringify(value ?? null).includes(`{{${key}}}`);
    const requests = [
      tool.request,
      ...(tool.capabilities ?? []).flatMap(({ requests }) => [requests?.list, requests?.get]),
    ].filter((request) => request !== undefined);
    const places = [
      requests.some(({ headers }) => holds(headers)) && "in a header",
      requests.some(({ url, query }) => holds(url) || holds(query)) && "in the address",
      requests.some(({ body }) => holds(body)) && "in the body",
    ].filter((place) => place !== false);
    return `${key}, ${places.join(" and ") || "in no place"}`;
  };
}
