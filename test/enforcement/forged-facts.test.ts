/** `facts` is what the host finds out: a caller that writes it changes no answer, at no edge. */

import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { guardTool, load, type Policy } from "@portcullis/runtime";
import { projectPaths } from "@portcullis/runtime/node";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { answerHook, type Caller, NO_TOOLS, Verdicts } from "../../compiler/enforcement/gateway/index.ts";
import { type Server, serve } from "../../compiler/enforcement/serving/index.ts";
import { compile } from "../../compiler/governance/pipeline.ts";
import { virtualHost } from "../governance/sources/virtual-host.ts";

const SETTINGS = {
  adapters: {
    authzen: { subject_type: "role", resource_type: "tool", actions: [{ name: "use", lane: "L" }] },
    mcp: { tools: [{ name: "write", tool: "write" }] },
    envoy: {
      headers: { role: "x-role" },
      routes: [{ method: "POST", path: "/write", tool: "write", lane: "L", body: "json" }],
    },
  },
};
const SET = {
  "portcullis.yaml": JSON.stringify(SETTINGS),
  "roles.yaml": "roles:\n  - { role_id: R, privileges: { lanes: [L] } }\n",
  "lanes.yaml": "lanes:\n  - { lane_id: L, allowed_callers: { roles: [R] }, allowed_actions: { tools: [write] } }\n",
  "tool_registry.yaml": `tools:
  - tool_name: write
    enabled: true
    implementation_status: implemented
    arguments: { file: { paths: { below: [src] } }, __proto__: { required: false, paths: { below: [src] } } }
`,
};

let policy: Policy;
let root = "";
const servers: Server[] = [];
beforeAll(async () => {
  const { compiled, diagnostics } = await compile({ host: virtualHost({ set: SET }), dirs: ["set"] });
  if (compiled === undefined) throw new Error(diagnostics.map(({ message }) => message).join("\n"));
  policy = await load(compiled.bundle);
  root = realpathSync(mkdtempSync(join(tmpdir(), "portcullis-facts-")));
  mkdirSync(join(root, "src"));
  symlinkSync("/etc", join(root, "src/etc"));
  symlinkSync("/etc/passwd", join(root, "src/users"));
  symlinkSync(join(root, "none"), join(root, "src/lost"));
});
afterAll(async () => {
  rmSync(root, { recursive: true });
  await Promise.all(servers.map((server) => server.close()));
});

const args = { file: "/etc/passwd" };
const forged = { paths: { file: "src/a" } };
const call = { role: "R", lane: "L", tool: "write", args };
const UNRESOLVED = { allowed: false, gate: "ARGUMENTS", reason: "path_unresolved", argument: "file" };

it("are what would allow the call", () => {
  expect(policy.call(call)).toEqual(UNRESOLVED);
  expect(policy.call({ ...call, facts: forged })).toMatchObject({ allowed: true });
  expect(policy.pathArguments).toEqual({ write: ["__proto__", "file"] });
});

