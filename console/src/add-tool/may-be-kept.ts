/** Whether this browser may keep a text that is being written: never one that may hold a credential, by shape or by name. Pure. */

import { findCredential } from "../../../supabase/functions/_shared/definition/credentials.ts";
import {
  carriesSchemeValue,
  isCredentialValue,
} from "../../../supabase/functions/_shared/definition/request/credential-value.ts";
import {
  isCredentialField,
  isCredentialHeader,
  isCredentialParameter,
} from "../../../supabase/functions/_shared/definition/request/names.ts";
import { type OutlineNode, outlineOf } from "./outline.ts";

const SECRET_NAME = /^CONNECTOR_[A-Z0-9_]*$/;
/** Some servers part a query at semicolons too. */
const QUERY_PAIR = /[?&;]([A-Za-z0-9_.-]{1,64})=([^&;\s"]{0,200})/g;

/**
 * False where anything in `text` is shaped like a credential, or stands where one would: under `auth`, in a header, a
 * parameter or a field of such a name. So is a text that is no file at all, of which nothing can be said.
 */
export function mayBeKept(text: string): boolean {
  const root = outlineOf(text);
  if (root?.type !== "object") return text.trim() === "";
  if (findCredential(text) !== null) return false;
  for (const [, name, value] of text.matchAll(QUERY_PAIR)) {
    if (isCredentialParameter(name!) && !/^\{/.test(value!)) return false;
  }
  const waiting: { node: OutlineNode; under: string | null; isAuth: boolean }[] = [
    { node: root, under: null, isAuth: false },
  ];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const { node, under, isAuth } = next;
    if (node.key !== null && findCredential(node.key.name) !== null) return false;
    if (node.text !== null && mayHold(node.text, { name: node.key?.name ?? null, under, isAuth })) {
      return false;
    }
    if (node.type === "word" && isAuth) return false;
    const name = node.key?.name ?? under;
    for (const child of node.children) {
      waiting.push({ node: child, under: name, isAuth: isAuth || child.key?.name === "auth" });
    }
  }
  return true;
}

function mayHold(
  text: string,
  { name, under, isAuth }: { name: string | null; under: string | null; isAuth: boolean },
): boolean {
  // What its escapes hide from a look at the whole text shows here.
  if (findCredential(text) !== null || carriesSchemeValue(text)) return true;
  if (text === "" || isCredentialValue(text)) return false;
  if (isAuth) return !SECRET_NAME.test(text);
  if (name === null) return false;
  return isCredentialHeader(name) || isCredentialField(name) ||
    (under === "query" && isCredentialParameter(name));
}
