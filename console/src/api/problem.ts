/** What the API refuses, and what kept it from being asked, as one kind of error that pages show in words. */

export class Problem extends Error {
  readonly reason: string;
  /** 0 where nothing answered. */
  readonly status: number;
  readonly title: string;
  readonly detail: string | null;
  readonly hint: string | null;
  readonly problems: readonly string[];
  readonly requestId: string | null;
  readonly retryAfterSeconds: number | null;

  constructor(status: number, body: Record<string, unknown>, retryAfter: string | null = null) {
    const text = (name: string) => typeof body[name] === "string" ? body[name] as string : null;
    const title = text("title") ?? "Framed answered in a way this page does not know";
    super(text("detail") ?? title);
    this.name = "Problem";
    this.status = status;
    this.reason = text("reason") ?? "unknown_answer";
    this.title = title;
    this.detail = text("detail");
    this.hint = text("hint");
    this.problems = Array.isArray(body.problems) ? body.problems.map(String) : [];
    this.requestId = text("request_id");
    this.retryAfterSeconds = retryAfter !== null && /^\d+$/.test(retryAfter) ? Number(retryAfter) : null;
  }

  /** Nothing answered: no network, or nobody there. */
  static unreachable(): Problem {
    return new Problem(0, {
      reason: "unreachable",
      title: "Framed could not be reached",
      detail: "Nothing answered. Look whether you are online, then try again.",
    });
  }

  /** Whether the same may work a moment later. */
  get mayPass(): boolean {
    return this.status === 0 || this.status === 429 || this.status === 502 || this.status === 503;
  }
}

/** Whether `error` is a refusal for this reason. */
export function isRefusedFor(error: unknown, reason: string): boolean {
  return error instanceof Problem && error.reason === reason;
}
