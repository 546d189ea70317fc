/** Where traces and metrics go, as the standard variables of OpenTelemetry say. Pure. */

/** Where to send what, and as whom. */
export interface TelemetrySettings {
  /** Of an OTLP/HTTP receiver, without a slash at its end: `/v1/traces` and `/v1/metrics` stand under it. */
  readonly endpoint: string;
  /** Sent with every export. They may carry a credential. */
  readonly headers: Readonly<Record<string, string>>;
  readonly serviceName: string;
}

/**
 * The settings, or null where no endpoint is set: nothing is then measured. Throws in words where one cannot be read,
 * and never with a value in them.
 *
 * Source: OpenTelemetry's environment variables, OTEL_EXPORTER_OTLP_ENDPOINT, OTEL_EXPORTER_OTLP_HEADERS (`name=value`,
 * separated by commas, values percent-encoded), OTEL_SERVICE_NAME.
 */
export function readTelemetrySettings(read: (name: string) => string | undefined): TelemetrySettings | null {
  const endpoint = read("OTEL_EXPORTER_OTLP_ENDPOINT")?.trim() ?? "";
  if (endpoint === "") return null;
  return {
    endpoint: readEndpoint(endpoint),
    headers: readHeaders(read("OTEL_EXPORTER_OTLP_HEADERS") ?? ""),
    serviceName: read("OTEL_SERVICE_NAME")?.trim() || "framed-tools",
  };
}

function readEndpoint(text: string): string {
  const url = URL.parse(text);
  if (url === null || !/^https?:$/.test(url.protocol) || url.search !== "" || url.hash !== "") {
    throw new Error("OTEL_EXPORTER_OTLP_ENDPOINT is no http or https address; see docs/operate.md.");
  }
  if (url.username !== "" || url.password !== "") {
    throw new Error(
      "OTEL_EXPORTER_OTLP_ENDPOINT holds a credential. It goes into OTEL_EXPORTER_OTLP_HEADERS; see docs/operate.md.",
    );
  }
  return url.href.replace(/\/+$/, "");
}

function readHeaders(text: string): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const pair of text.split(",").map((pair) => pair.trim()).filter((pair) => pair !== "")) {
    const [, name, value] = /^([\w!#$%&'*+.^`|~-]+)\s*=\s*(.*)$/.exec(pair) ?? [];
    try {
      if (name === undefined) throw new TypeError();
      new Headers([[name, headers[name] = decodeURIComponent(value!)]]);
    } catch {
      throw new Error(
        "OTEL_EXPORTER_OTLP_HEADERS is no list of name=value with percent-encoded values; see docs/operate.md.",
      );
    }
  }
  return headers;
}
