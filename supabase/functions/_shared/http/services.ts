/** What every function is given: the store, sign-in, the key ring, the clock. Read from the environment in one place. */

import { createSessionVerifier, type VerifySession } from "../auth/session.ts";
import { type Database, openDatabase } from "../db/client.ts";
import type { Egress } from "../egress/guarded-fetch.ts";
import { DEFAULT_LIMITS, type Limits, readLimits } from "../limits/limits.ts";
import { type ConnectPlace, placeConnect } from "../oauth/place.ts";
import { readTelemetrySettings, type TelemetrySettings } from "../telemetry/settings.ts";
import type { Telemetry } from "../telemetry/telemetry.ts";
import { type KeyRing, readKeyRing } from "../secrets/key-ring.ts";

export interface Services {
  readonly db: Database;
  readonly verifySession: VerifySession;
  /** Null where the stack has no master key: it then refuses to store or open a secret. */
  readonly keyRing: KeyRing | null;
  /** Where people see, decide and paste: no slash at the end. */
  readonly consoleUrl: string;
  /** The origins whose pages may call the API from a browser. */
  readonly consoleOrigins: readonly string[];
  /** Where Connect stands. */
  readonly connect: ConnectPlace;
  readonly limits: Limits;
  /** Null where nothing is measured. */
  readonly telemetry: Telemetry | null;
  readonly now: () => Date;
}

/** What a function that calls tools is given beside them. */
export interface CallServices extends Services {
  readonly egress: Egress;
}

export interface ServiceOptions {
  databaseUrl: string;
  /** Connections this process holds at most. */
  databaseConnections?: number;
  supabaseUrl: string;
  publishableKey: string;
  /** `FRAMED_SECRET_KEYS`: `kid:base64,kid:base64`. */
  keyRingText?: string | undefined;
  consoleUrl: string;
  consoleOrigins: readonly string[];
  /** Under the project's functions, where it is not given. */
  connect?: ConnectPlace;
  limits?: Limits;
  telemetry?: TelemetrySettings | null;
  now?: () => Date;
  fetch?: typeof globalThis.fetch;
}

/** Opens the services. Throws in words where the key ring is malformed: better no start than a half-open store. */
export async function createServices(
  options: ServiceOptions,
): Promise<Services & { close(): Promise<void> }> {
  const keyRing = await readKeyRing(options.keyRingText);
  if (!keyRing.ok) throw new Error(keyRing.refusal.join("\n"));
  const db = openDatabase(options.databaseUrl, { max: options.databaseConnections ?? 2 });
  const telemetry = await startTelemetry(options.telemetry ?? null);
  return {
    db: telemetry?.traceStore(db) ?? db,
    verifySession: createSessionVerifier(options),
    keyRing: keyRing.value,
    consoleUrl: options.consoleUrl.replace(/\/+$/, ""),
    consoleOrigins: options.consoleOrigins,
    connect: options.connect ??
      placeConnect({ url: undefined, functionsUrl: functionsOf(options.supabaseUrl) }),
    limits: options.limits ?? DEFAULT_LIMITS,
    telemetry,
    now: options.now ?? (() => new Date()),
    async close() {
      await telemetry?.flush();
      await db.end({ timeout: 5 });
    },
  };
}

/** Where the platform serves the functions of a project. */
function functionsOf(supabaseUrl: string): string {
  return `${supabaseUrl.replace(/\/+$/, "")}/functions/v1`;
}

/** Where nothing is to be measured, nothing of what measures is loaded. */
async function startTelemetry(settings: TelemetrySettings | null): Promise<Telemetry | null> {
  if (settings === null) return null;
  const { createTelemetry } = await import("../telemetry/open-telemetry.ts");
  return createTelemetry(settings);
}

/** What any stack may set about itself, the local one too. */
export type StackSettings = Pick<ServiceOptions, "limits" | "telemetry">;

/** The settings an environment holds. Throws in words where one cannot be read. */
export function stackSettingsFromEnv(read: (name: string) => string | undefined): StackSettings {
  return { limits: readLimits(read), telemetry: readTelemetrySettings(read) };
}

/** The options an edge function finds in its environment. Throws naming what is missing. */
export function serviceOptionsFromEnv(
  read: (name: string) => string | undefined = Deno.env.get,
): ServiceOptions {
  const need = (name: string): string => {
    const value = read(name);
    if (value === undefined || value === "") {
      throw new Error(`The environment lacks ${name}; see docs/operate.md.`);
    }
    return value;
  };
  const consoleUrl = read("FRAMED_CONSOLE_URL") ?? "https://www.framed.dev";
  const supabaseUrl = need("SUPABASE_URL");
  return {
    databaseUrl: need("SUPABASE_DB_URL"),
    supabaseUrl,
    connect: placeConnect({ url: read("FRAMED_CONNECT_URL"), functionsUrl: functionsOf(supabaseUrl) }),
    publishableKey: read("SUPABASE_PUBLISHABLE_KEY") ?? need("SUPABASE_ANON_KEY"),
    keyRingText: read("FRAMED_SECRET_KEYS"),
    consoleUrl,
    consoleOrigins: (read("FRAMED_CONSOLE_ORIGINS") ?? new URL(consoleUrl).origin).split(",").map((origin) =>
      origin.trim()
    )
      .filter((origin) => origin !== ""),
    ...stackSettingsFromEnv(read),
  };
}
