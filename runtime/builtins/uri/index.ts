/** uri.parse and uri.is_valid: the parts of a URI, as Go's net/url takes it apart (RFC 3986). Absent parts are left out. */

import type { BuiltinFamily } from "@portcullis/runtime/host";
import { family, need, text } from "../family.ts";
import { parseUrl } from "../url.ts";

/** A port follows the last colon; brackets are taken off what is left of an address of IPv6. */
function splitHost(host: string): { readonly hostname: string; readonly port: string } {
  const port = /:([0-9]*)$/.exec(host);
  const rest = port === null ? host : host.slice(0, port.index);
  const bracketed = rest.startsWith("[") && rest.endsWith("]");
  return { hostname: bracketed ? rest.slice(1, -1) : rest, port: port?.[1] ?? "" };
}

/** `uri.parse` and `uri.is_valid`, as OPA has them: URIs are read as Go's `net/url` reads them. */
export const uri: BuiltinFamily = family(() => ({
  "uri.parse": (args) => {
    const url = need(parseUrl(text(args, 0)), "operand must be a URI");
    const { scheme, path, rawQuery, fragment } = url;
    const { hostname, port } = splitHost(url.host);
    const parts = {
      fragment,
      hostname,
      path,
      port,
      raw_path: url.rawPath === "" ? path : url.rawPath,
      raw_query: rawQuery,
      scheme,
    };
    return new Map(Object.entries(parts).filter(([, part]) => part !== ""));
  },
  "uri.is_valid": (args) => {
    const [written] = args;
    return typeof written === "string" && written !== "" && parseUrl(written) !== undefined;
  },
}));
