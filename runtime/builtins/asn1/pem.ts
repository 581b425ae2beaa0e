/** PEM blocks, RFC 1421, found as leniently as Go's encoding/pem finds them: text around and between is skipped. */

import { fromBase64 } from "../bytes.ts";

export interface PemBlock {
  readonly type: string;
  readonly bytes: Uint8Array;
  /** The text after the block's last line. */
  readonly rest: string;
}

const begin = "-----BEGIN ";
const end = "\n-----END ";

/** A line without its end and trailing blanks, and the text after it. */
function line(text: string): readonly [string, string] {
  const at = text.indexOf("\n");
  const whole = at < 0 ? text : text.slice(0, at);
  return [whole.replace(/[ \t\r]+$/, ""), at < 0 ? "" : text.slice(at + 1)];
}

/** Skips `Name: value` lines; undefined when nothing follows them. */
function skipHeaders(text: string): readonly [rest: string, any: boolean] | undefined {
  let rest = text;
  let any = false;
  while (rest !== "") {
    const [first, next] = line(rest);
    if (!first.includes(":")) return [rest, any];
    any = true;
    rest = next;
  }
  return undefined;
}

function blockAt(text: string): PemBlock | "none" | undefined {
  const [first, body] = line(text);
  if (!first.endsWith("-----")) return undefined;
  const type = first.slice(0, -5);
  const found = skipHeaders(body);
  if (found === undefined) return "none";
  const [rest, any] = found;
  const immediate = !any && rest.startsWith(end.slice(1));
  const endAt = immediate ? 0 : rest.indexOf(end);
  if (endAt < 0) return undefined;
  const trailer = rest.slice(immediate ? end.length - 1 : endAt + end.length);
  const last = `${type}-----`;
  if (!trailer.startsWith(last)) return undefined;
  const [blank, after] = line(trailer.slice(last.length));
  if (blank !== "") return undefined;
  const bytes = fromBase64(rest.slice(0, endAt).replace(/[ \t]/g, ""));
  return bytes === undefined ? undefined : { type, bytes, rest: after };
}

/** The first block of a text; `undefined` without a block. */
export function readPem(text: string): PemBlock | undefined {
  let rest = text;
  for (;;) {
    if (rest.startsWith(begin)) rest = rest.slice(begin.length);
    else {
      const at = rest.indexOf(`\n${begin}`);
      if (at < 0) return undefined;
      rest = rest.slice(at + 1 + begin.length);
    }
    const block = blockAt(rest);
    if (block === "none") return undefined;
    if (block !== undefined) return block;
  }
}
