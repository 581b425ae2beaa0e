/** A set of public keys (RFC 7517), from a file or a URL. */

import { constants } from "node:fs";
import { open } from "node:fs/promises";
import { isJsonObject } from "@portcullis/documents";
import { Gathered } from "../http/index.ts";
import type { Members } from "./messages.ts";

const MOST_BYTES = 1024 * 1024;
const FETCH_MS = 10_000;
/**
 * A set is asked for again after the first time, and for a key that it lacks, or after a failure, after the second. After the third
 * without an answer it is good no more: a key that was removed meanwhile is not known to be.
 */
const [STALE_MS, RETRY_MS, LOST_MS] = [600_000, 30_000, 3_600_000];

/**
 * Gives the keys of a set, remembered for ten minutes; with `fresh` it is read again, at most twice a minute. One array stands for
 * one reading. Rejects where the set cannot be had, and was not for an hour. URLs are of TLS, or of this machine; redirects are not
 * followed.
 */
export function keySet(source: string, now: () => number = Date.now): (fresh: boolean) => Promise<readonly Members[]> {
  let keys: readonly Members[] | undefined;
  /** Times of the last reading, and of the last one that succeeded. */
  let [asked, read] = [0, 0];
  let reading: Promise<readonly Members[]> | undefined;
  const readAgain = async (started: number): Promise<readonly Members[]> => {
    try {
      keys = keysOf(/^https?:/i.test(source) ? await fetched(source) : await textOf(source));
      read = started;
    } catch (error) {
      // A clock that was set back does not tell how long that was.
      if (keys === undefined || started < read || started - read >= LOST_MS) {
        keys = undefined;
        throw error;
      }
    } finally {
      reading = undefined;
    }
    return keys;
  };
  return async (fresh) => {
    const started = now();
    const wait = fresh || read < asked ? RETRY_MS : STALE_MS;
    if (keys !== undefined && started >= asked && started - asked < wait) return keys;
    asked = started;
    reading ??= readAgain(started);
    return reading;
  };
}

function keysOf(text: string): readonly Members[] {
  const set: unknown = JSON.parse(text);
  const keys = isJsonObject(set) ? set["keys"] : undefined;
  if (!Array.isArray(keys)) throw new Error("a key set has a list `keys`");
  return keys.filter(isJsonObject);
}

/** Rejects for anything but a file: a pipe would be waited for, and all who ask with it. */
async function textOf(path: string): Promise<string> {
  const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    if (!(await file.stat()).isFile()) throw new Error(`\`${path}\` is no regular file`);
    return await file.readFile("utf8");
  } finally {
    await file.close();
  }
}

async function fetched(source: string): Promise<string> {
  const { protocol, hostname } = new URL(source);
  if (protocol !== "https:" && !["127.0.0.1", "localhost", "[::1]"].includes(hostname))
    throw new Error("keys come over TLS, or from this machine");
  const response = await fetch(source, { redirect: "error", signal: AbortSignal.timeout(FETCH_MS) });
  if (!response.ok || response.body === null) throw new Error(`its server answers ${response.status}`);
  const body = new Gathered();
  for await (const chunk of response.body as unknown as AsyncIterable<Uint8Array>) {
    if (body.size + chunk.length > MOST_BYTES) throw new Error(`it has more than ${MOST_BYTES} bytes`);
    body.add(chunk);
  }
  return body.bytes.toString("utf8");
}
