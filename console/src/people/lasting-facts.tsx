/** When a key or a program that was let in was made and used, and how long it is good. */

import { standingOf } from "../api/people.ts";
import { Said } from "../ui/said.tsx";
import { Time } from "../ui/time.tsx";

export interface LastingFactsProps {
  of: {
    readonly acts_as: { readonly name: string | null };
    readonly created_at: string;
    readonly last_used_at: string | null;
    readonly expires_at: string | null;
    readonly revoked_at: string | null;
  };
  /** How it came to be: `issued`, `let in`. */
  made: string;
  /** How it is ended: `revoked`, `ended`. */
  ended: string;
}

export function LastingFacts({ of, made, ended }: LastingFactsProps) {
  const { acts_as, created_at, last_used_at, expires_at, revoked_at } = of;
  return (
    <ul className="plain people-facts">
      {acts_as.name !== null && (
        <li>
          acts as <Said>{acts_as.name}</Said>
        </li>
      )}
      <li>
        {made} <Time at={created_at} />
      </li>
      <li>
        {last_used_at === null ? "never used" : (
          <>
            last used <Time at={last_used_at} />
          </>
        )}
      </li>
      <li>
        {revoked_at !== null
          ? (
            <>
              {ended} <Time at={revoked_at} />
            </>
          )
          : expires_at === null
          ? "does not expire"
          : (
            <>
              {standingOf(of, Date.now()) === "expired" ? "expired" : "expires"} <Time at={expires_at} />
            </>
          )}
      </li>
    </ul>
  );
}
