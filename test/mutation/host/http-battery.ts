/** Who asks the gateway over HTTP, what its headers say, and which sessions and tools there are: without a socket. */
import { createHmac, generateKeyPairSync, sign } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { jwtIdentity, readIdentity } from "../../../compiler/enforcement/gateway/identity.ts";
import { keySet } from "../../../compiler/enforcement/gateway/key-set.ts";
import { ambiguity, isStateless, mismatch, missing } from "../../../compiler/enforcement/gateway/mirrored-headers.ts";
import { OuterMembers } from "../../../compiler/enforcement/gateway/outer-members.ts";
import { acceptPins, Pins } from "../../../compiler/enforcement/gateway/pins.ts";
import { Sessions } from "../../../compiler/enforcement/gateway/sessions.ts";
import { type Check, same } from "./check.ts";

export function checks(): readonly Check[] {
  return [
    { what: "words of an identity", run: words },
    { what: "tokens", run: tokens },
    { what: "keys of tokens", run: keysOfTokens },
    { what: "times of tokens", run: times },
    { what: "remembered tokens", run: remembered },
    { what: "callers of tokens", run: callers },
    { what: "key sets", run: keySets },
    { what: "key sets of servers", run: fetchedKeys },
    { what: "sessions", run: sessions },
    { what: "idle sessions", run: idle },
    { what: "unclear headers", run: ambiguities },
    { what: "mirrored headers", run: mirrored },
    { what: "missing headers", run: lacking },
    { what: "outer members", run: outer },
    { what: "pins", run: pins },
    { what: "accepted pins", run: accepted },
  ];
}

const NOW = 1_800_000_000;
const GIVEN = { role: "R", lane: "L", scope: { run: "r" }, flags: [] };
const ec = generateKeyPairSync("ec", { namedCurve: "P-256" });
const rsa = generateKeyPairSync("rsa", { modulusLength: 2048 });
const weak = generateKeyPairSync("rsa", { modulusLength: 1024 });
type Json = Readonly<Record<string, unknown>>;
const jwk = (key: typeof ec, more: Json = {}): Json => ({
  ...(key.publicKey.export({ format: "jwk" }) as Json),
  ...more,
});
const part = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString("base64url");
const CLAIMS = { iss: "i", sub: "s", aud: "a", exp: NOW + 60, role: "W", lane: "D", story: "1" };
function token(claims: Json = CLAIMS, head: Json = {}, key = ec): string {
  const signed = `${part({ alg: key === ec ? "ES256" : "RS256", kid: "e", ...head })}.${part(claims)}`;
  const signature = sign("sha256", Buffer.from(signed), { key: key.privateKey, dsaEncoding: "ieee-p1363" });
  return `${signed}.${signature.toString("base64url")}`;
}
const WORDS = { jwks: "k", scope: new Map() };
async function valid(text: string, keys: readonly Json[] = [jwk(ec, { kid: "e" })], given: object = {}, now = NOW) {
  const found = jwtIdentity(
    { ...WORDS, ...given },
    GIVEN,
    async () => keys,
    () => now * 1000,
  );
  return found.callerOf(text);
}
const isValid = async (...given: Parameters<typeof valid>): Promise<boolean> => (await valid(...given)) !== undefined;

function words(): void {
  const read = (text: string): unknown => {
    const found = readIdentity(text);
    return found.ok ? { ...found.value, scope: [...found.value.scope] } : found.problem.message;
  };
  same("all", read("jwks=k, role = r,lane=l,issuer=i=j,audience=a,scope.x=y,scope.z=w"), {
    ...{ role: "r", lane: "l", issuer: "i=j", audience: "a", jwks: "k" },
    scope: [
      ["x", "y"],
      ["z", "w"],
    ],
  });
  same("keys alone", read("jwks=k"), { jwks: "k", scope: [] });
  same("no keys", read("role=r"), "`--identity` needs `jwks=FILE` or `jwks=URL`");
  for (const odd of [
    "jwks",
    "jwksx",
    "=k",
    "jwks=",
    "jwks=a,jwks=b",
    "jwks=a,roles=b",
    "jwks=a,scope.=b",
    "jwks=a,scope=b",
    "jwks=a,scope..x=b",
    "jwks=a,xscope.y=b",
    "",
  ])
    same(odd, typeof read(odd), "string");
}

