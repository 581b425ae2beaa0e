/**
 * Who may ask a server without a token: programs of this machine. A web page that a browser shows there is not one: it sends
 * an `Origin`, or a `Host` that a name server has led here.
 */

import type { IncomingMessage } from "node:http";
import { type Answer, problem } from "./answer.ts";

/** Names of this machine, with any port: one may be forwarded. */
const LOOPBACK = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])(?::\d{1,5})?$/i;
/** The host of a target as proxies are sent it. */
const AUTHORITY = /^[a-z][a-z0-9+.-]*:\/\/([^/?#]*)/i;
/** What browsers say where no other page has asked. */
const OWN_SITES: ReadonlySet<string> = new Set(["same-origin", "none"]);

/** Why the request is not answered; `undefined` for one of this machine. */
export function foreignCaller({ url = "", headersDistinct }: IncomingMessage): Answer | undefined {
  const [host = ""] = headersDistinct["host"] ?? [];
  const named = [host, ...(AUTHORITY.exec(url)?.slice(1) ?? [])];
  if (!named.every((name) => LOOPBACK.test(name))) return refused("its `Host` is not a name of this machine");
  const origins = headersDistinct["origin"] ?? [];
  if (!origins.every((origin) => origin.toLowerCase() === `http://${host.toLowerCase()}`))
    return refused("its `Origin` is another one");
  const sites = headersDistinct["sec-fetch-site"] ?? [];
  return sites.every((site) => OWN_SITES.has(site)) ? undefined : refused("a page of another site has sent it");
}

function refused(why: string): Answer {
  const other = "`--token-file` lets others ask, `--anonymous` everybody";
  return problem(403, "unauthorized", `without a token this server answers programs of its machine: ${why}; ${other}`);
}
