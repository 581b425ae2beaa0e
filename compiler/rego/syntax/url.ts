/** URLs of related resources, as Go's `net/url` parses them and writes them again. */

const unreserved = /[A-Za-z0-9\-._~]/;

function encode(text: string, allowed: string): string {
  return Array.from(new TextEncoder().encode(text), (byte) => {
    const char = String.fromCharCode(byte);
    return byte < 128 && (unreserved.test(char) || allowed.includes(char))
      ? char
      : `%${byte.toString(16).toUpperCase().padStart(2, "0")}`;
  }).join("");
}

/** Decodes percent escapes; `undefined` if one is broken or gives no UTF-8. */
function decode(text: string): string | undefined {
  if (/%(?![0-9a-fA-F]{2})/.test(text)) return undefined;
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** What nearly all are: nothing in them is written in another way. */
const plainUrl =
  /^[a-z]+:\/\/[A-Za-z0-9.-]+(?:\/[A-Za-z0-9\-._~$&+,/:;=@!'()*]*)?(?:#[A-Za-z0-9\-._~$&+,/:;=?@!()*]+)?$/;

/** The URL in Go's notation, or `undefined` where Go refuses it. */
export function normalizeUrl(text: string): string | undefined {
  if (plainUrl.test(text)) return text;
  if (/[\u0000-\u001f\u007f]/.test(text)) return undefined;
  const [, beforeFragment = "", fragment] = /^([^#]*)(?:#(.*))?$/s.exec(text) ?? [];
  const decodedFragment = fragment === undefined ? undefined : decode(fragment);
  if (fragment !== undefined && decodedFragment === undefined) return undefined;
  const [, beforeQuery = "", query] = /^([^?]*)(\?.*)?$/s.exec(beforeFragment) ?? [];
  const [, scheme, afterScheme = ""] = /^(?:([A-Za-z][A-Za-z0-9+.-]*):)?(.*)$/s.exec(beforeQuery) ?? [];
  if (afterScheme.startsWith(":") && scheme === undefined) return undefined;
  const suffix = (query ?? "") + (decodedFragment ? `#${encode(decodedFragment, "$&+,/:;=?@!()*")}` : "");
  const prefix = scheme === undefined ? "" : `${scheme.toLowerCase()}:`;
  if (scheme !== undefined && !afterScheme.startsWith("/")) return prefix + afterScheme + suffix;
  if (scheme === undefined && /^[^/]*:/.test(afterScheme)) return undefined;
  const [, authority, path = ""] = /^(?:\/\/([^/]*))?(.*)$/s.exec(afterScheme) ?? [];
  if (authority !== undefined && (/[ "<>\\^`{|}%]/.test(authority) || !/(?::[0-9]*|[^\]:]|^)$/.test(authority)))
    return undefined;
  const decodedPath = decode(path);
  if (decodedPath === undefined) return undefined;
  // A path that is written as Go would allow it is kept; others are written anew.
  const kept =
    /^[A-Za-z0-9\-._~$&+,/:;=@!'()*[\]%]*$/.test(path) &&
    encode(decodedPath, "$&+,/:;=@") !== path &&
    path.includes("%2");
  return (
    prefix +
    (authority === undefined ? "" : `//${authority}`) +
    (kept ? path : encode(decodedPath, "$&+,/:;=@!'()*")) +
    suffix
  );
}
