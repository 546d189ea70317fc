/** A database whose statements and transactions are spans. */

import { SpanKind, SpanStatusCode, trace, type Tracer } from "@opentelemetry/api";
import type { Database, Queryable } from "../db/client.ts";

/**
 * A statement of postgres.js. It is sent by its `handler` once it is waited for; one that is a part of another never
 * is. Held to by the exact version of the package, and by a test on a real database.
 */
interface Statement {
  readonly strings: readonly string[];
  handler: (statement: Statement) => unknown;
  resolve: (value: unknown) => void;
  reject: (error: unknown) => void;
}

/** The same database. A statement that no recorded request asks for is no span. Parameters are in none. */
export function traceStore(db: Database, tracer: Tracer): Database {
  return new Proxy(db, {
    apply: (target, self, args) => traced(Reflect.apply(target as never, self, args), tracer),
    get(target, key, receiver) {
      if (key !== "begin") return Reflect.get(target, key, receiver);
      return (work: (tx: Queryable) => unknown) =>
        inTransaction(() => target.begin((tx) => work(traceTransaction(tx, tracer)) as never), tracer);
    },
  });
}

function traceTransaction(tx: Queryable, tracer: Tracer): Queryable {
  return new Proxy(tx, {
    apply: (target, self, args) => traced(Reflect.apply(target as never, self, args), tracer),
  });
}

/** From its beginning to its commit or roll back. */
async function inTransaction<T>(run: () => Promise<T>, tracer: Tracer): Promise<T> {
  if (!isTraced()) return await run();
  return await tracer.startActiveSpan(
    "transaction",
    { kind: SpanKind.CLIENT, attributes: SYSTEM },
    async (span) => {
      try {
        return await run();
      } finally {
        span.end();
      }
    },
  );
}

function traced<T>(made: T, tracer: Tracer): T {
  if (!isStatement(made)) return made;
  const { handler } = made;
  made.handler = (statement) => {
    if (isTraced()) spanOf(statement, tracer);
    return handler(statement);
  };
  return made;
}

/** From when the statement is handed on, the wait for a connection included, until its answer is there. */
function spanOf(statement: Statement, tracer: Tracer): void {
  const summary = summarize(statement.strings);
  const span = tracer.startSpan(summary, {
    kind: SpanKind.CLIENT,
    attributes: { ...SYSTEM, "db.query.summary": summary },
  });
  const { resolve, reject } = statement;
  statement.resolve = (value) => {
    span.end();
    resolve(value);
  };
  statement.reject = (error) => {
    span.setStatus({ code: SpanStatusCode.ERROR }).end();
    reject(error);
  };
}

const SYSTEM = { "db.system.name": "postgresql" };

/** What a statement does to what, in words of the statement itself, which has its parameters beside it. */
function summarize(strings: readonly string[]): string {
  const text = strings.join(" ");
  const [verb = "statement"] = /[a-z]+/.exec(text) ?? [];
  const [name] = /framed\.\w+/.exec(text) ?? [];
  return name === undefined ? verb : `${verb} ${name}`;
}

function isTraced(): boolean {
  return trace.getActiveSpan()?.isRecording() ?? false;
}

function isStatement(made: unknown): made is Statement {
  return made instanceof Promise && "strings" in made && "handler" in made;
}
