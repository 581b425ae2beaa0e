/** The path of a request: its segments, or where its one spelling is. */

import type { Answer } from "./answer.ts";

/** `undefined` for what cannot be read. Segments are decoded one by one: an escaped slash stays in its segment. */
export function targetOf(
  target: string,
): { readonly path: readonly string[]; readonly parameters: URLSearchParams } | undefined {
  const [path = "", ...rest] = target.split("?");
  const query = rest.join("?");
  if (path !== "" && !path.startsWith("/")) return undefined;
  try {
    // Throws: URLSearchParams takes malformed text for text.
    decodeURIComponent(query);
    return { path: path.slice(1).split("/").map(decodeURIComponent), parameters: new URLSearchParams(query) };
  } catch {
    return undefined;
  }
}

/** As OPA: a path has one spelling, without empty segments and dots. */
export function redirectOf(target: string, method: string): Answer | undefined {
  const [path = "", ...query] = target.split("?");
  // Only a proxy's target has no path at all.
  if (path === "/" || (path !== "" && !/\/\.{0,2}(\/|$)/.test(path))) return undefined;
  const segments: string[] = [];
  for (const segment of path.split("/"))
    if (segment === "..") segments.pop();
    else if (segment !== "" && segment !== ".") segments.push(segment);
  // Browsers take `/\` for `//`, and what follows for a host.
  const clean = `/${segments.join("/")}`.replaceAll("\\", "%5C");
  // Go's server cleans a path first; the slash at its end is taken away after that, and the query with it.
  const isClean = clean !== "/" && path === `${clean}/`;
  const slash = path.endsWith("/") && clean !== "/" ? "/" : "";
  const [status, location] = isClean ? [301, clean] : [307, [clean + slash, ...query].join("?")];
  const said = status === 301 ? "Moved Permanently" : "Temporary Redirect";
  const body = method === "GET" ? `<a href="${escaped(location)}">${said}</a>.\n\n` : "";
  return { status, body, contentType: "text/html; charset=utf-8", headers: { Location: location } };
}

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
