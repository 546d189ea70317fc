/** What stands where a view is empty: on the first visit, how something comes to wait here. */

import { useConfig } from "../../config-context.tsx";
import { Go } from "../../shell/go.tsx";
import { ButtonLink } from "../../ui/button.tsx";
import { Empty } from "../../ui/empty.tsx";
import { addressOf, type View } from "./views.ts";

export function NothingHere({ view }: { view: View }) {
  const { api } = useConfig();
  switch (view) {
    case "waiting":
      return (
        <Empty
          icon="check"
          title="Nothing waits for a decision"
          action={<ButtonLink to="/connections">See what programs can ask for</ButtonLink>}
        >
          <p>
            When a program wants to change something in another system, it stands here with everything it
            would send, and nothing goes out before somebody approves it. It comes by itself: no reload.
          </p>
          <p>
            An AI program asks once you connect it to{" "}
            <code>{api}/connect/mcp</code>, any other with a key from <Go to="/people">People and keys</Go>.
          </p>
        </Empty>
      );
    case "look":
      return (
        <Empty icon="check" title="Nothing needs a look">
          <p>
            Here stands what is being sent right now, and what nobody can tell the end of: somebody has to
            look in the other system and say what became of it.
          </p>
        </Empty>
      );
    case "decided":
      return (
        <Empty icon="tasks" title="Nothing was decided yet">
          <p>
            What was approved or rejected stays here, with what came of it. What waits is under{" "}
            <Go to={addressOf("waiting")}>Waiting</Go>.
          </p>
        </Empty>
      );
    case "all":
      return (
        <Empty icon="tasks" title="No program has asked for anything yet">
          <p>
            What would change something in another system waits under{" "}
            <Go to={addressOf("waiting")}>Waiting</Go> until somebody decides.
          </p>
        </Empty>
      );
    default:
      throw new TypeError(view satisfies never);
  }
}
