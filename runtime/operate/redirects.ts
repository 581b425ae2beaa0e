/**
 * Follows redirects by hand. A step without TLS on the way could be answered by anybody, who would lead it anywhere; and
 * headers such as a token are for the origin that they were given for.
 */

import type { PlatformAbortSignal, PlatformFetch } from "../platform.ts";
import { SourceError } from "./bundle-source.ts";
import type { HttpHeaders } from "./http-source.ts";

export interface RedirectedRequest {
  readonly fetch: PlatformFetch;
  /** For messages. */
  readonly name: string;
  readonly url: string;
  /** For the URL's own origin. */
  readonly own: HttpHeaders;
  /** Sent to every server on the way, also after a redirect to another origin. */
  readonly headers: HttpHeaders;
  readonly signal: PlatformAbortSignal;
}

const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);
const MOST_STEPS = 10;

/** The last answer. Throws SourceError where TLS would be left, and for redirects without end. */
export async function fetchRedirected({ fetch, name, own, headers, signal, ...given }: RedirectedRequest) {
  const first = new URL(given.url);
  let url = first;
  for (let steps = 0; steps <= MOST_STEPS; steps++) {
    const sent = url.origin === first.origin ? { ...own, ...headers } : headers;
    const options = { headers: sent, signal, cache: "no-store" } as const;
    let response = await fetch(url.href, { ...options, redirect: "manual" });
    // A page may not see where it would be led. Its platform follows, and does not leave TLS.
    if (response.type === "opaqueredirect") response = await fetch(url.href, options);
    if (response.url !== "") holdProtocol(first, new URL(response.url), name);
    const location = REDIRECTS.has(response.status) ? response.headers.get("location") : null;
    if (location === null) return response;
    await response.body?.cancel().catch(() => undefined);
    url = resolved(location, url, name);
    holdProtocol(first, url, name);
  }
  throw new SourceError("status", `${name} redirects more than ${MOST_STEPS} times`);
}

/** From TLS to TLS, and from a server to a server: `fetch` reads `data:` too, and on some platforms files. */
function holdProtocol(first: URL, { protocol }: URL, name: string): void {
  if (protocol === "https:" || protocol === first.protocol) return;
  throw new SourceError("status", `${name} redirects to a server without TLS, or to none`);
}

function resolved(location: string, from: URL, name: string): URL {
  try {
    return new URL(location, from);
  } catch {
    throw new SourceError("status", `${name} redirects to a text that is not a URL`);
  }
}
