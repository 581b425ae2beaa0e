/** Requests to the adapters of other protocols: right ones, each place of them spoiled, and what proxies and people read in different ways. */
import { sampled } from "../../campaign.ts";
import { type AdaptedPolicy, adapterStatements } from "../../statements/adapters.ts";
import { combined } from "./combinations.ts";
import type { LibraryModule } from "./library-modules.ts";
import { right } from "./right-requests.ts";
import { absent, placesOf, replaced, spoiledOnce } from "./spoiling.ts";
import { withFolds } from "./with-folds.ts";

export type Adapter = keyof typeof adapterStatements;

const { scope, flags, writes, lineage, approval, args } = right.call as { [name: string]: object };
const mapped = { tool: "t", scope: {}, flags: ["dry"], writes: [{ table: "log", mode: "append" }] };

export const adapted: AdaptedPolicy = {
  // Proxies tell no history, and what a limit counts is denied through them.
  ...withFolds({
    ...combined,
    limits: {},
    written_limits: [],
    tools: Object.fromEntries(Object.entries(combined.tools ?? {}).map(([id, tool]) => [id, { ...tool, limits: [] }])),
  }),
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
  offers: {
    resources: {
      open: false,
      lanes: {
        L: { names: { "memo://a": true, x: true }, prefixes: ["desk/", "file:///desk/"] },
        M: { names: { "memo://a": true }, prefixes: [] },
      },
    },
    prompts: { open: true },
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

export const rightAdapted: Readonly<Record<Adapter, readonly object[]>> = {
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
  "portcullis/offer/mcp": [
    { role: "R", lane: "L", lineage, kind: "resources", name: "file:///desk/a/b/c/d/e/f.txt" },
    { role: "R", lane: "L", lineage, kind: "resources", name: "memo://a" },
    { role: "R", lane: "L", lineage, kind: "prompts", name: "p" },
  ],
};

/** The author's rule that the statements know. */
export const toldByArguments: LibraryModule = {
  name: "told-by-arguments.rego",
  text: 'package portcullis.ext.call\n\ndeny contains {"gate": "ARGUMENT", "reason": input.args.tell}\n',
};

/** Places of a right request, each with what the gates in their order deny. */
const faults: Readonly<Record<Adapter, readonly (readonly [place: string, value: unknown])[]>> = {
  "portcullis/envoy/authz": [
    ["/attributes/request/http/method", 1],
    ...["/things/c-1;/use", "/else", "/both", "/things/c-1/use?zz=1"].map(
      (path) => ["/attributes/request/http/path", path] as const,
    ),
    ["/truncated_body", true],
    ["/attributes/request/http/headers/x-role", "R,S"],
    ["/attributes/request/http/headers/x-lineage", "{"],
    ["/parsed_body/tell", "me"],
  ],
  "portcullis/authzen/evaluation": [
    ["/action/name", ""],
    ["/subject/id", " "],
    ["/subject/type", "person"],
    ["/action/name", "nothing"],
    ["/resource/type", "thing"],
    ["/context/more", 1],
    ["/action/properties/tell", "me"],
  ],
  "portcullis/mcp/call": [
    ["/request/method", "tools/list"],
    ["/identity/role", " "],
    ["/request/params/name", "nothing"],
    ["/request/params/arguments/tell", "me"],
  ],
  "portcullis/offer/mcp": [
    ["/kind", "tools"],
    ["/lineage", [{ agent_type: "stranger", spawn_depth: 4 }]],
    ["/lineage", []],
    ["/lane", "M"],
    ...["memo://b", "desk/../a", "desk/./a", "desk/a//b", "desk/", "desk", "desk/%2e", "desk/a b", "other/desk/a"].map(
      (name) => ["/name", name] as const,
    ),
  ],
};

/** The earlier gate tells of two faults. */
function faultyTwice(entrypoint: Adapter): unknown[] {
  const all = faults[entrypoint];
  return rightAdapted[entrypoint].flatMap((request) =>
    all.flatMap(([one, a]) => all.map(([other, b]) => replaced(replaced(request, one, a), other, b))),
  );
}

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
    replaced(rightAdapted["portcullis/envoy/authz"][1], `/attributes/request/http/headers/${name}`, value) as object;
  const claims = ["x-lineage", "x-approval"].flatMap((name) => CLAIMS.map((text) => header(name, text)));
  const texts = ["x-role", "x-lane", "x-n"].flatMap((name) => TEXTS.map((text) => header(name, text)));
  const bodies = [null, [], "{}", {}, absent].flatMap((body) =>
    [true, false, null, "false", 0, absent].map((truncated) =>
      replaced(replaced(rightAdapted["portcullis/envoy/authz"][0], "/truncated_body", truncated), "/parsed_body", body),
    ),
  );
  // Two routes, and a query that neither has; a body that the route does not read.
  const more = [http("PUT", "/both?zz=1"), { ...http("GET", "/things/c-1/use?m=7"), parsed_body: { tell: "me" } }];
  return [...more, ...paths, ...claims, ...texts, ...(bodies as object[])];
}

const types: readonly unknown[] = [absent, null, false, true, 1, "x", [], {}];

/** Each place with everything odd, and pairs of places with every type. */
export function requestsToAdapter(entrypoint: Adapter): unknown[] {
  const spoiled = rightAdapted[entrypoint].flatMap((request) => {
    const places = placesOf(request);
    const twice = places.flatMap((one, i) =>
      places
        .slice(i + 1)
        .flatMap((other) => types.flatMap((a) => types.map((b) => replaced(replaced(request, other, b), one, a)))),
    );
    return [...spoiledOnce(request, { "/context/more": [1], "/identity/more": [1] }), ...sampled(twice)];
  });
  const odd = [...spoiled, ...faultyTwice(entrypoint)];
  return [...odd, ...(entrypoint === "portcullis/envoy/authz" ? envoyRequests() : []), null, 1, "x", []];
}

export const adapters = Object.keys(adapterStatements) as Adapter[];