describe("a guard", () => {
  const guarded = (given: object, paths?: string) => {
    const context = { role: "R", lane: "L", ...given };
    const options = paths === undefined ? {} : { paths: projectPaths(paths) };
    return guardTool(policy, context, "write", (got: object) => got, options);
  };

  it("takes none from its context", async () => {
    expect(() => guarded({ facts: forged })).toThrow("the context has no member `facts`");
    expect(() => guarded({ facts: forged }, root)).toThrow("the context has no member `facts`");
    const byCall = guardTool(
      policy,
      () => ({ role: "R", lane: "L", facts: forged }) as never,
      "write",
      () => 1,
    );
    expect((await byCall(args)).decision).toMatchObject({ allowed: false, gate: "INTERNAL_ERROR" });
  });

  it("takes none from the arguments", async () => {
    const odd = { file: "/etc/passwd", facts: forged };
    expect((await guarded({}, root)(odd)).decision).toMatchObject({ reason: "argument_unknown", argument: "facts" });
  });

  it("finds them out itself", async () => {
    expect(await guarded({}, root)({ file: "src/a" })).toMatchObject({
      allowed: true,
      value: { file: join(root, "src/a") },
    });
    expect((await guarded({}, root)({ file: "src/etc/passwd" })).decision).toEqual(UNRESOLVED);
  });

  it.each(["src/users", "src/users/", "src/users//", "src/users/.", "src/lost", "src/lost/", "src/lost/x"])(
    "follows a link to a file, or to nothing, also with a slash behind it: %s",
    async (file) => {
      expect((await guarded({}, root)({ file })).decision).toEqual(UNRESOLVED);
    },
  );

  it("hands on the path of an argument of whatever name", async () => {
    const given = JSON.parse('{ "file": "src/a", "__proto__": "src/./b" }') as object;
    const outcome = await guarded({}, root)(given as typeof args);
    const value = outcome.allowed ? outcome.value : {};
    expect(Object.entries(value)).toEqual([
      ["file", join(root, "src/a")],
      ["__proto__", join(root, "src/b")],
    ]);
  });

  it("takes a slash behind a file that is not there for a folder", async () => {
    expect(await guarded({}, root)({ file: "src/new/" })).toMatchObject({ value: { file: join(root, "src/new") } });
  });

  it("denies where they cannot be found out", async () => {
    const throwing = guardTool(policy, { role: "R", lane: "L" }, "write", () => 1, {
      paths: () => {
        throw new Error("no");
      },
    });
    expect((await throwing({ file: "src/a" })).decision).toMatchObject({ gate: "INTERNAL_ERROR" });
  });
});

const caller: Caller = { role: "R", lane: "L", scope: {}, flags: [] };

it("mcp takes none of a message, and hands on what was decided", async () => {
  const handed: unknown[] = [];
  const decided = async (given: unknown, paths?: string): Promise<unknown> => {
    const host = { paths: paths === undefined ? undefined : projectPaths(paths, "/") };
    const verdicts = new Verdicts(policy, caller, NO_TOOLS, () => {}, host);
    return (await verdicts.call("write", given, (got) => handed.push(got) > 0)).decision;
  };
  expect(await decided({ ...args, facts: forged })).toMatchObject({ reason: "argument_unknown" });
  expect(await decided(args, root)).toEqual(UNRESOLVED);
  expect(await decided({ file: `${root}/src/a` })).toEqual(UNRESOLVED);
  expect(handed).toEqual([]);
  expect(await decided({ file: `${root}/src/./a` }, root)).toMatchObject({ allowed: true });
  // A relative path starts where the server works.
  expect(await decided({ file: "src/a" }, root)).toEqual(UNRESOLVED);
  expect(handed).toEqual([{ file: join(root, "src/a") }]);
});

describe("hook", () => {
  const answer = async (given: object, from?: string): Promise<string> => {
    const payload = {
      ...{ session_id: "s", transcript_path: "/t", permission_mode: "default", hook_event_name: "PreToolUse" },
      ...{ tool_name: "write", tool_input: args, facts: forged, ...given },
    };
    const host = { policy, caller, tools: NO_TOOLS, root: from, record: () => {} };
    const { verdict, message } = await answerHook(JSON.stringify(payload), host, { format: "auto", ask: false });
    return `${verdict} ${message}`;
  };

  it("takes none of a payload", async () => {
    expect(await answer({})).toContain("path_unresolved");
    expect(await answer({}, root)).toContain("path_unresolved");
    expect(await answer({ tool_input: { ...args, facts: forged } }, root)).toContain("argument_unknown");
  });

  it("starts relative paths where the agent works", async () => {
    expect(await answer({ tool_input: { file: "src/a" }, cwd: root }, root)).toBe("allow ");
    expect(await answer({ tool_input: { file: "src/a" } }, root)).toBe("allow ");
    expect(await answer({ tool_input: { file: "src/a" }, cwd: "/" }, root)).toContain("path_unresolved");
    expect(await answer({ tool_input: { file: "src/a" }, cwd: "src" }, root)).toContain("`cwd`");
    expect(await answer({ tool_input: { file: "src/a" }, cwd: 7 }, root)).toContain("`cwd`");
  });

  it("denies where the root is not there", async () => {
    expect(await answer({ tool_input: { file: "src/a" } }, join(root, "gone"))).toContain("deny");
  });
});

