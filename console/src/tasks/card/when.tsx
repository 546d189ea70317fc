/** An instant as people say it, on the screen; on paper the exact one. */

import { Time } from "../../ui/time.tsx";
import "./when.css";

export function When({ at }: { at: string }) {
  return (
    <>
      <span className="screen-only">
        <Time at={at} />
      </span>
      <span className="print-only">
        <Time at={at} exact />
      </span>
    </>
  );
}
