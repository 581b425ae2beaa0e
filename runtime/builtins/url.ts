/**
 * URLs as Go's net/url takes them apart, RFC 3986: needed where a part of one is signed or shown. Texts are handled as
 * one character a byte inside, since escapes stand for bytes. By hand, because the platform's URL follows another standard
 * (WHATWG), which mends texts that Go refuses, and writes back other ones.
 */

import { fromBytes, utf8 } from "./bytes.ts";

export interface GoUrl {
  readonly scheme: string;
  readonly opaque: string;
  /** The part before `@`, as it is written back. */
  readonly user: string | undefined;
  readonly host: string;
  /** Decoded. */
  readonly path: string;
  /** As written, when that is not how the path would be written by default. */
  readonly rawPath: string;
  /** Written in the default way, or as it was. */
  readonly escapedPath: string;
  readonly forceQuery: boolean;
  readonly rawQuery: string;
  readonly fragment: string;
  readonly rawFragment: string;
  readonly escapedFragment: string;
  readonly omitHost: boolean;
}

type Part = "path" | "host" | "user" | "fragment";

/** Characters that need no escape in a part, besides letters, digits and `-_.~`. */
const free: Readonly<Record<Part, string>> = {
  path: "$&+,/:;=@",
  host: "!$&'()*+,;=:[]<>\"",
  user: "$&+,;=",
  fragment: "$&+,/:;=?@!()*",
};

const isFree = (char: string, part: Part): boolean => /[A-Za-z0-9\-_.~]/.test(char) || free[part].includes(char);

const toByteText = (text: string): string => Array.from(utf8(text), (byte) => String.fromCharCode(byte)).join("");
const fromByteText = (text: string): string => fromBytes(Uint8Array.from(text, (char) => char.charCodeAt(0)));

function escapeBytes(text: string, part: Part): string {
  return text.replace(/[\s\S]/g, (char) =>
    isFree(char, part) ? char : `%${char.charCodeAt(0).toString(16).toUpperCase().padStart(2, "0")}`,
  );
}

/** The bytes that an escaped text stands for; undefined for a malformed one. */
function unescapeBytes(text: string, part: Part): string | undefined {
  let out = "";
  for (let i = 0; i < text.length; i++) {
    const char = text[i] as string;
    if (char !== "%") {
      if (part === "host" && char < "\x80" && !isFree(char, part)) return undefined;
      out += char;
      continue;
    }
    const digits = text.slice(i + 1, i + 3);
    if (!/^[0-9a-fA-F]{2}$/.test(digits)) return undefined;
    const byte = Number.parseInt(digits, 16);
    // A host may only escape what is not ASCII.
    if (part === "host" && byte < 0x80 && digits !== "25") return undefined;
    out += String.fromCharCode(byte);
    i += 2;
  }
  return out;
}

/** Whether a text could be an escaped path or fragment as it stands. */
function isEscaped(text: string, part: Part): boolean {
  return [...text].every((char) => "!$&'()*+,;=:@[]%".includes(char) || isFree(char, part));
}

interface Escapable {
  readonly decoded: string;
  readonly raw: string;
  readonly escaped: string;
}

function escapable(text: string, part: "path" | "fragment"): Escapable | undefined {
  const decoded = unescapeBytes(text, part);
  if (decoded === undefined) return undefined;
  const byDefault = escapeBytes(decoded, part);
  const raw = text === byDefault ? "" : text;
  const escaped = raw !== "" && isEscaped(raw, part) ? raw : decoded === "*" ? "*" : byDefault;
  return { decoded, raw, escaped };
}

function isPort(text: string): boolean {
  return /^(:[0-9]*)?$/.test(text);
}

