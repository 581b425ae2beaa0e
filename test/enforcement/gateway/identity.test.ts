/** Who a token is: only by a key of the host's set, for as long as it says, and with every claim that is asked for. */

import { execFileSync } from "node:child_process";
import { createHmac, generateKeyPairSync, sign } from "node:crypto";
import { writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  type Caller,
  type Identity,
  jwtIdentity,
  keySet,
  readIdentity,
} from "../../../compiler/enforcement/gateway/index.ts";
import { removeFolder, temporaryFolder } from "../../cli/terminal.ts";
import { post, remote, say } from "./remote.ts";
import { examplePolicy } from "./session.ts";

const NOW = 1_800_000_000;
const given: Caller = { role: "R", lane: "L", scope: { run: "r" }, flags: [] };
const ec = generateKeyPairSync("ec", { namedCurve: "P-256" });
const rsa = generateKeyPairSync("rsa", { modulusLength: 2048 });
const other = generateKeyPairSync("ec", { namedCurve: "P-256" });
const jwk = (key: typeof ec, more: object): Record<string, unknown> => ({
  ...(key.publicKey.export({ format: "jwk" }) as object),
  ...more,
});
const KEYS = [
  jwk(ec, { kid: "e", alg: "ES256", use: "sig" }),
  jwk(rsa, { kid: "r" }),
  jwk(other, { kid: "enc", use: "enc" }),
];
const OPERATIONS = [
  jwk(other, { kid: "signs", key_ops: ["sign"] }),
  jwk(other, { kid: "verifies", key_ops: ["sign", "verify"] }),
];

/** An end beyond all doubles is written as JSON, which has one. */
const part = (value: unknown): string =>
  Buffer.from(JSON.stringify(value).replace('"1e400"', "1e400")).toString("base64url");
function token(claims: object, head: object = {}, by = ec.privateKey): string {
  const signed = `${part({ alg: "ES256", kid: "e", ...head })}.${part({ exp: NOW + 60, ...claims })}`;
  const hash = by.asymmetricKeyType === "rsa" ? "sha256" : "sha256";
  const signature = sign(hash, Buffer.from(signed), { key: by, dsaEncoding: "ieee-p1363" });
  return `Bearer ${signed}.${signature.toString("base64url")}`;
}
function identity(words: string, keys = [...KEYS, ...OPERATIONS], now = () => NOW * 1000): Identity {
  const read = readIdentity(words);
  if (!read.ok) throw new Error(read.problem.message);
  return jwtIdentity(read.value, given, async () => keys, now);
}
const all = "jwks=k,role=desk_role,lane=https://x/lane,scope.story_id=story,issuer=i,audience=a";
const claims = { iss: "i", aud: ["b", "a"], sub: "s", desk_role: "WRITER", "https://x/lane": "DRAFTING", story: "s-1" };

