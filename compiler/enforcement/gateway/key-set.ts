/** A set of public keys (RFC 7517), from a file or a URL. */

import { readFile } from "node:fs/promises";
import { isObject, type Members } from "./messages.ts";

const MOST_BYTES = 1024 * 1024;
const FETCH_MS = 10_000;
/** A set is asked for again after this time, and for a key that it lacks after the shorter one. */
const [STALE_MS, RETRY_MS] = [600_000, 30_000];

/**
 * Gives the keys of a set, remembered for ten minutes; with `fresh` it is read again, at most twice a minute. Rejects where it
 * cannot be had and never was. URLs are of TLS, or of this machine; redirects are not followed.
 */
export function keySet(source: string, now: () => number = Date.now): (fresh: boolean) => Promise<readonly Members[]> {
  let keys: readonly Members[] | undefined;
  let read = Number.NEGATIVE_INFINITY;
  return async (fresh) => {
    const age = now() - read;
    if (keys !== undefined && age < (fresh ? RETRY_MS : STALE_MS)) return keys;
    read = now();
    try {
      keys = keysOf(/^https?:/i.test(source) ? await fetched(source) : await readFile(source, "utf8"));
    } catch (error) {
      if (keys === undefined) {
        read = Number.NEGATIVE_INFINITY;
        throw error;
      }
    }
    return keys;
  };
}

function keysOf(text: string): readonly Members[] {
  const set: unknown = JSON.parse(text);
  const keys = isObject(set) ? set["keys"] : undefined;
  if (!Array.isArray(keys)) throw new Error("a key set has a list `keys`");
  return keys.filter(isObject);
}

async function fetched(source: string): Promise<string> {
  const { protocol, hostname } = new URL(source);
  if (protocol !== "https:" && !["127.0.0.1", "localhost", "[::1]"].includes(hostname))
    throw new Error("keys come over TLS, or from this machine");
  const response = await fetch(source, { redirect: "error", signal: AbortSignal.timeout(FETCH_MS) });
  if (!response.ok || response.body === null) throw new Error(`its server answers ${response.status}`);
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of response.body as unknown as AsyncIterable<Uint8Array>) {
    size += chunk.length;
    if (size > MOST_BYTES) throw new Error(`it has more than ${MOST_BYTES} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}
