/**
 * The part of Supabase Auth that supabase-js needs, under `/auth/v1`: password and refresh grants, the user, sign-out
 * and the public keys. Paths, bodies, claims and errors are GoTrue's (github.com/supabase/auth, openapi.yaml).
 */

import { type Context, Hono } from "hono";
import { bodyLimit } from "hono/body-limit";
import { cors } from "hono/cors";
import type postgres from "postgres";
import { hashPassword, isPassword } from "./passwords.ts";
import type { TokenSigner } from "./signing-key.ts";
import { endSessions, findByEmail, findBySession, openSession, refreshSession, type User } from "./store.ts";

export interface SignInOptions {
  readonly sql: postgres.Sql;
  readonly signer: TokenSigner;
  /** `<origin>/auth/v1`: the issuer of the tokens. */
  readonly url: string;
  readonly publishableKey: string;
  readonly now?: () => Date;
}

const TOKEN_SECONDS = 3600;
const MAX_BODY_BYTES = 16 * 1024;

/** The sign-in as an app whose paths begin with `/auth/v1`. */
export function createSignIn(options: SignInOptions): Hono {
  const { sql, signer } = options;
  const now = options.now ?? (() => new Date());
  const app = new Hono().basePath("/auth/v1");
  // A password that fits nobody, so that an unknown address takes as long as a known one.
  let nobodys: Promise<Uint8Array> | undefined;

  app.use(cors({ origin: "*", maxAge: 600 }));
  app.use(bodyLimit({ maxSize: MAX_BODY_BYTES }));
  app.onError((_, c) => answerError(c, 500, "unexpected_failure", "Sign-in cannot answer right now"));
  app.notFound((c) => answerError(c, 404, "not_found", "Local sign-in has no such path"));
  app.get("/health", (c) => c.json({ name: "Framed local sign-in", description: "Part of Supabase Auth" }));
  app.get("/.well-known/jwks.json", (c) => {
    c.header("cache-control", "public, max-age=600");
    return c.json({ keys: [signer.publicKey] });
  });
  app.use(async function requirePublishableKey(c, next) {
    const key = c.req.header("apikey") ?? c.req.query("apikey");
    if (key === options.publishableKey) return await next();
    return c.json({ message: key ? "Invalid API key" : "No API key found in request" }, 401);
  });
  app.post("/token", async (c) => {
    const body = await readBody(c);
    switch (c.req.query("grant_type")) {
      case "password":
        return await signIn(c, body);
      case "refresh_token":
        return await refresh(c, body);
      default:
        return answerError(c, 400, "validation_failed", "grant_type is password or refresh_token here");
    }
  });
  app.get("/user", async (c) => {
    const session = await readSession(c);
    return session instanceof Response ? session : c.json(userBody(session.user));
  });
  app.post("/logout", async (c) => {
    const session = await readSession(c);
    if (session instanceof Response) return session;
    const scope = c.req.query("scope") ?? "global";
    if (scope !== "global" && scope !== "local" && scope !== "others") {
      return answerError(c, 400, "validation_failed", "scope is global, local or others");
    }
    await endSessions(sql, { sessionId: session.sessionId, scope });
    return c.body(null, 204);
  });
  return app;

  async function signIn(c: Context, { email, password }: Record<string, unknown>): Promise<Response> {
    if (typeof email !== "string" || typeof password !== "string") {
      return answerError(c, 400, "validation_failed", "email and password are needed");
    }
    const found = await findByEmail(sql, email);
    if (
      !(await isPassword(
        password,
        found?.password ?? await (nobodys ??= hashPassword(crypto.randomUUID())),
      )) || found === null
    ) {
      return answerError(c, 400, "invalid_credentials", "Invalid login credentials");
    }
    return c.json(await sessionBody(found.user, await openSession(sql, found.user.id)));
  }

  async function refresh(c: Context, { refresh_token: token }: Record<string, unknown>): Promise<Response> {
    const refreshed = await refreshSession(sql, typeof token === "string" ? token : "");
    switch (refreshed.outcome) {
      case "refreshed":
        return c.json(await sessionBody(refreshed.user, refreshed));
      case "reused":
        return answerError(c, 400, "refresh_token_already_used", "Invalid Refresh Token: Already Used");
      case "unknown":
        return answerError(
          c,
          400,
          "refresh_token_not_found",
          "Invalid Refresh Token: Refresh Token Not Found",
        );
      default:
        return refreshed satisfies never;
    }
  }

  async function readSession(c: Context): Promise<{ user: User; sessionId: string } | Response> {
    const token = /^bearer (\S+)$/i.exec(c.req.header("authorization") ?? "")?.[1];
    if (token === undefined) {
      return answerError(c, 401, "no_authorization", "This endpoint requires a Bearer token");
    }
    const claims = await signer.verify(token);
    if (claims === null || claims.iss !== options.url || Number(claims.exp) * 1000 <= now().getTime()) {
      return answerError(c, 403, "bad_jwt", "invalid JWT: it is not ours or has expired");
    }
    const sessionId = String(claims.session_id);
    const user = await findBySession(sql, sessionId);
    return user === null
      ? answerError(c, 403, "session_not_found", "Session from session_id claim in JWT does not exist")
      : { user, sessionId };
  }

  async function sessionBody(user: User, session: { sessionId: string; refreshToken: string }) {
    const issuedAt = Math.floor(now().getTime() / 1000);
    const body = userBody(user);
    const accessToken = await signer.sign({
      iss: options.url,
      sub: user.id,
      aud: body.aud,
      role: body.role,
      email: user.email,
      phone: body.phone,
      session_id: session.sessionId,
      aal: "aal1",
      amr: [{ method: "password", timestamp: issuedAt }],
      app_metadata: body.app_metadata,
      user_metadata: body.user_metadata,
      is_anonymous: body.is_anonymous,
      iat: issuedAt,
      exp: issuedAt + TOKEN_SECONDS,
    });
    return {
      access_token: accessToken,
      token_type: "bearer",
      expires_in: TOKEN_SECONDS,
      expires_at: issuedAt + TOKEN_SECONDS,
      refresh_token: session.refreshToken,
      user: body,
    };
  }
}

function userBody(user: User) {
  const createdAt = user.createdAt.toISOString();
  return {
    id: user.id,
    aud: "authenticated",
    role: "authenticated",
    email: user.email,
    email_confirmed_at: createdAt,
    confirmed_at: createdAt,
    phone: "",
    last_sign_in_at: user.lastSignInAt?.toISOString() ?? null,
    app_metadata: { provider: "email", providers: ["email"] },
    user_metadata: { name: user.name },
    identities: [],
    created_at: createdAt,
    updated_at: createdAt,
    is_anonymous: false,
  };
}

async function readBody(c: Context): Promise<Record<string, unknown>> {
  const body: unknown = await c.req.json().catch(() => null);
  return typeof body === "object" && body !== null ? { ...body } : {};
}

function answerError(
  c: Context,
  status: 400 | 401 | 403 | 404 | 500,
  code: string,
  message: string,
): Response {
  return c.json({ code: status, error_code: code, msg: message }, status);
}