describe("a token", () => {
  it("says role, lane and scope, where they are asked of it", async () => {
    const found = await identity(all).callerOf(token(claims));
    const scope = { run: "r", story_id: "s-1" };
    expect(found?.caller).toEqual({ ...given, role: "WRITER", lane: "DRAFTING", scope });
    expect((await identity("jwks=k").callerOf(token({ sub: "s" })))?.caller).toEqual(given);
    const signed = token(claims, { alg: "RS256", kid: "r" }, rsa.privateKey);
    expect((await identity(all).callerOf(signed))?.caller.role).toBe("WRITER");
    const verified = token(claims, { kid: "verifies" }, other.privateKey);
    expect((await identity(all).callerOf(verified))?.caller.role).toBe("WRITER");
    const same = identity(all);
    expect(await same.callerOf(token(claims))).toEqual(await same.callerOf(token({ ...claims, exp: NOW + 90 })));
    const another = await same.callerOf(token({ ...claims, sub: "t" }));
    expect(another?.principal).not.toBe(found?.principal);
  });

  it.each<[string, string]>([
    ["that is not a token", "Bearer x"],
    ["of another scheme", token(claims).replace("Bearer", "Basic")],
    ["that is changed", token(claims).replace(/\.[^.]+\./, `.${part({ ...claims, exp: NOW + 60, sub: "t" })}.`)],
    ["of another key", token(claims, {}, other.privateKey)],
    ["of a key that is not there", token(claims, { kid: "none" })],
    ["without a key, where there are several", token(claims, { kid: undefined })],
    ["of a key that is for another use", token(claims, { kid: "enc" }, other.privateKey)],
    ["of a key that only signs", token(claims, { kid: "signs" }, other.privateKey)],
    ["of another algorithm than its key's", token(claims, { alg: "RS256" }, rsa.privateKey)],
    ["that is not signed", `Bearer ${part({ alg: "none" })}.${part({ exp: NOW + 60, ...claims })}.`],
    ["with an extension", token(claims, { crit: ["b64"] })],
    ["that is over", token({ ...claims, exp: NOW - 31 })],
    ["without an end", token({ ...claims, exp: undefined })],
    ["with an end that never comes", token({ ...claims, exp: "1e400" })],
    ["that is for later", token({ ...claims, nbf: NOW + 31 })],
    ["of another issuer", token({ ...claims, iss: "j" })],
    ["for another audience", token({ ...claims, aud: "b" })],
    ["for no audience", token({ ...claims, aud: undefined })],
    ["of no subject", token({ ...claims, sub: undefined })],
    ["of an empty subject", token({ ...claims, sub: "" })],
    ["of a subject that is not a text", token({ ...claims, sub: 7 })],
    ["without a role", token({ ...claims, desk_role: undefined })],
    ["with a role that is not a text", token({ ...claims, desk_role: ["WRITER"] })],
    ["without a scope that is asked of it", token({ ...claims, story: "" })],
  ])("%s is not valid", async (_, authorization) => {
    expect(await identity(all).callerOf(authorization)).toBeUndefined();
  });

  it("signed with a public key as a secret is not valid", async () => {
    const signed = `${part({ alg: "HS256", kid: "r" })}.${part({ exp: NOW + 60, ...claims })}`;
    const secret = rsa.publicKey.export({ format: "pem", type: "spki" });
    const signature = createHmac("sha256", secret).update(signed).digest("base64url");
    expect(await identity(all).callerOf(`Bearer ${signed}.${signature}`)).toBeUndefined();
    const oct = [{ kty: "oct", kid: "o", k: Buffer.from("x".repeat(32)).toString("base64url") }];
    const own = `${part({ alg: "HS256", kid: "o" })}.${part({ exp: NOW + 60, ...claims })}`;
    const byOct = createHmac("sha256", "x".repeat(32)).update(own).digest("base64url");
    expect(await identity(all, oct).callerOf(`Bearer ${own}.${byOct}`)).toBeUndefined();
  });

  it("that was valid is not when its time is over", async () => {
    let now = NOW;
    const found = identity(all, KEYS, () => now * 1000);
    const authorization = token(claims);
    expect(await found.callerOf(authorization)).toBeDefined();
    now += 120;
    expect(await found.callerOf(authorization)).toBeUndefined();
  });

  it("that was valid is not when its key is gone from the set", async () => {
    let keys = KEYS;
    const found = jwtIdentity(
      { jwks: "k", scope: new Map() },
      given,
      async () => keys,
      () => NOW * 1000,
    );
    const [byEc, byRsa] = [token(claims), token(claims, { alg: "RS256", kid: "r" }, rsa.privateKey)];
    for (const one of [byEc, byEc, byRsa]) expect(await found.callerOf(one)).toBeDefined();
    keys = KEYS.slice(1);
    expect(await found.callerOf(byEc)).toBeUndefined();
    expect(await found.callerOf(byRsa)).toBeDefined();
    // Another key of its name verifies nothing.
    keys = [jwk(other, { kid: "e", alg: "ES256" }), ...KEYS.slice(1)];
    expect(await found.callerOf(byEc)).toBeUndefined();
    keys = KEYS;
    expect(await found.callerOf(byEc)).toBeDefined();
  });

  it("that was valid is not when its set cannot be had any more", async () => {
    let isLost = false;
    const keys = async () => {
      if (isLost) throw new Error("no keys");
      return KEYS;
    };
    const found = jwtIdentity({ jwks: "k", scope: new Map() }, given, keys, () => NOW * 1000);
    expect(await found.callerOf(token(claims))).toBeDefined();
    isLost = true;
    await expect(found.callerOf(token(claims))).rejects.toThrow("no keys");
  });

  it("that is verified while its key goes is not remembered", async () => {
    let keys = KEYS;
    const asked: (() => void)[] = [];
    const found = jwtIdentity(
      ...([{ jwks: "k", scope: new Map() }, given] as const),
      (fresh) => (fresh ? new Promise((resolve) => asked.push(() => resolve(KEYS))) : Promise.resolve(keys)),
      () => NOW * 1000,
    );
    const byEc = token(claims);
    keys = KEYS.slice(1);
    const slow = found.callerOf(byEc);
    await expect.poll(() => asked.length).toBe(1);
    keys = [...keys];
    expect(await found.callerOf(token(claims, { alg: "RS256", kid: "r" }, rsa.privateKey))).toBeDefined();
    asked[0]?.();
    expect(await slow).toBeDefined();
    const again = found.callerOf(byEc);
    await expect.poll(() => asked.length).toBe(2);
    asked[1]?.();
    expect(await again).toBeDefined();
  });
});

