/** Paths and bodies of requests: which are read, and where a path's one spelling is. What OPA and Go answer is expected. */
import { Readable } from "node:stream";
import { gzipSync } from "node:zlib";
import { bodyOf, Refused, sentBytes } from "../../../compiler/enforcement/serving/request-body.ts";
import { redirectOf, targetOf } from "../../../compiler/enforcement/serving/request-path.ts";
import { type Check, same } from "./check.ts";

export function requestChecks(): readonly Check[] {
  return [
    { what: "paths that are read", run: targets },
    { what: "paths with another spelling", run: redirects },
    { what: "bodies that are read", run: bodies },
    { what: "bodies that are refused", run: refused },
  ];
}

function targets(): void {
  const read = (target: string): unknown => {
    const found = targetOf(target);
    return found && [found.path, [...found.parameters]];
  };
  same("a path", read("/a/b%2Fc?d=e%20f&d=g?h"), [
    ["a", "b/c"],
    [
      ["d", "e f"],
      ["d", "g?h"],
    ],
  ]);
  same("none", read(""), [[""], []]);
  same("only a query", read("?a=b"), [[""], [["a", "b"]]]);
  same("the root", read("/"), [[""], []]);
  for (const odd of ["*", "a", "/%zz", "/%ff", "/a?%zz", "/a?b=%ff"]) same(odd, read(odd), undefined);
}

function redirects(): void {
  for (const target of ["/", "/a", "/a/b", "/a.b/..c", "/a/...", "/a?b=//c", "/?a"])
    same(target, redirectOf(target, "GET"), undefined);
  for (const [target, status, location] of [
    ["", 307, "/"],
    ["?a=b", 307, "/?a=b"],
    ["//", 307, "/"],
    ["//a", 307, "/a"],
    ["/a//b?c=d?e", 307, "/a/b?c=d?e"],
    ["/./a", 307, "/a"],
    ["/a/../b", 307, "/b"],
    ["/../a", 307, "/a"],
    ["/a/..", 307, "/"],
    ["/a/.", 307, "/a"],
    ["/a//b/", 307, "/a/b/"],
    ["/a/", 301, "/a"],
    ["/a/?b=c", 301, "/a"],
    ["//\\a", 307, "/%5Ca"],
    ["/./<&>\"'", 307, "/<&>\"'"],
  ] as const) {
    const [get, post] = ["GET", "POST"].map((method) => redirectOf(target, method));
    same(target, [get?.status, get?.headers, post?.status, post?.body], [status, { Location: location }, status, ""]);
    const said = status === 301 ? "Moved Permanently" : "Temporary Redirect";
    const href = location.replace(/[&<>"']/g, (one) => `&#${one.charCodeAt(0)};`);
    same(`${target} as a page`, get?.body, `<a href="${href}">${said}</a>.\n\n`);
    same("its type", get?.contentType, "text/html; charset=utf-8");
  }
}

type Headers = Readonly<Record<string, string>>;

const sent = (headers: Headers, ...chunks: (string | Buffer)[]): never =>
  Object.assign(Readable.from(chunks.map((one) => Buffer.from(one))), { headers }) as never;

async function bodies(): Promise<void> {
  const read = (headers: Headers, ...chunks: (string | Buffer)[]): Promise<string> =>
    bodyOf(sent(headers, ...chunks), 10);
  same("none", await read({}), "");
  same("one piece", await read({}, "abc"), "abc");
  same("pieces", await read({}, "ab", "c", "\u00e4"), "abc\u00e4");
  same("a character in pieces", await read({}, Buffer.from([0xc3]), Buffer.from([0xa4])), "\u00e4");
  same("as long as may be", await read({ "content-length": "10" }, "0123456", "789"), "0123456789");
  for (const headers of [
    { "transfer-encoding": "Chunked" },
    { "content-encoding": "identity" },
    { "content-encoding": "" },
    { "content-type": "application/json" },
  ] as Headers[])
    same(JSON.stringify(headers), await read(headers, "a"), "a");
  const packed = { "content-encoding": "gzip" };
  const small = (bytes: string): Buffer => gzipSync(bytes);
  same("packed", await bodyOf(sent(packed, small("a".repeat(100))), 100), "a".repeat(100));
  same("two members", await bodyOf(sent(packed, small("a"), small("b")), 100), "ab");
  const one = Buffer.from("abc");
  same("a piece as it is", (await sentBytes(sent({}, one), 3)).toString(), "abc");
}

async function refused(): Promise<void> {
  const asked = async (headers: Headers, most: number, ...chunks: (string | Buffer)[]): Promise<unknown> => {
    try {
      return await bodyOf(sent(headers, ...chunks), most);
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      const { status, body } = error.answer;
      return [status, (JSON.parse(body) as { message: string }).message];
    }
  };
  const tooLong = [413, "the body is larger than 3 bytes"];
  same("said to be too long", await asked({ "content-length": "4" }, 3), tooLong);
  same("too long", await asked({}, 3, "abcd"), tooLong);
  same("too long in pieces", await asked({}, 3, "ab", "cd"), tooLong);
  const not = (what: string): string => `${what} is not supported by \`portcullis serve\``;
  for (const type of ["application/yaml", "text/x-YAML; a=b"])
    same(type, await asked({ "content-type": type }, 9, "a"), [415, not("a body in YAML")]);
  same("a packing", await asked({ "content-encoding": "br" }, 9, "a"), [415, not("the content encoding `br`")]);
  const packed = { "content-encoding": "gzip" };
  const whole = gzipSync("abcd");
  const broken = Buffer.from(whole);
  broken[whole.length - 8] = (broken[whole.length - 8] as number) ^ 1;
  const inner = Buffer.from(whole);
  inner[10] = 0xff;
  for (const [what, bytes, says] of [
    ["nothing", Buffer.alloc(0), "EOF"],
    ["one byte", Buffer.from([0x1f]), "unexpected EOF"],
    ["a part", whole.subarray(0, 12), "unexpected EOF"],
    ["no gzip", Buffer.from("no gzip"), "gzip: invalid header"],
    ["another sum", broken, "gzip: invalid checksum"],
    ["other data", inner, "gzip: invalid data"],
    ["zeros behind it", Buffer.concat([whole, Buffer.alloc(20)]), "gzip: invalid header"],
    // Less than a head, and as much as one.
    ["a byte behind it", Buffer.concat([whole, Buffer.from("x")]), "unexpected EOF"],
    ["something behind it", Buffer.concat([whole, Buffer.from("x".repeat(20))]), "gzip: invalid header"],
  ] as const)
    same(what, await asked(packed, 99, bytes), [400, `could not decompress the body: ${says}`]);
  same("unpacked too long", await asked(packed, 30, gzipSync("a".repeat(31))), [
    413,
    "the body is larger than 30 bytes",
  ]);
  same("no UTF-8", await asked({}, 9, Buffer.from([0xff])), [400, "the body is not valid UTF-8"]);
  same("packed, no UTF-8", await asked(packed, 99, gzipSync(Buffer.from([0xff]))), [
    400,
    "the body is not valid UTF-8",
  ]);
}