function readHost(scheme: string, text: string): string | undefined {
  const open = text.lastIndexOf("[");
  if (open > 0) return undefined;
  if (open === 0) {
    const close = text.lastIndexOf("]");
    const inner = text.slice(1, close);
    if (close < 0 || !isPort(text.slice(close + 1)) || !isIpv6(inner.split("%25", 1)[0] as string)) return undefined;
    return unescapeBytes(text, "host");
  }
  const strict = scheme === "http" || scheme === "https";
  const colon = strict ? text.indexOf(":") : text.lastIndexOf(":");
  if (colon >= 0 && !isPort(text.slice(colon))) return undefined;
  return unescapeBytes(text, "host");
}

function isIpv6(text: string): boolean {
  const halves = text.split("::");
  if (halves.length > 2) return false;
  const groups = halves.flatMap((half) => (half === "" ? [] : half.split(":")));
  const last = groups.at(-1) ?? "";
  const embedded = /^\d{1,3}(\.\d{1,3}){3}$/.test(last) && last.split(".").every((byte) => Number(byte) < 256);
  const count = groups.length + (embedded ? 1 : 0);
  const plain = embedded ? groups.slice(0, -1) : groups;
  return plain.every((g) => /^[0-9a-fA-F]{1,4}$/.test(g)) && (halves.length === 2 ? count < 8 : count === 8);
}