describe("what is asked of tokens", () => {
  it.each(["", "role=x", "jwks=", "jwks=a,jwks=b", "jwks=a,roles=b", "jwks=a,scope.=b", "jwks=a,,role=b"])(
    "cannot be %j",
    (words) => {
      expect(readIdentity(words).ok).toBe(false);
    },
  );
});

describe("a set of keys", () => {
  let folder = "";
  beforeAll(() => {
    folder = temporaryFolder();
  });
  afterAll(() => removeFolder(folder));

  it("is read from a file, and again for a key that it lacks, now and then", async () => {
    const file = join(folder, "jwks.json");
    let now = 0;
    const keys = keySet(file, () => now);
    await expect(keys(false)).rejects.toThrow("ENOENT");
    writeFileSync(file, JSON.stringify({ keys: KEYS }));
    expect(await keys(false)).toHaveLength(3);
    writeFileSync(file, JSON.stringify({ keys: KEYS.slice(1) }));
    now = 29_000;
    expect(await keys(true)).toHaveLength(3);
    now = 31_000;
    expect(await keys(false)).toHaveLength(3);
    expect(await keys(true)).toHaveLength(2);
    writeFileSync(file, "{}");
    now = 700_000;
    // What was good stays, and is the same.
    const kept = await keys(false);
    expect(kept).toHaveLength(2);
    now = 729_000;
    writeFileSync(file, JSON.stringify({ keys: KEYS.slice(2) }));
    expect(await keys(false)).toBe(kept);
    now = 731_000;
    expect(await keys(false)).toHaveLength(1);
  });

  it("that cannot be read for an hour is good no more", async () => {
    const file = join(folder, "lost.json");
    let now = 0;
    const keys = keySet(file, () => now);
    writeFileSync(file, JSON.stringify({ keys: KEYS }));
    expect(await keys(false)).toHaveLength(3);
    writeFileSync(file, "{}");
    for (now = 600_000; now < 3_600_000; now += 600_000) expect(await keys(false)).toHaveLength(3);
    await expect(keys(false)).rejects.toThrow("list `keys`");
    now += 1;
    await expect(keys(false)).rejects.toThrow("list `keys`");
    writeFileSync(file, JSON.stringify({ keys: KEYS }));
    expect(await keys(false)).toHaveLength(3);
    // A clock that was set back makes nothing last.
    now = 0;
    writeFileSync(file, JSON.stringify({ keys: KEYS.slice(1) }));
    expect(await keys(false)).toHaveLength(2);
    // Nor a key that was removed meanwhile.
    now = 900_000;
    expect(await keys(false)).toHaveLength(2);
    writeFileSync(file, "{}");
    now = 0;
    await expect(keys(false)).rejects.toThrow("list `keys`");
  });

  it.skipIf(process.platform === "win32")("is no pipe, which all who ask would wait for", async () => {
    const file = join(folder, "piped.json");
    execFileSync("mkfifo", [file]);
    await expect(keySet(file)(false)).rejects.toThrow("is no regular file");
  });

  it("is read once for all who wait for it", async () => {
    let count = 0;
    const held: (() => void)[] = [];
    const server = createServer((_, response) => {
      count++;
      held.push(() => say(response, { keys: KEYS }));
    });
    await new Promise<void>((resolve) => {
      server.listen(0, "127.0.0.1", resolve);
    });
    const keys = keySet(`http://127.0.0.1:${(server.address() as AddressInfo).port}/keys`);
    const all = [keys(false), keys(true), keys(false)];
    await expect.poll(() => held.length).toBe(1);
    held[0]?.();
    const found = await Promise.all(all);
    expect([count, new Set(found).size]).toEqual([1, 1]);
    server.close();
  });

  it("comes over TLS, or from this machine, and from where it was asked for", async () => {
    const server = createServer((request, response) => {
      if (request.url === "/keys") say(response, { keys: KEYS });
      else if (request.url === "/long") response.end(JSON.stringify({ keys: [], more: "x".repeat(1_100_000) }));
      else response.writeHead(302, { location: "/keys" }).end();
    });
    await new Promise<void>((resolve) => {
      server.listen(0, "127.0.0.1", resolve);
    });
    const at = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    expect(await keySet(`${at}/keys`)(false)).toHaveLength(3);
    await expect(keySet(`${at}/moved`)(false)).rejects.toThrow();
    await expect(keySet(`${at}/long`)(false)).rejects.toThrow("more than");
    await expect(keySet("http://keys.example/jwks.json")(false)).rejects.toThrow("over TLS");
    server.close();
  });
});

