/** What asking a server takes: its URL, a limit on what it answers, and the reason why it did not. */

import { messageOf } from "../host/message-of.ts";
import type { PlatformFetch } from "../platform.ts";
import { SourceError } from "./bundle-source.ts";

type Fetched = Awaited<ReturnType<PlatformFetch>>;

/** What is read of a URL. Declarations refer to types of no platform. */
export interface ServerUrl {
  readonly href: string;
  readonly origin: string;
  readonly pathname: string;
  readonly search: string;
  readonly hash: string;
}

/** Throws TypeError for what is not a URL, and for one with a user or a password: `fetch` would refuse it, and say both. */
export function serverUrl(given: string | { readonly href: string }): ServerUrl {
  const text = typeof given === "string" ? given : given.href;
  if (!URL.canParse(text)) throw new TypeError("the URL is malformed");
  const url = new URL(text);
  if (url.username !== "" || url.password !== "")
    throw new TypeError("the URL has a user or a password, which are not sent: a header says who asks");
  return url;
}

/** What `fetch` hides in the cause of its error. */
export function causeOf(error: unknown): string {
  const { cause, message } = (error ?? {}) as {
    readonly cause?: { readonly message?: string };
    readonly message?: string;
  };
  return cause?.message || message || messageOf(error);
}

/** The body of an answer. Throws SourceError for one that is larger. */
export async function bodyOf(response: Fetched, maxBytes: number, name: string): Promise<Uint8Array> {
  // Grows by doubling: a server may send it byte by byte, and an object for each would take two hundred times as much memory.
  let bytes = new Uint8Array(0);
  let total = 0;
  const reader = response.body?.getReader();
  for (;;) {
    const { done, value } = (await reader?.read()) ?? { done: true, value: undefined };
    if (done || value === undefined) break;
    const at = total;
    total += value.length;
    if (total > maxBytes) {
      await reader?.cancel().catch(() => undefined);
      throw new SourceError("too-large", `${name} sends more than ${maxBytes} bytes`);
    }
    if (total > bytes.length) {
      const longer = new Uint8Array(Math.max(total, 2 * at));
      longer.set(bytes.subarray(0, at));
      bytes = longer;
    }
    bytes.set(value, at);
  }
  return bytes.slice(0, total);
}