async function tokens(): Promise<void> {
  const good = token();
  same("a token", await isValid(`Bearer ${good}`), true);
  for (const odd of [good, `bearer  ${good}`, `BEARER ${good}`])
    same(odd.slice(0, 9), await isValid(odd), odd !== good);
  const [head, body, signature] = good.split(".");
  for (const odd of [
    "Bearer x",
    `Basic ${good}`,
    `Bearer ${head}.${body}`,
    `Bearer ${good}.x`,
    `xBearer ${good}`,
    `Bearer ${good} x`,
  ])
    same(odd.slice(0, 12), await isValid(odd), false);
  same("no header", await isValid(undefined as never), false);
  same("another body", await isValid(`Bearer ${head}.${part({ ...CLAIMS, sub: "t" })}.${signature}`), false);
  same("no JSON", await isValid(`Bearer ${head}.eA.${signature}`), false);
  same("a list", await isValid(`Bearer ${part([1])}.${body}.${signature}`), false);
  for (const odd of [[], null, 7]) same(`claims ${odd}`, await isValid(`Bearer ${token(odd as never)}`), false);
  const exact = exactly(16_384);
  same("16,384 characters", [exact.length, await isValid(`Bearer ${exact}`)], [16_384, true]);
  const over = exactly(16_385);
  same("16,385 characters", [over.length, await isValid(`Bearer ${over}`)], [16_385, false]);
}

/** A token of this length: its head and its claims take up any. */
function exactly(length: number): string {
  for (let head = 0; head < 4; head++) {
    const shorter = token({ ...CLAIMS, pad: "" }, { pad: "x".repeat(head) }).length;
    for (let pad = Math.floor(((length - shorter) * 3) / 4) - 3; pad < length; pad++) {
      const text = token({ ...CLAIMS, pad: "x".repeat(pad) }, { pad: "x".repeat(head) });
      if (text.length === length) return text;
      if (text.length > length) break;
    }
  }
  throw new Error(`no token has ${length} characters`);
}

async function keysOfTokens(): Promise<void> {
  const good = `Bearer ${token()}`;
  const nameless = `Bearer ${token(CLAIMS, { kid: undefined })}`;
  const key = jwk(ec, { kid: "e" });
  for (const [what, keys, by, expected] of [
    ["its name", [jwk(rsa, { kid: "r" }), key], good, true],
    ["no such name", [jwk(ec, { kid: "f" })], good, false],
    ["no keys", [], good, false],
    ["two of the name", [key, jwk(rsa, { kid: "e" })], good, false],
    ["no name, one key", [key], nameless, true],
    ["no name, two keys", [key, jwk(rsa, { kid: "r" })], nameless, false],
    ["its use", [{ ...key, use: "sig" }], good, true],
    ["another use", [{ ...key, use: "enc" }], good, false],
    ["its algorithm", [{ ...key, alg: "ES256" }], good, true],
    ["another algorithm", [{ ...key, alg: "RS256" }], good, false],
    ["no type", [{ ...key, kty: undefined }], good, false],
    ["a key of another kind", [jwk(rsa, { kid: "e" })], good, false],
    ["a weak key", [jwk(weak, { kid: "e" })], `Bearer ${token(CLAIMS, {}, weak)}`, false],
    ["a strong key", [jwk(rsa, { kid: "e" })], `Bearer ${token(CLAIMS, {}, rsa)}`, true],
    ["an extension", [key], `Bearer ${token(CLAIMS, { crit: [] })}`, false],
    ["no algorithm", [key], `Bearer ${token(CLAIMS, { alg: "none" })}`, false],
    [
      "a secret",
      [{ kty: "oct", kid: "e", k: part("x".repeat(40)) }],
      `Bearer ${token(CLAIMS, { alg: "HS256" })}`,
      false,
    ],
  ] as const)
    same(what, await isValid(by, keys), expected);
  const secret = { kty: "oct", kid: "e", k: Buffer.from("x".repeat(64)).toString("base64url") };
  const signed = `${part({ alg: "HS256", kid: "e" })}.${part(CLAIMS)}`;
  const mac = createHmac("sha256", "x".repeat(64)).update(signed).digest("base64url");
  same("a right secret", await isValid(`Bearer ${signed}.${mac}`, [secret]), false);
  const asked: boolean[] = [];
  const fresh = jwtIdentity(
    WORDS,
    GIVEN,
    async (isFresh) => {
      asked.push(isFresh);
      return isFresh ? [key] : [];
    },
    () => NOW * 1000,
  );
  same("a fresh key", [(await fresh.callerOf(good)) !== undefined, asked], [true, [false, true]]);
}

