/**
 * A loopback Management API that keeps what is deployed to it: as much of Supabase's as `supabase functions deploy` and
 * `supabase secrets set` ask for.
 */

/** One function as it was uploaded. */
export interface Upload {
  readonly slug: string;
  readonly metadata: {
    readonly entrypoint_path: string;
    readonly import_map_path: string;
    readonly verify_jwt?: boolean;
    readonly static_patterns: readonly string[];
  };
  /** By path, as the CLI names them: from the project's root. */
  readonly files: ReadonlyMap<string, Uint8Array>;
}

export interface ManagementApi {
  readonly url: string;
  /** By name, the last of each. */
  readonly uploads: ReadonlyMap<string, Upload>;
  /** What functions would find in their environment. */
  readonly secrets: ReadonlyMap<string, string>;
  close(): Promise<void>;
}

export function startManagementApi(): ManagementApi {
  const uploads = new Map<string, Upload>();
  const secrets = new Map<string, string>();
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen() {} }, async (request) => {
    const { pathname, searchParams } = new URL(request.url);
    switch (`${request.method} ${pathname.replace(/^\/v1\/projects\/[a-z]{20}(?=\/|$)/, "")}`) {
      case "GET /functions":
        return Response.json([]);
      case "POST /functions/deploy": {
        const upload = await readUpload(searchParams.get("slug") ?? "", await request.formData());
        uploads.set(upload.slug, upload);
        return Response.json(describe(upload), { status: 201 });
      }
      case "POST /secrets":
        for (const { name, value } of await request.json()) secrets.set(name, value);
        return Response.json({}, { status: 201 });
      case "PUT /functions":
        return Response.json({ functions: await request.json() });
      default:
        return Response.json({ message: "Not Found" }, { status: 404 });
    }
  });
  return {
    url: `http://127.0.0.1:${server.addr.port}`,
    uploads,
    secrets,
    close: () => server.shutdown(),
  };
}

async function readUpload(slug: string, form: FormData): Promise<Upload> {
  const files = new Map<string, Uint8Array>();
  for (const file of form.getAll("file")) {
    if (!(file instanceof File)) throw new Error(`${slug}: a part named file is no file`);
    files.set(file.name, await file.bytes());
  }
  return { slug, metadata: JSON.parse(String(form.get("metadata"))), files };
}

function describe({ slug, metadata }: Upload) {
  return {
    id: crypto.randomUUID(),
    slug,
    name: slug,
    status: "ACTIVE",
    version: 1,
    created_at: 1,
    updated_at: 1,
    ...metadata,
  };
}
