/**
 * The adapters of other protocols: total, and never an allow where the call decision denies. Every answer is the statement's,
 * by the runtime, by the stock SDK on our module, and by a real opa where there is one.
 */
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { loadPolicy } from "@open-policy-agent/opa-wasm";
import { beforeAll, describe, expect, it } from "vitest";
import { SourceFile } from "../../compiler/base/source-file.ts";
import { compileModules } from "../../compiler/compile-modules.ts";
import { load, type Policy } from "../../runtime/index.ts";
import { sampled } from "../campaign.ts";
import { type AdaptedPolicy, adapterStatements } from "../statements/adapters.ts";
import { combined } from "./combinations.ts";
import { adapterModules, libraryModules, librarySchemas } from "./library-modules.ts";
import { hasOpa } from "./opa-evaluator.ts";
import { right } from "./right-requests.ts";
import { absent, placesOf, replaced, spoiledOnce } from "./spoiling.ts";

type Entrypoint = keyof typeof adapterStatements;

const { scope, flags, writes, lineage, approval, args } = right.call as { [name: string]: object };
const mapped = { tool: "t", scope: {}, flags: ["dry"], writes: [{ table: "log", mode: "append" }] };

const policy: AdaptedPolicy = {
  ...combined,
  adapters: {
    envoy: {
      headers: { role: "x-role", lane: "x-lane", lineage: "x-lineage", approval: "x-approval", scope: { n: "x-n" } },
      routes: [
        {
          ...mapped,
          method: "POST",
          segments: ["things", null, "use"],
          parameters: { k: 1 },
          query: { m: true, loud: true },
          body: "json",
          scope: { o: "o" },
          lane: "L",
        },
        {
          ...mapped,
          method: "GET",
          segments: ["things", null, "use"],
          parameters: { k: 1 },
          query: { m: true },
          body: "ignored",
        },
        // Two that one request fits, which the compiler refuses to build.
        { ...mapped, method: "PUT", segments: [null], parameters: {}, query: {}, body: "ignored" },
        { ...mapped, method: "PUT", segments: ["both"], parameters: {}, query: {}, body: "ignored" },
      ],
    },
    authzen: {
      subject_type: "role",
      resource_type: "tool",
      actions: { use: { lane: "L" }, lose: { lane: "M" } },
      ignored_context: { time: true },
    },
    mcp: { tools: { use: { ...mapped, scope: { k: "a", m: "b", n: "c" } }, free: { ...mapped, tool: "free" } } },
  },
};

const headers = {
  "x-role": "R",
  "x-lane": "L",
  "x-n": "x",
  "x-lineage": JSON.stringify(lineage),
  "x-approval": JSON.stringify(approval),
};
const http = (method: string, path: string): object => ({
  attributes: { request: { http: { method, path, headers } } },
});

const rightRequests: Readonly<Record<Entrypoint, readonly object[]>> = {
  "portcullis/envoy/authz": [
    { ...http("POST", "/things/c-1/use?m=7"), parsed_body: { o: 1 }, truncated_body: false },
    http("GET", "/things/c-1/use?m=7"),
  ],
  "portcullis/authzen/evaluation": [
    {
      subject: { type: "role", id: "R", properties: {} },
      action: { name: "use", properties: args },
      resource: { type: "tool", id: "t" },
      context: { scope, flags, writes, lineage, approval, time: "now" },
    },
  ],
  "portcullis/mcp/call": [
    {
      request: {
        jsonrpc: "2.0",
        id: 1,
        method: "tools/call",
        params: { name: "use", arguments: { a: "c-1", b: 7, c: "x" } },
      },
      identity: { role: "R", lane: "L", lineage, approval },
    },
  ],
};

/** Paths that proxies, servers and people read in different ways, and those that are somebody else's. */
const PATHS = `/ // /things /things/ /things//use /things/./use /things/../use /things/%2e%2e/use /things/c%2F1/use
/things/c-1/use/ /things/c-1;x=1/use /things\\c-1\\use /things/c-1/use# /things/c-1/use?m=7#x /THINGS/c-1/use /things/ü/use
/things/c-1/use? /things/c-1/use?m /things/c-1/use?m= /things/c-1/use?m=7&m=8 /things/c-1/use?m=7&n=8 /things/c-1/use?m=7;n=8
/things/c-1/use?m=7?loud=1 /things/c-1/use?m=%37 /things/c-1/use?m=7+8 /things/c-1/use?m=7=8 /things/c-1/use?m=7&loud=1
/things/c-1/use?m=7& /things/c-1/use?M=7 /things/c-1/use?__proto__=7 /things/c-1/use?&m=7 things/c-1/use http://h/things/c-1/use
/things/\u0000/use /things/c-1\u200b/use /things/.../use /things/~/use /things/@:/use?m=a~b /both /else`.split(/[ \n]/);

const CLAIMS = ["", "{", "[]", "null", "false", "1", '"x"', "{}", "[[]]", '[{"agent_type":"z","spawn_depth":0}]'];
const TEXTS = ["R", "S", "T", "R,S", "R, R", ",", "r", "R ", " R", "\u0420", "constructor"];

