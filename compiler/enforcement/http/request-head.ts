/** The first lines of a request, where HTTP has a server refuse what Node's parser lets through (RFC 9112, 3.2 and 6.1). */

import type { IncomingMessage } from "node:http";

/** The characters of a host, as Go's server takes them: OPA's. */
const HOST = /^[\w!$%&()*+,.:;='[\]~-]*$/;
const ABSOLUTE = /^[a-z][a-z0-9+.-]*:\/\/([^/?#]*)(.*)$/i;
const AUTHORITY = /^(?:[\w!$&'()*+,.:;=~%@-]*@)?(?:\[[0-9a-f:.]*\]|[\w!$&'()*+,.;=~-]*)(?::\d*)?$/i;

export interface HeadProblem {
  readonly status: 400 | 501 | 505;
  readonly message: string;
}

/** Why a request must not be read further. Two readers of one connection could take it for two different requests. */
export function headProblem(request: IncomingMessage): HeadProblem | undefined {
  const { httpVersionMajor, httpVersionMinor, headers, headersDistinct } = request;
  if (httpVersionMajor !== 1) return { status: 505, message: "this server speaks HTTP/1.1" };
  const hosts = headersDistinct["host"] ?? [];
  if (hosts.length > 1 || !hosts.every((host) => HOST.test(host)))
    return { status: 400, message: "the `Host` header is malformed, or there are several" };
  if (httpVersionMinor === 0 && headers["transfer-encoding"] !== undefined)
    return { status: 400, message: "HTTP/1.0 has no transfer codings" };
  // Node takes the chunks away and leaves the codings before them.
  if ((headers["transfer-encoding"] ?? "chunked").toLowerCase() !== "chunked")
    return { status: 501, message: "`chunked` is the only transfer coding that this server knows" };
  return undefined;
}

/** The target that a server is asked for where a proxy is asked for `http://host/path` (RFC 9112, 3.2.2); others as they are. */
export function originForm(target: string): string {
  const absolute = ABSOLUTE.exec(target);
  return absolute !== null && AUTHORITY.test(absolute[1] as string) ? (absolute[2] as string) : target;
}
