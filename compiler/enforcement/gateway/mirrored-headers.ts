/** Headers that repeat what a message says (Streamable HTTP, revision 2026-07-28): a server may read either, so they must agree. */

import { isUtf8 } from "node:buffer";
import type { IncomingHttpHeaders, IncomingMessage } from "node:http";
import { isJsonObject } from "@portcullis/documents";
import type { Members, Message } from "./messages.ts";

/** Revisions from this one on have no sessions, and repeat in headers what a message says. */
const STATELESS = "2026-07-28";
/** Headers that repeat an argument begin with it. */
const PARAM = "mcp-param-";

/** Whether a header decides, or could be read as one that does: some servers take `_` for `-`. */
function decides(name: string): boolean {
  const plain = name.replaceAll("_", "-");
  return plain.startsWith("mcp-") || ["authorization", "content-type"].includes(plain);
}

/** Why two servers could read the headers of a request differently; `undefined` where all read them alike. */
export function ambiguity({
  headersDistinct,
  headers,
}: Pick<IncomingMessage, "headersDistinct" | "headers">): string | undefined {
  for (const [name, values = []] of Object.entries(headersDistinct)) {
    if (!decides(name)) continue;
    if (name.includes("_")) return `\`${name}\` could be read as another header`;
    if (values.length > 1) return `there are several \`${name}\``;
  }
  const named = (headers.connection ?? "").split(",").map((name) => name.trim().toLowerCase());
  const dropped = named.find(decides);
  if (dropped !== undefined) return `\`Connection\` takes \`${dropped}\` away`;
  const version = headers["mcp-protocol-version"];
  return version === undefined || /^\d{4}-\d{2}-\d{2}$/.test(String(version))
    ? undefined
    : "`MCP-Protocol-Version` is no revision";
}

/** Whether a request is of a revision that has no sessions. */
export function isStateless(headers: IncomingHttpHeaders): boolean {
  return String(headers["mcp-protocol-version"] ?? "") >= STATELESS;
}

/** The revision that a message says it is of. */
function revisionOf(params: Members): unknown {
  const meta = params["_meta"];
  return isJsonObject(meta) ? meta["io.modelcontextprotocol/protocolVersion"] : undefined;
}

/** What `Mcp-Name` repeats: a resource has an address, all else a name. */
function mirroredName(method: string, params: Members): unknown {
  return method.startsWith("resources/") ? params["uri"] : params["name"];
}

/** Why a header says otherwise than its message; `undefined` where none does. A header that is absent says nothing. */
export function mismatch(headers: IncomingHttpHeaders, message: Message): string | undefined {
  const said = (name: string): string | undefined => {
    const value = headers[name];
    return value === undefined ? undefined : String(value);
  };
  const { method, params = {} } = "method" in message ? message : { method: undefined };
  if ((said("mcp-method") ?? method) !== method) return "`Mcp-Method` is another method";
  const named = said("mcp-name");
  if (named !== undefined && (method === undefined || !isSaid(mirroredName(method, params), decoded(named))))
    return "`Mcp-Name` is another name";
  const revision = revisionOf(params);
  if (revision !== undefined && (said("mcp-protocol-version") ?? revision) !== revision)
    return "`MCP-Protocol-Version` is another revision";
  const odd = unrepeated(params["arguments"], headers);
  return odd === undefined ? undefined : `\`${odd}\` is in no argument`;
}

/** Which header the message needs since revision 2026-07-28, and lacks. */
export function missing(headers: IncomingHttpHeaders, message: Message): string | undefined {
  if (!("method" in message)) return undefined;
  const { method, params = {} } = message;
  const isModern = isStateless(headers) || String(revisionOf(params) ?? "") >= STATELESS;
  if (!isModern) return undefined;
  if (headers["mcp-protocol-version"] === undefined) return "`MCP-Protocol-Version` is missing";
  if (headers["mcp-method"] === undefined) return "`Mcp-Method` is missing";
  const isNamed = ["tools/call", "resources/read", "prompts/get"].includes(method);
  const name = mirroredName(method, params);
  return isNamed && name !== undefined && headers["mcp-name"] === undefined ? "`Mcp-Name` is missing" : undefined;
}

/**
 * The first header that does not repeat the argument of its name, or, where no argument has that name, any value in the arguments.
 * Cost: linear in the arguments, however many headers there are.
 */
function unrepeated(args: unknown, headers: IncomingHttpHeaders): string | undefined {
  const said = Object.entries(headers)
    .filter(([header]) => header.startsWith(PARAM))
    .map(([header, value]) => ({ header, text: decoded(String(value)), own: [] as unknown[] }));
  const byName = new Map(said.map(({ header, own }) => [header.slice(PARAM.length), own]));
  for (const [key, value] of isJsonObject(args) ? Object.entries(args) : []) byName.get(key.toLowerCase())?.push(value);
  let held: ReadonlySet<unknown> | undefined;
  const isHeld = (text: string | undefined): boolean => {
    held ??= scalarsIn(args);
    return held.has(text) || (text !== undefined && isNumber(text) && held.has(Number(text)));
  };
  const odd = said.find(({ own, text }) =>
    own.length === 0 ? !isHeld(text) : !own.every((value) => isSaid(value, text)),
  );
  return odd?.header;
}

/** What a value is, or holds however deep, as what is neither a list nor an object; and the texts of these. */
function scalarsIn(value: unknown): ReadonlySet<unknown> {
  const held = new Set<unknown>();
  const open: unknown[] = [value];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (typeof next === "object") for (const inner of Object.values(next ?? {})) open.push(inner);
    else held.add(next).add(String(next));
  }
  return held;
}

/** A number may be written otherwise. */
function isSaid(value: unknown, text: string | undefined): boolean {
  if (typeof value === "object" || value === undefined || text === undefined) return false;
  return String(value) === text || (isNumber(text) && value === Number(text));
}

function isNumber(text: string): boolean {
  return /^-?\d[\d.e+-]*$/i.test(text);
}

/** `=?base64?…?=` stands for a text that a header cannot hold; `undefined` for what readers could decode in different ways. */
function decoded(value: string): string | undefined {
  const [, encoding, packed = ""] = /^=\?(base64)\?(.*)\?=$/i.exec(value) ?? [];
  if (encoding === undefined) return /^[ -~]*$/.test(value) ? value : undefined;
  const bytes = Buffer.from(packed, "base64");
  const isExact = encoding === "base64" && bytes.toString("base64") === packed && isUtf8(bytes);
  return isExact ? bytes.toString("utf8") : undefined;
}