function envoyRequests(): object[] {
  const methods = ["GET", "POST", "PUT", "get", "PATCH"];
  const paths = methods.flatMap((method) =>
    PATHS.map((path) => ({ ...http(method, path), parsed_body: {}, truncated_body: false })),
  );
  const header = (name: string, value: unknown): object =>
    replaced(rightRequests["portcullis/envoy/authz"][1], `/attributes/request/http/headers/${name}`, value) as object;
  const claims = ["x-lineage", "x-approval"].flatMap((name) => CLAIMS.map((text) => header(name, text)));
  const texts = ["x-role", "x-lane", "x-n"].flatMap((name) => TEXTS.map((text) => header(name, text)));
  const bodies = [null, [], "{}", {}, absent].flatMap((body) =>
    [true, false, null, "false", 0, absent].map((truncated) =>
      replaced(
        replaced(rightRequests["portcullis/envoy/authz"][0], "/truncated_body", truncated),
        "/parsed_body",
        body,
      ),
    ),
  );
  return [...paths, ...claims, ...texts, ...(bodies as object[])];
}

const types: readonly unknown[] = [absent, null, false, true, 1, "x", [], {}];

/** Each place with everything odd, and pairs of places with every type. */
function requestsTo(entrypoint: Entrypoint): unknown[] {
  const spoiled = rightRequests[entrypoint].flatMap((request) => {
    const places = placesOf(request);
    const twice = places.flatMap((one, i) =>
      places
        .slice(i + 1)
        .flatMap((other) => types.flatMap((a) => types.map((b) => replaced(replaced(request, other, b), one, a)))),
    );
    return [...spoiledOnce(request, { "/context/more": [1], "/identity/more": [1] }), ...sampled(twice)];
  });
  return [...spoiled, ...(entrypoint === "portcullis/envoy/authz" ? envoyRequests() : []), null, 1, "x", []];
}

/** As JSON says it. */
const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value) ?? "null");

const entrypoints = Object.keys(adapterStatements) as Entrypoint[];
const requests = new Map(entrypoints.map((entrypoint) => [entrypoint, requestsTo(entrypoint)]));

function wrong(entrypoint: Entrypoint, answers: readonly unknown[]): object[] {
  const inputs = requests.get(entrypoint) ?? [];
  expect(answers.length).toBe(inputs.length);
  return inputs
    .map((input, i) => ({
      input,
      expected: plain(adapterStatements[entrypoint](policy, input)),
      actual: plain(answers[i]),
    }))
    .filter(({ expected, actual }) => !isDeepStrictEqual(expected, actual))
    .slice(0, 3);
}

let wasm: Uint8Array;
let ours: Policy;
beforeAll(async () => {
  const { compiled, diagnostics } = await compileModules({
    modules: [...libraryModules(), ...adapterModules()].map(({ name, text }) => new SourceFile(name, text)),
    schemas: librarySchemas(),
  });
  expect(diagnostics.map(({ message }) => message)).toEqual([]);
  wasm = compiled?.wasm as Uint8Array;
  ours = await load(wasm, { data: { portcullis: { policy } } });
});

describe.each(entrypoints)("%s", (entrypoint) => {
  const statement = adapterStatements[entrypoint];

  it("allows the right requests, and little else", () => {
    const isAllowed = (request: unknown): boolean => {
      const answer = statement(policy, request);
      return (answer["allowed"] ?? answer["decision"]) === true;
    };
    expect(rightRequests[entrypoint].every(isAllowed)).toBe(true);
    const all = requests.get(entrypoint) ?? [];
    expect(all.length).toBeGreaterThan(500);
    expect(all.filter((request) => !isAllowed(request)).length).toBeGreaterThan(all.length / 2);
  });

  it("answers every request as the statement does, by the runtime", () => {
    const answers = (requests.get(entrypoint) ?? []).map((input) => {
      const answer = ours.evaluate(entrypoint, input);
      expect(ours.lastFault).toBeUndefined();
      return answer;
    });
    expect(wrong(entrypoint, answers)).toEqual([]);
  });

  it("and by the stock SDK", async () => {
    const stock = await loadPolicy(wasm);
    stock.setData({ portcullis: { policy } });
    const answers = (requests.get(entrypoint) ?? []).map((input) => stock.evaluate(input, entrypoint)[0]?.result);
    expect(wrong(entrypoint, answers)).toEqual([]);
  });

  it.skipIf(!hasOpa())("and by a real opa", { timeout: 120_000 }, () => {
    const folder = mkdtempSync(join(tmpdir(), "portcullis-opa-"));
    try {
      const path = entrypoint.replaceAll("/", ".");
      const asking = `package driver\n\nanswers := [answer(one) | some one in data.inputs]\n\nanswer(one) := a if a := data.${path} with input as one\n`;
      const files = [...libraryModules(), ...adapterModules(), { name: "driver.rego", text: asking }];
      for (const { name, text } of files) writeFileSync(join(folder, name), text);
      const inputs = requests.get(entrypoint);
      writeFileSync(join(folder, "data.json"), JSON.stringify({ portcullis: { policy }, inputs }));
      const options = ["eval", "--format", "raw", "--data", folder, "data.driver.answers"];
      const out = execFileSync("opa", options, { encoding: "utf8", maxBuffer: 2 ** 28 });
      expect(wrong(entrypoint, JSON.parse(out) as unknown[])).toEqual([]);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  it("denies by its own default whatever fails", async () => {
    const small = await load(wasm, { data: { portcullis: { policy } }, limits: { steps: 10 } });
    const answer = small.evaluate(entrypoint, rightRequests[entrypoint][0]) as object;
    expect(small.lastFault).toBeDefined();
    expect(answer).toMatchObject(entrypoint.includes("authzen") ? { decision: false } : { allowed: false });
  });

  it("denies where nothing is mapped", async () => {
    const unmapped = await load(wasm, { data: { portcullis: { policy: combined } } });
    for (const request of rightRequests[entrypoint]) {
      const answer = unmapped.evaluate(entrypoint, request) as { allowed?: unknown; decision?: unknown };
      expect(answer.allowed ?? answer.decision).toBe(false);
    }
  });
});
