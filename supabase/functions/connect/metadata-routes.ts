/** The metadata that a client finds its way to sign in by, under the function's own path and as the root of a host has it. */

import { answerRefusal, type App, createRoutes, type RequestContext } from "../_shared/http/app.ts";
import type { Services } from "../_shared/http/services.ts";
import type { ConnectPlace, Roof } from "../_shared/oauth/place.ts";
import { resourceMetadata, roofOfSuffix, serverMetadata } from "../_shared/oauth/server-metadata.ts";
import { NOT_FOUND } from "../_shared/outcome/result.ts";

/** What clients ask for by name. */
const WELL_KNOWN: Readonly<Record<string, (place: ConnectPlace, roofUrl: string) => object>> = {
  "oauth-protected-resource": resourceMetadata,
  "oauth-authorization-server": serverMetadata,
  "openid-configuration": serverMetadata,
};

/**
 * The routes of the metadata. What follows the name is the path of the resource or issuer that is asked about, as it
 * stands at the root of a host: whoever serves a root hands `/.well-known/…` on to here as it is.
 */
export function metadataRoutes({ connect }: Services, { roof }: { roof: Roof }): App {
  const app = createRoutes();
  for (const [name, document] of Object.entries(WELL_KNOWN)) {
    const path = `/.well-known/${name}`;
    const answer = (c: RequestContext) => {
      const suffix = c.req.path.slice(c.req.path.indexOf(path) + path.length);
      const roofUrl = roofOfSuffix(connect, { suffix, roofUrl: connect.roofs[roof] });
      return roofUrl === null
        ? answerRefusal(c, NOT_FOUND)
        : Response.json(document(connect, roofUrl), { headers: { "cache-control": "no-store" } });
    };
    app.get(path, answer);
    app.get(`${path}/*`, answer);
  }
  // Connect signs nothing; the address stands in what is read as OpenID configuration.
  app.get("/jwks", () => Response.json({ keys: [] }));
  return app;
}