async function times(): Promise<void> {
  const at = async (claims: Json, given: object = {}): Promise<boolean> =>
    isValid(`Bearer ${token({ ...CLAIMS, ...claims })}`, undefined, given);
  for (const [claims, expected] of [
    [{ exp: NOW - 29 }, true],
    [{ exp: NOW - 30 }, false],
    [{ exp: "9999999999" }, false],
    [{ exp: undefined }, false],
    [{ nbf: NOW + 30 }, true],
    [{ nbf: NOW + 31 }, false],
    [{ nbf: "0" }, false],
    [{ sub: "" }, false],
    [{ sub: undefined }, false],
    [{ sub: 1 }, false],
  ] as const)
    same(JSON.stringify(claims), await at(claims), expected);
  same("its issuer", [await at({}, { issuer: "i" }), await at({}, { issuer: "j" })], [true, false]);
  for (const [aud, expected] of [
    ["a", true],
    [["b", "a"], true],
    [["b"], false],
    ["b", false],
    [undefined, false],
    ["xax", false],
  ] as const)
    same(JSON.stringify(aud), await at({ aud }, { audience: "a" }), expected);
  same("no audience asked", await at({ aud: undefined }), true);
}

async function remembered(): Promise<void> {
  let [keys, now, verified] = [[jwk(ec, { kid: "e" })] as readonly Json[], NOW, 0];
  const found = jwtIdentity(
    WORDS,
    GIVEN,
    async () => keys,
    () => now * 1000,
  );
  const counting = new Proxy(keys[0] as object, {
    get: (of, name) => {
      if (name === "kty") verified++;
      return Reflect.get(of, name);
    },
  });
  keys = [counting as Json];
  const ask = async (claims: Json = CLAIMS): Promise<boolean> =>
    (await found.callerOf(`Bearer ${made.get(JSON.stringify(claims)) ?? make(claims)}`)) !== undefined;
  const made = new Map<string, string>();
  const make = (claims: Json): string => {
    const text = token(claims);
    made.set(JSON.stringify(claims), text);
    return text;
  };
  await ask();
  const once = verified;
  same("remembered", [once > 0, await ask(), verified === once], [true, true, true]);
  keys = [];
  same("its key is gone", await ask(), false);
  keys = [counting as Json];
  same("its key is back", await ask(), true);
  const before = verified;
  await ask();
  same("remembered again", verified, before);
  now = NOW + 91;
  same("over", await ask(), false);
  now = NOW;
  const again = verified;
  same("forgotten when it was over", [await ask(), verified > again], [true, true]);
  for (let i = 0; i < 999; i++) await ask({ ...CLAIMS, jti: i });
  const full = verified;
  await ask();
  same("a thousand are kept", verified, full);
  await ask({ ...CLAIMS, jti: "one more" });
  const cleared = verified;
  await ask();
  same("one more is too many", verified > cleared, true);
}

