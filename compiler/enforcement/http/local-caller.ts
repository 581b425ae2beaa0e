/**
 * Who may ask a server without a token: programs of this machine. A web page that a browser shows there is not one: it sends
 * an `Origin`, or a `Host` that a name server has led here.
 */

import type { IncomingMessage } from "node:http";

/** Names of this machine, with any port: one may be forwarded. */
const LOOPBACK = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])(?::\d{1,5})?$/i;
/** The host of a target as proxies are sent it. */
const AUTHORITY = /^[a-z][a-z0-9+.-]*:\/\/([^/?#]*)/i;
/** What browsers say where no other page has asked. */
const OWN_SITES: ReadonlySet<string> = new Set(["same-origin", "none"]);

/** Why the request is not one of this machine; `undefined` for one that is. */
export function foreignTo({ url = "", headersDistinct }: IncomingMessage): string | undefined {
  const [host = ""] = headersDistinct["host"] ?? [];
  const named = [host, ...(AUTHORITY.exec(url)?.slice(1) ?? [])];
  if (!named.every((name) => LOOPBACK.test(name))) return "its `Host` is not a name of this machine";
  return originOf({ headersDistinct });
}

/** Why a page of another site has sent the request; `undefined` where none has. */
export function originOf({ headersDistinct }: Pick<IncomingMessage, "headersDistinct">): string | undefined {
  const [host = ""] = headersDistinct["host"] ?? [];
  const origins = headersDistinct["origin"] ?? [];
  if (!origins.every((origin) => origin.toLowerCase() === `http://${host.toLowerCase()}`))
    return "its `Origin` is another one";
  const sites = headersDistinct["sec-fetch-site"] ?? [];
  return sites.every((site) => OWN_SITES.has(site)) ? undefined : "a page of another site has sent it";
}