describe("a gateway that asks for tokens", () => {
  it("decides by them, and answers no other caller", async () => {
    const policy = await examplePolicy();
    const read = readIdentity("jwks=k,role=desk_role");
    if (!read.ok) throw new Error(read.problem.message);
    let keys: () => Promise<typeof KEYS> = async () => KEYS;
    const caller: Caller = {
      ...{ role: "R", lane: "DRAFTING", scope: { story_id: "s", run_id: "r" }, flags: [] },
      lineage: [{ agent_type: "publisher", spawn_depth: 0 }],
    };
    const found = jwtIdentity(
      read.value,
      caller,
      () => keys(),
      () => NOW * 1000,
    );
    const of = await remote(policy, (_, response) => say(response, { jsonrpc: "2.0", id: 1, result: {} }), {
      ...{ caller, identity: found },
    });
    const call = { id: 1, method: "tools/call", params: { name: "draft.create", arguments: {} } };
    const writer = token({ sub: "s", desk_role: "WRITER" });
    expect((await post(of, call, { authorization: writer })).json.result).toEqual({});
    expect(of.sent[0]?.headers.authorization).toBe(writer);
    const denied = await post(of, call, { authorization: token({ sub: "s", desk_role: "ARCHIVIST" }) });
    expect(denied.json.result).toMatchObject({ isError: true });
    const stranger = await post(of, call);
    expect([stranger.status, stranger.headers.get("www-authenticate")]).toEqual([401, "Bearer"]);
    expect((await fetch(of.gateway.url.replace(/mcp$/, "metrics"))).status).toBe(401);
    expect((await fetch(of.gateway.url.replace(/mcp$/, "health"))).status).toBe(200);
    keys = async () => {
      throw new Error("no keys");
    };
    expect((await post(of, call, { authorization: token({ sub: "s", desk_role: "WRITER", jti: "2" }) })).status).toBe(
      503,
    );
    expect(of.sent).toHaveLength(1);
    expect(JSON.stringify(of.lines)).not.toContain(writer.slice(7, 40));
    await of.close();
  });
});
