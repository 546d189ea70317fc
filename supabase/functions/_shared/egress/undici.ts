/**
 * What is used of undici, without the rest: the whole package brings a fetch of its own and takes several times as long
 * to load. Leaves what to do with it to `connections.ts`.
 */

import type undici from "undici";
import connect from "undici/connect";
import pool from "undici/pool";

export const buildConnector = connect as unknown as typeof undici.buildConnector;
/** Both a value and a type, as in undici. */
export const Pool = pool as unknown as typeof undici.Pool;
