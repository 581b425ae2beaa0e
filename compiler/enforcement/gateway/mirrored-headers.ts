/** Headers that repeat what a message says (Streamable HTTP, revision 2026-07-28): a server may read either, so they must agree. */

import type { IncomingHttpHeaders } from "node:http";
import { isObject, type Request } from "./messages.ts";

/** Why a header says otherwise than its message; `undefined` where none does. A header that is absent says nothing. */
export function mismatch(headers: IncomingHttpHeaders, { method, params = {} }: Request): string | undefined {
  const said = (name: string): string | undefined => {
    const value = headers[name];
    return value === undefined ? undefined : String(value);
  };
  if ((said("mcp-method") ?? method) !== method) return "`Mcp-Method` is another method";
  const name = params["name"] ?? params["uri"];
  const named = said("mcp-name");
  if (named !== undefined && decoded(named) !== name) return "`Mcp-Name` is another name";
  const meta = params["_meta"];
  const revision = isObject(meta) ? meta["io.modelcontextprotocol/protocolVersion"] : undefined;
  const version = said("mcp-protocol-version");
  if (revision !== undefined && version !== undefined && version !== revision)
    return "`MCP-Protocol-Version` is another revision";
  for (const [header, value] of Object.entries(headers))
    if (header.startsWith("mcp-param-") && !holds(params["arguments"], decoded(String(value))))
      return `\`${header}\` is in no argument`;
  return undefined;
}

/** Which header the message needs since revision 2026-07-28, and lacks. */
export function missing(headers: IncomingHttpHeaders, { method, params = {} }: Request): string | undefined {
  if (headers["mcp-method"] === undefined) return "`Mcp-Method` is missing";
  const isNamed = ["tools/call", "resources/read", "prompts/get"].includes(method);
  const name = params["name"] ?? params["uri"];
  return isNamed && name !== undefined && headers["mcp-name"] === undefined ? "`Mcp-Name` is missing" : undefined;
}

/** Whether a value that is neither a list nor an object is this text, however deep it stands. */
function holds(value: unknown, text: string | undefined): boolean {
  if (text === undefined) return false;
  const open: unknown[] = [value];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (typeof next === "object" && next !== null) {
      for (const inner of Object.values(next)) if (inner !== undefined) open.push(inner);
    } else if (String(next) === text || (typeof next === "number" && next === Number(text))) return true;
  }
  return false;
}

/** `=?base64?…?=` stands for a text that a header cannot hold. */
function decoded(value: string): string | undefined {
  const [, packed] = /^=\?base64\?(.*)\?=$/.exec(value) ?? [];
  if (packed === undefined) return value;
  const bytes = Buffer.from(packed, "base64");
  return bytes.toString("base64") === packed ? bytes.toString("utf8") : undefined;
}