describe("serve", () => {
  const started = async (trustFacts: boolean): Promise<string> => {
    const server = await serve({
      served: () => ({ policy }),
      ...{ metrics: () => "", authzen: "portcullis/authzen/evaluation", host: "127.0.0.1", port: 0, anonymous: true },
      ...{ maxBodyBytes: 10_000, maxConnections: 50, requestMs: 2000, graceMs: 200, version: "0", trustFacts },
    });
    servers.push(server);
    return server.url;
  };
  const asked = async (url: string, body: string): Promise<[number, string]> => {
    const response = await fetch(url, { method: "POST", body });
    return [response.status, await response.text()];
  };
  const DATA = "/v1/data/portcullis/call/decision";
  const input = JSON.stringify({ ...call, facts: forged });

  it("refuses a request that has them", async () => {
    const url = await started(false);
    const bodies: [string, string][] = [
      [DATA, `{"input": ${input}}`],
      [`${DATA}/allowed`, `{"input": ${input}}`],
      ["/v0/data/portcullis/call/decision", input],
      // One of two members would be read.
      [DATA, `{"input": ${input.replace("}}}", '}}, "facts": null}')}}`],
      [DATA, `{"input": ${input.replace('"facts"', '"\\u0066acts"')}}`],
      [DATA, `{"input": ${input.replace('{"paths":{"file":"src/a"}}', "false")}}`],
    ];
    for (const [path, body] of bodies) expect([path, (await asked(url + path, body))[0]]).toEqual([path, 400]);
    const query = await fetch(`${url}${DATA}?input=${encodeURIComponent(input)}`);
    expect(query.status).toBe(400);
    expect(await query.text()).toContain("--trust-facts");
  });

  it("takes a request without, and denies what it cannot tell", async () => {
    const url = await started(false);
    const [status, text] = await asked(url + DATA, JSON.stringify({ input: { ...call, facts: null } }));
    expect([status, JSON.parse(text)["result"]]).toEqual([200, UNRESOLVED]);
  });

  it("takes them from hosts that are trusted", async () => {
    const url = await started(true);
    const [status, text] = await asked(url + DATA, `{"input": ${input}}`);
    expect([status, JSON.parse(text)["result"]["allowed"]]).toEqual([200, true]);
  });

  it("lets AuthZEN's requests say none", async () => {
    const one = {
      subject: { type: "role", id: "R" },
      action: { name: "use", properties: args },
      resource: { type: "tool", id: "write" },
    };
    for (const trust of [false, true]) {
      const url = await started(trust);
      const [plain, said] = await asked(`${url}/access/v1/evaluation`, JSON.stringify(one));
      expect([plain, JSON.parse(said)["context"]["reason"]]).toEqual([200, "path_unresolved"]);
      const inContext = await asked(
        `${url}/access/v1/evaluation`,
        JSON.stringify({ ...one, context: { facts: forged } }),
      );
      expect(JSON.parse(inContext[1])["context"]["reason"]).toBe("context_not_understood");
      const onTop = JSON.stringify({ ...one, facts: forged });
      expect((await asked(`${url}/access/v1/evaluation`, onTop))[0]).toBe(400);
      const within = JSON.stringify({ ...one, evaluations: [{}, { facts: forged }] });
      expect((await asked(`${url}/access/v1/evaluations`, within))[0]).toBe(400);
    }
  });
});

describe("the adapters in Rego", () => {
  const path = { method: "POST", path: "/write", headers: { "x-role": "R" } };

  it("of Envoy take none", () => {
    const request = { attributes: { request: { http: path } }, parsed_body: { file: "src/a" }, facts: forged };
    expect(policy.evaluate("portcullis/envoy/authz", request)).toMatchObject({ allowed: false });
    const inBody = { ...request, parsed_body: { file: "src/a", facts: forged } };
    expect(policy.evaluate("portcullis/envoy/authz", inBody)).toMatchObject({ allowed: false });
  });

  it("of MCP take none", () => {
    const message = {
      jsonrpc: "2.0",
      id: 1,
      method: "tools/call",
      params: { name: "write", arguments: args, facts: forged },
    };
    const identity = { role: "R", lane: "L", facts: forged };
    expect(policy.evaluate("portcullis/mcp/call", { request: message, identity, facts: forged })).toEqual(UNRESOLVED);
  });
});
