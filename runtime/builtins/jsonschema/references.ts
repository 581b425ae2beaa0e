/**
 * Where `$ref` leads: every schema with an identifier, and the root, by absolute URL; other places by a JSON pointer
 * (RFC 6901) into one of those. Nothing is ever loaded: a reference that leaves the text is refused.
 */

import { isArray, isObject, type JsonLike, type JsonObject, stringKeyed } from "@portcullis/runtime/host";
import { formatUrl, type GoUrl, parseUrl, resolveUrl } from "../url.ts";
import { type Draft, refuse } from "./schema.ts";

export interface Located {
  readonly document: JsonLike;
  /** Undefined where neither the place nor what it stands in says. */
  readonly draft: Draft | undefined;
}

const drafts: ReadonlyMap<string, Draft> = new Map([
  ["http://json-schema.org/draft-04/schema", 4],
  ["http://json-schema.org/draft-06/schema", 6],
  ["http://json-schema.org/draft-07/schema", 7],
]);

/** The draft that a root schema says it follows. */
export function declaredDraft(document: JsonLike): Draft | undefined {
  if (typeof document === "boolean") return undefined;
  if (!isObject(document)) return refuse("schema is invalid");
  const name = document.get("$schema");
  if (name === undefined) return undefined;
  if (typeof name !== "string") return refuse("$schema must be of type string");
  return drafts.get(formatUrl(parseUrl(name) ?? refuse(`parse ${JSON.stringify(name)}: invalid URL`)));
}

/** Keywords whose values are looked up by name, so that a name in them is not a keyword. */
const named = new Set(["properties", "dependencies", "patternProperties"]);
const literal = new Set(["const", "enum"]);

export class References {
  private readonly places = new Map<string, Located>();
  private readonly targets = new Map<JsonObject, string>();

  constructor(root: JsonLike) {
    const draft = declaredDraft(root);
    this.collect(root, parseUrl("") as GoUrl, draft);
    this.places.set("", { document: root, draft });
  }

  private collect(document: JsonLike, base: GoUrl, draft: Draft | undefined): void {
    if (isArray(document)) for (const item of document) this.collect(item, base, draft);
    if (!isObject(document)) return;
    const here = this.identify(document, base, draft);
    const reference = document.get("$ref");
    const parsed = typeof reference === "string" ? parseUrl(reference) : undefined;
    const target = parsed && this.inherit(here, parsed);
    if (target !== undefined) this.targets.set(document, formatUrl(target));
    for (const [key, value] of stringKeyed(document)) {
      if (literal.has(key)) continue;
      if (!named.has(key)) this.collect(value, here, draft);
      else if (isObject(value)) for (const [, child] of stringKeyed(value)) this.collect(child, here, draft);
    }
  }

  /** Notes a schema's identifier; gives the base of the references in it. */
  private identify(document: JsonObject, base: GoUrl, draft: Draft | undefined): GoUrl {
    const id = document.get(document.has("id") ? "id" : "$id");
    const parsed = typeof id === "string" ? parseUrl(id) : undefined;
    const here = parsed && this.inherit(base, parsed);
    if (here === undefined) return base;
    const name = formatUrl(here);
    if (this.places.has(name)) refuse(`Reference already exists: "${name}"`);
    this.places.set(name, { document, draft });
    return here;
  }

  private inherit(base: GoUrl, reference: GoUrl): GoUrl | undefined {
    return resolveUrl({ ...base, fragment: "", rawFragment: "", escapedFragment: "" }, reference);
  }

  /** The absolute form of a schema's `$ref`. */
  targetOf(document: JsonObject, reference: string): string {
    return this.targets.get(document) ?? reference;
  }

  find(reference: string): Located {
    const place = this.places.get(reference);
    if (place !== undefined) return place;
    const url = parseUrl(reference) ?? refuse(`parse ${JSON.stringify(reference)}: invalid URL`);
    const base = this.places.get(formatUrl({ ...url, fragment: "", rawFragment: "", escapedFragment: "" }));
    if (base === undefined) {
      if (url.scheme === "" || url.host === "") refuse(`Reference ${reference} must be canonical`);
      return refuse(`remote reference loading disabled: ${reference}`);
    }
    const found = { document: pointTo(base.document, url.fragment), draft: base.draft };
    this.places.set(reference, found);
    return found;
  }
}

/** A fragment that is not a pointer leads to the whole document. */
function pointTo(document: JsonLike, pointer: string): JsonLike {
  if (!pointer.startsWith("/")) return document;
  let node = document;
  for (const token of pointer.slice(1).split("/")) {
    const key = token.replaceAll("~1", "/").replaceAll("~0", "~");
    if (isObject(node)) node = node.get(key) ?? (node.has(key) ? null : refuse(`Object has no key '${key}'`));
    else if (isArray(node)) {
      const index = /^[-+]?\d+$/.test(token) ? Number(token) : refuse(`Invalid array index '${token}'`);
      node = node[index] ?? (index in node ? null : refuse(`Out of bound array[0,${node.length}] index '${index}'`));
    } else refuse(`Invalid token reference '${token}'`);
  }
  return node;
}
