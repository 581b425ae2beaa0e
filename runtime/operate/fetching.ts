/** What asking a server takes: its URL, and why there was no answer. */

import { messageOf } from "../host/message-of.ts";

/** Throws TypeError for what is not a URL, and for one with a user or a password: `fetch` would refuse it, and say both. */
export function serverUrl(given: string | { readonly href: string }): URL {
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