async function callers(): Promise<void> {
  const of = async (given: object, claims: Json = {}) => {
    const found = await valid(`Bearer ${token({ ...CLAIMS, ...claims })}`, undefined, given);
    return found && [found.caller, JSON.parse(found.principal)];
  };
  same("given", await of({}), [GIVEN, ["i", "s", "R", "L", []]]);
  const asked = { role: "role", lane: "lane", scope: new Map([["story_id", "story"]]) };
  const scope = { run: "r", story_id: "1" };
  same("claimed", await of(asked), [
    { ...GIVEN, role: "W", lane: "D", scope },
    ["i", "s", "W", "D", [["story_id", "1"]]],
  ]);
  for (const claim of ["role", "lane", "story"])
    for (const odd of [undefined, "", 7, ["W"]]) same(`${claim} ${odd}`, await of(asked, { [claim]: odd }), undefined);
  same("inherited", await of({ role: "toString" }), undefined);
}

async function keySets(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "portcullis-keys-"));
  try {
    const file = join(folder, "jwks.json");
    let now = 0;
    const set = (keys: unknown): void => writeFileSync(file, JSON.stringify({ keys }));
    const keys = keySet(file, () => now);
    const count = (fresh: boolean): Promise<unknown> =>
      keys(fresh).then(
        (found) => found.length,
        () => "lost",
      );
    same("no file", [await count(false), await count(true)], ["lost", "lost"]);
    set([{ a: 1 }, 7, null, [], { b: 1 }]);
    same("objects alone", await count(false), 2);
    set([{}]);
    const at = async (time: number, fresh: boolean): Promise<unknown> => {
      now = time;
      return count(fresh);
    };
    same("twice a minute", [await at(29_999, true), await at(30_000, true)], [2, 1]);
    set([{}, {}]);
    same("ten minutes", [await at(629_999, false), await at(630_000, false)], [1, 2]);
    set([{}, {}, {}]);
    same("a clock set back", await at(600_000, false), 3);
    writeFileSync(file, '{ "keys": {} }');
    const first = 1_200_000;
    same("a failure", await at(first, false), 3);
    set([{}]);
    same("is tried again soon", [await at(first + 29_999, false), await at(first + 30_000, false)], [3, 1]);
    const read = first + 30_000;
    for (const odd of ["[]", "null", "x"]) {
      writeFileSync(file, odd);
      same(odd, await at(now + 600_000, false), 1);
    }
    same("nearly an hour", await at(read + 3_599_999, false), 1);
    same("an hour and half a minute", await at(read + 3_629_999, false), "lost");
    same("and after it", await at(read + 3_630_000, false), "lost");
    set([{}, {}]);
    same("back", await at(read + 3_630_001, false), 2);
    const once = await keys(false);
    same("one array for one reading", (await keys(false)) === once, true);
    writeFileSync(file, "x");
    let later = 0;
    const exact = keySet(file, () => later);
    set([{}]);
    same("read", (await exact(false)).length, 1);
    writeFileSync(file, "x");
    later = 3_600_000;
    same("an hour to the millisecond", await exact(false).catch(() => "lost"), "lost");
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function fetchedKeys(): Promise<void> {
  let asked = 0;
  const paths: Record<string, RequestListener> = {
    "/keys": (_, response) => void response.end('{"keys":[{}]}'),
    "/moved": (_, response) => void response.writeHead(302, { location: "/keys" }).end(),
    "/none": (_, response) => void response.writeHead(404).end('{"keys":[{}]}'),
    "/most": (_, response) => void response.end(padded(1024 * 1024)),
    "/more": (_, response) => void response.end(padded(1024 * 1024 + 1)),
  };
  const server = createServer((request, response) => {
    asked++;
    paths[request.url ?? ""]?.(request, response);
  });
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  const port = (server.address() as AddressInfo).port;
  const got = (url: string): Promise<unknown> =>
    keySet(url)(false).then(
      (keys) => keys.length,
      () => "refused",
    );
  try {
    for (const [path, expected] of Object.entries({
      "/keys": 1,
      "/moved": "refused",
      "/none": "refused",
      "/most": 1,
      "/more": "refused",
    }))
      same(path, await got(`http://127.0.0.1:${port}${path}`), expected);
    same("of this machine, by name", await got(`http://localhost:${port}/keys`), 1);
    const before = asked;
    const far = await keySet("http://192.0.2.1/keys")(false).catch((error: Error) => error.message);
    same("elsewhere", [far, asked], ["keys come over TLS, or from this machine", before]);
    const tls = await keySet("https://127.0.0.2:1/keys")(false).catch((error: Error) => error.message);
    same("over TLS", tls === far, false);
    const shared = keySet(`http://127.0.0.1:${port}/keys`);
    const all = await Promise.all([shared(false), shared(true), shared(false)]);
    same("asked once", [new Set(all).size, asked - before], [1, 1]);
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

function padded(length: number): string {
  const start = '{"keys":[{}],"pad":"';
  return `${start}${"x".repeat(length - start.length - 2)}"}`;
}

function sessions(): void {
  const ended: string[] = [];
  const of = new Sessions(
    { most: 2, idleMs: 100 },
    (id) => ended.push(id),
    () => 0,
  );
  same("room", [of.reserve(), of.reserve(), of.reserve()], [true, true, false]);
  of.opened();
  same("room again", [of.reserve(), of.reserve()], [true, false]);
  of.opened();
  of.opened();
  of.open("a", "one");
  same("a session", [of.size, of.use("a", "one"), of.use("a", "two"), of.use("b", "one")], [1, true, false, false]);
  of.open("a", "two");
  same("its opener's still", [of.use("a", "two"), of.use("a", "one")], [false, true]);
  same("one more", [of.reserve(), of.reserve()], [true, false]);
  of.opened();
  of.close("a");
  of.close("a");
  of.release("a");
  same("closed", [of.size, of.use("a", "one"), ended], [0, false, ["a"]]);
  same("without a clock", new Sessions({ most: 1, idleMs: 1e9 }, () => {}).size, 0);
}

function idle(): void {
  const ended: string[] = [];
  let now = 0;
  const of = new Sessions(
    { most: 9, idleMs: 100 },
    (id) => ended.push(id),
    () => now,
  );
  for (const id of ["a", "b", "c"]) of.open(id, "p");
  now = 50;
  same("in use", of.use("a", "p"), true);
  now = 99;
  same("not yet", of.size, 3);
  of.use("b", "p");
  of.release("b");
  now = 100;
  same("c is idle", [of.size, ended], [2, ["c"]]);
  now = 150;
  same("a is in use", [of.size, ended], [2, ["c"]]);
  of.use("a", "p");
  of.release("a");
  now = 200;
  same("b is idle, and a is still in use", [of.size, ended], [1, ["c", "b"]]);
  of.release("a");
  now = 299;
  same("a was used", of.size, 1);
  now = 300;
  same("a is idle", [of.use("a", "p"), ended], [false, ["c", "b", "a"]]);
}

function ambiguities(): void {
  const of = (distinct: Readonly<Record<string, readonly string[]>>): string | undefined =>
    ambiguity({
      headersDistinct: distinct as never,
      headers: Object.fromEntries(Object.entries(distinct).map(([name, values]) => [name, values.join(", ")])),
    });
  same("plain", of({ accept: ["a", "b"], x_y: ["1"], "mcp-name": ["n"], authorization: ["a"] }), undefined);
  for (const name of ["authorization", "content-type", "mcp-session-id", "mcp-name", "mcp-param-x"]) {
    same(name, of({ [name]: ["a", "b"] }), `there are several \`${name}\``);
    same(`without ${name}`, of({ connection: [`x, ${name.toUpperCase()}`] }), `\`Connection\` takes \`${name}\` away`);
    same(
      `${name}_`,
      of({ [name.replace("-", "_")]: ["a"] }),
      name.includes("-") ? `\`${name.replace("-", "_")}\` could be read as another header` : undefined,
    );
  }
  same("kept alive", of({ connection: ["keep-alive, x-other"] }), undefined);
  for (const [version, expected] of [
    ["2026-07-28", undefined],
    ["2026-07-28, 2025-11-25", "`MCP-Protocol-Version` is no revision"],
    ["x2026-07-28", "`MCP-Protocol-Version` is no revision"],
    ["", "`MCP-Protocol-Version` is no revision"],
  ] as const)
    same(version, of({ "mcp-protocol-version": [version] }), expected);
  same(
    "stateless",
    ["2026-07-28", "2026-07-27", "2027-01-01"].map((v) => isStateless({ "mcp-protocol-version": v })),
    [true, false, true],
  );
  same("of no revision", isStateless({}), false);
}

const REVISION = "io.modelcontextprotocol/protocolVersion";
const asking = (method: string, params?: Json) => ({
  jsonrpc: "2.0" as const,
  id: 1,
  method,
  ...(params ? { params } : {}),
});

function mirrored(): void {
  const call = asking("tools/call", {
    ...{ name: "t", uri: "u", _meta: { [REVISION]: "2026-07-28" } },
    arguments: { region: "eu", n: 42, deep: [{ flag: true, none: null, text: "x" }], list: ["in"] },
  });
  const of = (headers: Record<string, string>, message: object = call): boolean =>
    mismatch(headers, message as never) === undefined;
  const answer = { jsonrpc: "2.0", id: 1, result: {} };
  for (const [headers, message, expected] of [
    [{}, call, true],
    [{ "mcp-method": "tools/call", "mcp-name": "t", "mcp-protocol-version": "2026-07-28" }, call, true],
    [{ "mcp-method": "tools/list" }, call, false],
    [{ "mcp-name": "u" }, call, false],
    [{ "mcp-name": "=?base64?dA==?=" }, call, true],
    [{ "mcp-name": "=?base64?dA=?=" }, call, false],
    [{ "mcp-name": "x=?base64?dA==?=" }, call, false],
    [{ "mcp-protocol-version": "2025-11-25" }, call, false],
    [{ "mcp-protocol-version": "2025-11-25" }, asking("ping"), true],
    [{ "mcp-protocol-version": "2025-11-25" }, asking("ping", { _meta: 7 }), true],
    [{ "mcp-method": "ping" }, asking("ping"), true],
    [{ "mcp-name": "x" }, asking("ping"), false],
    [{ "mcp-name": "undefined" }, asking("ping"), false],
    [{ "mcp-name": "=?base64?x?=" }, asking("ping"), false],
    [{ "mcp-name": "u" }, asking("resources/read", { uri: "u", name: "n" }), true],
    [{ "mcp-name": "n" }, asking("resources/read", { uri: "u", name: "n" }), false],
    [{ "mcp-method": "ping" }, answer, false],
    [{ "mcp-name": "x" }, answer, false],
    [{}, answer, true],
    ...(
      [
        ["region", "eu", true],
        ["region", "x", false],
        ["other", "eu", true],
        ["other", "x", true],
        ["other", "true", true],
        ["other", "in", true],
        ["other", "y", false],
        ["other", "[object Object]", false],
        ["deep", "x", false],
        ["deep", "[object Object]", false],
        ["list", "in", false],
        ["n", "42", true],
        ["n", "42.0", true],
        ["n", "4.2e1", true],
        ["n", "0x2a", false],
        ["n", "x42", false],
        ["n", "43", false],
        ["n", "=?base64?NDI=?=", true],
        ["n", "=?base64?NDI?=", false],
      ] as const
    ).map(([name, value, expected]) => [{ [`mcp-param-${name}`]: value }, call, expected] as const),
    [{ "mcp-param-x": "1" }, asking("tools/call", { name: "t" }), false],
    [{ "mcp-param-x": "1" }, asking("tools/call", { name: "t", arguments: "1" }), true],
    [{ "mcp-param-a": "1" }, asking("tools/call", { name: "t", arguments: { a: "1", A: "2" } }), false],
    [{ "x-mcp-param-a": "1" }, asking("ping"), true],
    [{ "mcp-param-n": "-1.0" }, asking("tools/call", { name: "t", arguments: { n: -1 } }), true],
    [{ "mcp-param-n": "" }, asking("tools/call", { name: "t", arguments: { n: 0 } }), false],
  ] as const)
    same(JSON.stringify([headers, message]), of(headers as Record<string, string>, message), expected);
  same("words", mismatch({ "mcp-param-x": "y" }, call as never), "`mcp-param-x` is in no argument");
}

function lacking(): void {
  const modern = { "mcp-protocol-version": "2026-07-28" };
  for (const [headers, message, expected] of [
    [{}, asking("tools/call", { name: "t" }), undefined],
    [{ "mcp-protocol-version": "2025-11-25" }, asking("tools/call", { name: "t" }), undefined],
    [modern, asking("ping"), "`Mcp-Method` is missing"],
    [{ ...modern, "mcp-method": "ping" }, asking("ping", { name: "x" }), undefined],
    [{}, asking("ping", { _meta: { [REVISION]: "2026-07-28" } }), "`MCP-Protocol-Version` is missing"],
    [{}, asking("ping", { _meta: { [REVISION]: "2025-11-25" } }), undefined],
    ...["tools/call", "prompts/get", "resources/read"].flatMap((method) => {
      const member = method === "resources/read" ? "uri" : "name";
      const said = { ...modern, "mcp-method": method };
      return [
        [said, asking(method, { [member]: "t" }), "`Mcp-Name` is missing"],
        [{ ...said, "mcp-name": "t" }, asking(method, { [member]: "t" }), undefined],
        [said, asking(method, {}), undefined],
      ] as const;
    }),
    [modern, { jsonrpc: "2.0", id: 1, result: {} }, undefined],
  ] as const)
    same(JSON.stringify([headers, message]), missing(headers as never, message as never), expected);
}

function outer(): void {
  for (const [text, id, asks] of [
    ['{"id":1,"method":"x"}', 1, true],
    ['{"method":{"a":1}}', undefined, true],
    ['{"":1,"id":2}', 2, false],
    ['{"method":"x","params":{"id":2}}', undefined, true],
    ['{"id":"a","result":{"method":"x"}}', "a", false],
    ['{"a":"\\"id\\":7,","id" : 3 }', 3, false],
    ['{"params":{"a":[{"id":5}],"b":"}"},"id":4}', 4, false],
    ['{"a":"\\\\","id":9}', 9, false],
    ['{"\\u0069d":8}', 8, false],
    ['{"id":[1]}', undefined, false],
    ['{"id":null}', undefined, false],
    ['{"id":1.5}', undefined, false],
    ['{"id":"\u00e9"}', "\u00e9", false],
    ['{"id":1', undefined, false],
    ['[{"id":1}]', undefined, false],
    [`{"id":"${"x".repeat(1022)}"}`, "x".repeat(1022), false],
    [`{"id":"${"x".repeat(1023)}"}`, undefined, false],
    ['{"x":1,"id":2}', 2, false],
    ['{"id":2,"x":1}', 2, false],
    ['{"id":2}{"id":3}', 3, false],
    ['{"a":{},"id":6}', 6, false],
    ['{"a":[1,2],"id":6}', 6, false],
    ['{"a":"b:c","id":6}', 6, false],
    ['{"a":{"x":"\\"}"},"id":6}', 6, false],
  ] as const) {
    const found = new OuterMembers();
    for (const byte of Buffer.from(text)) found.feed(Buffer.of(byte));
    const whole = new OuterMembers();
    whole.feed(Buffer.from(text));
    same(text.slice(0, 60), [found.id, found.asks, whole.id, whole.asks], [id, asks, id, asks]);
  }
}

const TOOL = { name: "t", description: "d", inputSchema: { b: 1, a: 2 } };
function pinned(text: string | undefined) {
  const [kept, lines]: [string[], string[]] = [[], []];
  const files = { read: () => text, keep: (one: string) => kept.push(one), log: (line: string) => lines.push(line) };
  return { pins: new Pins(files), kept, lines, set: (to: string | undefined) => void (text = to) };
}
const fileOf = (...tools: object[]): string => `${JSON.stringify({ tools }, undefined, 2)}\n`;

function pins(): void {
  const of = pinned(fileOf(TOOL));
  const again = { inputSchema: { a: 2, b: 1 }, description: "d", name: "t" };
  same(
    "as it was accepted",
    [of.pins.accepted([again]), of.pins.problem("t"), of.kept, of.lines],
    [[true], undefined, [], []],
  );
  const changed = { ...TOOL, description: "e" };
  same("changed", [of.pins.accepted([changed]), of.pins.problem("t")], [[false], "tool_changed"]);
  const why = 'the tool "t" has changed since it was pinned, and is hidden until `--accept`';
  same("said once", [of.pins.accepted([changed]), of.lines, of.kept.length], [[false], [why], 1]);
  same("kept", JSON.parse(of.kept[0] ?? ""), { tools: [changed] });
  same("again as it was", [of.pins.accepted([TOOL]), of.pins.problem("t")], [[true], undefined]);
  const other = { name: "new" };
  same(
    "not pinned",
    [of.pins.accepted([other, TOOL]), of.pins.problem("new"), of.pins.problem("t")],
    [[false, true], "tool_not_pinned", undefined],
  );
  same("words", of.lines.at(-1), 'the tool "new" is not pinned, and is hidden until `--accept`');
  of.set(fileOf(TOOL, other));
  same("accepted meanwhile", [of.pins.problem("new"), of.pins.accepted([other])], [undefined, [true]]);
  same("odd items", of.pins.accepted([null, 7, {}, { name: 7 }, [TOOL]]), [false, false, false, false, false]);
  same("odd items are not kept", of.kept.length, 2);
  of.set(undefined);
  same("no file", [of.pins.problem("t"), of.pins.accepted([TOOL])], ["tool_not_pinned", [false]]);
  for (const odd of ["x", "{}", "[]", '{"tools":{}}', '{"tools":[7]}', '{"tools":[{}]}']) {
    of.set(odd);
    let thrown = 0;
    for (const ask of [() => of.pins.problem("t"), () => of.pins.accepted([TOOL])])
      try {
        ask();
      } catch {
        thrown++;
      }
    same(odd, thrown, 2);
  }
  const many = pinned(undefined);
  const items = Array.from({ length: 1_001 }, (_, i) => ({ name: `t-${String(i).padStart(4, "0")}` }));
  same("none is shown", many.pins.accepted(items).includes(true), false);
  const { tools } = JSON.parse(many.kept.at(-1) ?? "") as { tools: { name: string }[] };
  same("as many as are kept", [tools.length, tools[0]?.name, tools.at(-1)?.name], [1_000, "t-0000", "t-0999"]);
  many.pins.accepted([{ name: "t-0000", x: 1 }]);
  same("one that is kept may change", (JSON.parse(many.kept.at(-1) ?? "") as { tools: object[] }).tools[0], {
    name: "t-0000",
    x: 1,
  });
}

function accepted(): void {
  const [a, b, c] = [{ name: "a" }, { name: "b", x: 1 }, { name: "c" }];
  same("both", acceptPins(fileOf(c, b), fileOf({ name: "b", x: 2 }, a)), {
    before: fileOf(b, c),
    after: fileOf(a, { name: "b", x: 2 }, c),
  });
  same("the first", acceptPins(undefined, fileOf(a)), { before: fileOf(), after: fileOf(a) });
}
