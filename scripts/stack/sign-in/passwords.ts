/** How the local sign-in keeps a password: scrypt (RFC 7914) with a salt of its own, 64 bytes in all. */

import { Buffer } from "node:buffer";
import { randomBytes, scrypt, timingSafeEqual } from "node:crypto";
import { promisify } from "node:util";

const derive = promisify<string, Uint8Array, number, Buffer>(scrypt);
const SALT_BYTES = 16;
const KEY_BYTES = 48;

/** Salt and key of the password. */
export async function hashPassword(password: string): Promise<Uint8Array> {
  const salt = randomBytes(SALT_BYTES);
  return Buffer.concat([salt, await derive(password, salt, KEY_BYTES)]);
}

/** Whether `stored` was made of this password; takes as long for a wrong one. */
export async function isPassword(password: string, stored: Uint8Array): Promise<boolean> {
  const salt = stored.subarray(0, SALT_BYTES);
  return timingSafeEqual(await derive(password, salt, KEY_BYTES), stored.subarray(SALT_BYTES));
}
