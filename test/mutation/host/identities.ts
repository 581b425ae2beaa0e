/** Who asks the gateway over HTTP: words of an identity, tokens, and the keys that they are verified with. */
import { createHmac, generateKeyPairSync, sign } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { jwtIdentity, readIdentity } from "../../../compiler/enforcement/gateway/identity.ts";
import { keySet } from "../../../compiler/enforcement/gateway/key-set.ts";
import { type Check, same } from "./check.ts";

export function identityChecks(): readonly Check[] {
  return [
    { what: "words of an identity", run: words },
    { what: "tokens", run: tokens },
    { what: "keys of tokens", run: keysOfTokens },
    { what: "times of tokens", run: times },
    { what: "remembered tokens", run: remembered },
    { what: "callers of tokens", run: callers },
    { what: "key sets", run: keySets },
    { what: "key sets of servers", run: fetchedKeys },
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
  return signedBy(key, `${part({ alg: key === ec ? "ES256" : "RS256", kid: "e", ...head })}.${part(claims)}`);
}
function signedBy(key: typeof ec, signed: string): string {
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
    ["its operation", [{ ...key, key_ops: ["sign", "verify"] }], good, true],
    ["another operation", [{ ...key, key_ops: ["sign"] }], good, false],
    ["no list of operations", [{ ...key, key_ops: "verify" }], good, false],
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
  const [head, claims = ""] = token({ ...CLAIMS, exp: 7 }).split(".");
  const text = Buffer.from(claims, "base64url").toString().replace('"exp":7', '"exp":1e400');
  const endless = signedBy(ec, `${head}.${Buffer.from(text).toString("base64url")}`);
  same("without an end", await isValid(`Bearer ${endless}`), false);
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
    set([{}]);
    const back = keySet(file, () => later);
    same("read again", (await back(false)).length, 1);
    writeFileSync(file, "x");
    later--;
    same("a clock set back behind the reading", await back(false).catch(() => "lost"), "lost");
    const device = await keySet("/dev/null")(false).catch(String);
    same("no file, but a device", device, "Error: `/dev/null` is no regular file");
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