/** The user part as it is written back; undefined when it is malformed. */
function readUser(text: string): string | undefined {
  if (!/^[A-Za-z0-9\-._:~!$&'()*+,;=%@]*$/.test(text)) return undefined;
  const colon = text.indexOf(":");
  const parts = colon < 0 ? [text] : [text.slice(0, colon), text.slice(colon + 1)];
  const decoded = parts.map((part) => unescapeBytes(part, "user"));
  if (decoded.includes(undefined)) return undefined;
  return decoded.map((part) => escapeBytes(part as string, "user")).join(":");
}

function cut(text: string, separator: string): readonly [string, string] {
  const at = text.indexOf(separator);
  return at < 0 ? [text, ""] : [text.slice(0, at), text.slice(at + separator.length)];
}

function hasControl(text: string): boolean {
  return [...text].some((char) => char < " " || char === "\x7f");
}

/** The parts of a URL; `undefined` for a text that is not a URL. */
export function parseUrl(text: string): GoUrl | undefined {
  const [whole, rawFragment] = cut(toByteText(text), "#");
  if (hasControl(whole)) return undefined;
  const fragment = escapable(rawFragment, "fragment");
  if (fragment === undefined) return undefined;
  if (whole.startsWith(":")) return undefined;
  const schemeEnd = /^[A-Za-z][A-Za-z0-9+.-]*:/.exec(whole)?.[0].length ?? 0;
  const scheme = whole.slice(0, Math.max(0, schemeEnd - 1)).toLowerCase();
  const afterScheme = whole.slice(schemeEnd);
  const forceQuery = afterScheme.indexOf("?") === afterScheme.length - 1 && afterScheme !== "";
  const [beforeQuery, rawQuery] = cut(afterScheme, "?");
  const blank = { opaque: "", user: undefined, host: "", path: "", rawPath: "", escapedPath: "", omitHost: false };
  const common = {
    ...blank,
    scheme,
    forceQuery,
    rawQuery: fromByteText(rawQuery),
    fragment: fromByteText(fragment.decoded),
    rawFragment: fromByteText(fragment.raw),
    escapedFragment: fragment.escaped,
  };
  if (whole === "*") return { ...common, path: "*", escapedPath: "*" };
  if (!beforeQuery.startsWith("/")) {
    if (scheme !== "") return { ...common, opaque: fromByteText(beforeQuery) };
    if (cut(beforeQuery, "/")[0].includes(":")) return undefined;
  }
  const hasAuthority = beforeQuery.startsWith("//") && (scheme !== "" || !beforeQuery.startsWith("///"));
  const slash = hasAuthority ? beforeQuery.indexOf("/", 2) : 0;
  const pathStart = hasAuthority ? (slash < 0 ? beforeQuery.length : slash) : 0;
  const authority = hasAuthority ? beforeQuery.slice(2, pathStart) : "";
  const at = authority.lastIndexOf("@");
  const host = readHost(scheme, authority.slice(at + 1));
  const user = at < 0 ? undefined : readUser(authority.slice(0, at));
  const path = escapable(beforeQuery.slice(pathStart), "path");
  if (host === undefined || path === undefined || (at >= 0 && user === undefined)) return undefined;
  return {
    ...common,
    user,
    host: fromByteText(host),
    path: fromByteText(path.decoded),
    rawPath: fromByteText(path.raw),
    escapedPath: path.escaped,
    omitHost: !hasAuthority && scheme !== "" && beforeQuery.startsWith("/"),
  };
}

/** The URL as text, in the form that Go's `URL.String` gives. */
export function formatUrl(url: GoUrl): string {
  let out = url.scheme === "" ? "" : `${url.scheme}:`;
  if (url.opaque !== "") out += url.opaque;
  else {
    const authority = url.scheme !== "" || url.host !== "" || url.user !== undefined;
    if (authority && !(url.omitHost && url.host === "" && url.user === undefined)) {
      if (url.host !== "" || url.path !== "" || url.user !== undefined) out += "//";
      if (url.user !== undefined) out += `${url.user}@`;
      out += escapeBytes(toByteText(url.host), "host");
    }
    if (url.escapedPath !== "" && !url.escapedPath.startsWith("/") && url.host !== "") out += "/";
    if (out === "" && cut(url.escapedPath, "/")[0].includes(":")) out += "./";
    out += url.escapedPath;
  }
  if (url.forceQuery || url.rawQuery !== "") out += `?${url.rawQuery}`;
  return url.fragment === "" ? out : `${out}#${url.escapedFragment}`;
}

/** A path without `.` and `..`, RFC 3986 section 5.2.4, relative to the folder of `base`. */
function resolvePath(base: string, path: string): string {
  const full = path === "" ? base : path.startsWith("/") ? path : base.slice(0, base.lastIndexOf("/") + 1) + path;
  if (full === "") return "";
  const parts = full.replace(/^\//, "").split("/");
  const kept: string[] = [];
  for (const part of parts) {
    if (part === "..") kept.pop();
    else if (part !== ".") kept.push(part);
  }
  const last = parts.at(-1);
  if (last === "." || last === "..") kept.push("");
  return `/${kept.join("/").replace(/^\/+/, "")}`;
}

/** A reference resolved against `base`, RFC 3986 section 5.2.2. */
export function resolveUrl(base: GoUrl, reference: GoUrl): GoUrl | undefined {
  const absolute = reference.scheme !== "" || reference.host !== "" || reference.user !== undefined;
  const scheme = reference.scheme === "" ? base.scheme : reference.scheme;
  const withPath = (from: GoUrl, path: string): GoUrl | undefined => {
    const set = escapable(path, "path");
    return (
      set && { ...from, path: fromByteText(set.decoded), rawPath: fromByteText(set.raw), escapedPath: set.escaped }
    );
  };
  if (absolute) return withPath({ ...reference, scheme }, resolvePath(reference.escapedPath, ""));
  if (reference.opaque !== "")
    return { ...reference, scheme, user: undefined, host: "", path: "", rawPath: "", escapedPath: "" };
  const same = reference.path === "" && !reference.forceQuery && reference.rawQuery === "";
  const target = { ...reference, scheme, ...(same ? { rawQuery: base.rawQuery } : {}) };
  if (same && reference.fragment === "") {
    Object.assign(target, {
      fragment: base.fragment,
      rawFragment: base.rawFragment,
      escapedFragment: base.escapedFragment,
    });
  }
  if (reference.path === "" && base.opaque !== "") return { ...target, opaque: base.opaque, user: undefined, host: "" };
  const path = resolvePath(base.escapedPath, reference.escapedPath);
  return withPath({ ...target, host: base.host, user: base.user, omitHost: base.omitHost && target.omitHost }, path);
}
