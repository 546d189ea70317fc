/** Somebody who did something: their name, and by what they did it where that is not themselves. */

import type { Someone } from "../../api/approvals.ts";
import { MarkedText } from "./marked.tsx";

const BY: Readonly<Record<string, string>> = {
  raw_key: "by a key",
  reseller_key: "a reseller's key",
  connect_token: "through a program",
  operator: "by command",
};

export function Who({ someone: { kind, name, key_name } }: { someone: Someone }) {
  if (kind === "follow_up") return <>A check of its follow-up</>;
  const by = BY[kind];
  return (
    <>
      {name === null ? <span>Somebody who is not here any more</span> : <MarkedText>{name}</MarkedText>}
      {by !== undefined && (
        <span className="muted">
          {" "}
          ({by}
          {key_name && (
            <>
              : <MarkedText>{key_name}</MarkedText>
            </>
          )})
        </span>
      )}
    </>
  );
}
