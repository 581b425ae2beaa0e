/** The body of a request: so much of it, unpacked, as text. */

import { isUtf8 } from "node:buffer";
import type { IncomingMessage } from "node:http";
import { promisify } from "node:util";
import { gunzip } from "node:zlib";
import { Gathered } from "../http/index.ts";
import { type Answer, problem, unsupported } from "./answer.ts";

/** With `info`, which Node's types do not know. */
const unzip = promisify(gunzip) as unknown as (
  packed: Buffer,
  options: { readonly maxOutputLength: number; readonly info: true },
) => Promise<{ readonly buffer: Buffer; readonly engine: { readonly bytesWritten: number } }>;

/** Thrown for a request that ends here, with what is left of its body. */
export class Refused extends Error {
  readonly answer: Answer;

  constructor(answer: Answer) {
    super(answer.body);
    this.answer = answer;
  }
}

/** What Go says where zlib says that. */
const GZIP_PROBLEMS: { readonly [message: string]: string } = {
  "unexpected end of file": "unexpected EOF",
  "incorrect header check": "gzip: invalid header",
  "incorrect data check": "gzip: invalid checksum",
};

function tooLarge(most: number): Refused {
  return new Refused(problem(413, "invalid_parameter", `the body is larger than ${most} bytes`));
}

/** The body as it is sent. Throws Refused for one that is too large. */
export async function sentBytes(request: IncomingMessage, most: number): Promise<Buffer> {
  if (Number(request.headers["content-length"] ?? 0) > most) throw tooLarge(most);
  const body = new Gathered();
  for await (const chunk of request as AsyncIterable<Buffer>) {
    if (body.size + chunk.length > most) throw tooLarge(most);
    body.add(chunk);
  }
  return body.bytes;
}

/** The body as text. Throws Refused for one that is too large, not UTF-8, or packed in a way that is not known. */
export async function bodyOf(request: IncomingMessage, most: number): Promise<string> {
  const type = request.headers["content-type"] ?? "";
  if (/yaml/i.test(type)) throw new Refused(unsupported("a body in YAML", 415));
  const encoding = request.headers["content-encoding"] || "identity";
  if (encoding !== "identity" && encoding !== "gzip")
    throw new Refused(unsupported(`the content encoding \`${encoding}\``, 415));
  let bytes = await sentBytes(request, most);
  if (encoding === "gzip") {
    try {
      const { buffer, engine } = await unzip(bytes, { maxOutputLength: most, info: true });
      // zlib passes over what is behind the last member.
      if (engine.bytesWritten < bytes.length) throw new Error("incorrect header check");
      bytes = buffer;
    } catch (error) {
      if ((error as { code?: unknown }).code === "ERR_BUFFER_TOO_LARGE") throw tooLarge(most);
      const why = bytes.length === 0 ? "EOF" : (GZIP_PROBLEMS[(error as Error).message] ?? "gzip: invalid data");
      throw new Refused(problem(400, "invalid_parameter", `could not decompress the body: ${why}`));
    }
  }
  // A decoder that refuses takes several times as long.
  if (!isUtf8(bytes)) throw new Refused(problem(400, "invalid_parameter", "the body is not valid UTF-8"));
  return bytes.toString("utf8");
}
