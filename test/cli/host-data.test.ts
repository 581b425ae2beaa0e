/** `--data` of the commands that decide for others: read whole or refused, and no policy serves that lacks a part of it. */

import { type ChildProcess, execFileSync, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { runHook } from "../../compiler/cli/hook/run.ts";
import { compile } from "../../compiler/governance/pipeline.ts";
import { hostile } from "../enforcement/gateway/session.ts";
import { virtualHost } from "../governance/sources/virtual-host.ts";
import { root } from "../pages/page.ts";
import { BundleServer } from "../runtime/operate/bundle-server.ts";
import { portcullis, removeFolder, temporaryFolder } from "./terminal.ts";

const bin = join(root, "compiler/bin/portcullis.js");
const built = existsSync(join(root, "compiler/dist/bin/start.js"));
const filesOf = (hostData: string): Record<string, string> => ({
  "portcullis.yaml": `rego: { host_data: [${hostData}] }\n`,
  "roles.yaml": "roles: [{ role_id: R, privileges: { lanes: [L] } }]\n",
  "lanes.yaml": "lanes: [{ lane_id: L, allowed_callers: { roles: [R] }, allowed_actions: { tools: [t] } }]\n",
  "tool_registry.yaml": "tools: [{ tool_name: t, enabled: true, implementation_status: implemented }]\n",
  "ext/tool.rego":
    'package portcullis.ext.tool\n\ndeny contains {"gate": "FREEZE", "reason": "frozen"} if data.desk.frozen[input.tool]\n',
});

let folder = "";
let bundle = "";
const at = (name: string): string => join(folder, name);
const put = (name: string, text: string | Uint8Array): string => {
  writeFileSync(at(name), text);
  return at(name);
};
async function bundleOf(hostData: string, revision: string): Promise<Uint8Array> {
  const { compiled } = await compile({ host: virtualHost({ p: filesOf(hostData) }), dirs: ["p"], revision });
  return compiled?.bundle as Uint8Array;
}
beforeAll(async () => {
  folder = temporaryFolder();
  bundle = put("bundle.tar.gz", await bundleOf("desk.frozen", "one"));
});
afterAll(() => removeFolder(folder));

const open = '{"desk":{"frozen":{}}}';
const frozen = '{"desk":{"frozen":{"t":true}}}';
const lacking = "the policy denies everything without `data.desk.frozen`, which its host supplies";
const caller = ["--role", "R", "--lane", "L"];

const BAD: readonly (readonly [text: string | Uint8Array, problem: string])[] = [
  ["", "is not data"],
  ["{", "is not data"],
  ["{} {}", "is not data"],
  ["[]", "is no JSON object"],
  ['{"desk":{"frozen":{},"frozen":{"t":true}}}', "is not data"],
  ['{"desk":{"frozen":{"t":12345678901234567890}}}', "12345678901234567890, which a double rounds"],
  ['{"desk":{"frozen":"\\ud800"}}', "is not data"],
  [Uint8Array.from([0x22, 0xff, 0x22]), "is not valid UTF-8"],
];

describe("hook --data", () => {
  const hook = (...words: string[]): ReturnType<typeof runHook> =>
    runHook(["--policy", bundle, ...caller, ...words], async () => new TextEncoder().encode('{"tool":"t","args":{}}'));

  it("decides with it, and denies without, with the name of what is missing", async () => {
    expect(await hook("--data", put("open.json", open))).toMatchObject({ code: 0, out: "" });
    expect(await hook("-d", at("open.json"))).toMatchObject({ code: 0, out: "" });
    expect(await hook("--data", put("frozen.json", frozen))).toMatchObject({
      code: 2,
      err: expect.stringMatching(/frozen/),
    });
    expect(await hook()).toMatchObject({ code: 2, err: expect.stringContaining(lacking) });
    for (const part of ["{}", '{"desk":{}}', '{"desk":[]}'])
      expect(await hook("--data", put("part.json", part))).toMatchObject({
        code: 2,
        err: expect.stringContaining(lacking),
      });
  });

  it("denies where it cannot be read whole, and in one way", async () => {
    for (const [text, problem] of BAD)
      expect(await hook("--data", put("bad.json", text))).toMatchObject({
        code: 2,
        err: expect.stringContaining(problem),
      });
    for (const path of [at("absent.json"), folder, "-"]) expect(await hook("--data", path)).toMatchObject({ code: 2 });
  });
});

describe("eval and explain --data", () => {
  it("read it in the same way", async () => {
    const entrypoint = "portcullis/tool/decision";
    const input = put("input.json", '{"role":"R","lane":"L","tool":"t"}');
    for (const command of ["eval", "explain"]) {
      const run = (data: string): ReturnType<typeof portcullis> =>
        portcullis(command, bundle, entrypoint, "-i", input, "--fail", "--data", data);
      expect(await run(put("open.json", open))).toMatchObject({ code: 0 });
      expect(await run(put("frozen.json", frozen))).toMatchObject({ code: 1 });
      for (const [text, problem] of BAD)
        expect(await run(put("bad.json", text))).toMatchObject({ code: 2, err: expect.stringContaining(problem) });
    }
  });
});

describe("what decides otherwise", () => {
  // A script that may run while the host's data does not freeze it.
  let policy = "";
  beforeAll(async () => {
    const rules = ["exec", "close", "handoff"].map((kind) => [
      `ext/${kind}.rego`,
      `package portcullis.ext.${kind}\n\ndeny contains {"gate": "FREEZE", "reason": "frozen"} if data.desk.frozen[_]\n`,
    ]);
    const files = {
      ...filesOf("desk.frozen"),
      "exec.yaml": "modes: [normal, mode-init]\nstaging_root: /srv/q\n",
      ...Object.fromEntries(rules),
    };
    const { compiled } = await compile({ host: virtualHost({ p: files }), dirs: ["p"] });
    policy = put("deciding.tar.gz", compiled?.bundle as Uint8Array);
  });

  it.each<[string, () => readonly string[]]>([
    ["exec run", () => ["exec", "run", at("absent.py"), "--mode", "normal", "--policy", policy]],
    ["exec check", () => ["exec", "check", "--inline", "--mode", "mode-init", "--policy", policy]],
    ["handoff validate", () => ["handoff", "validate", at("input.json"), "--root", folder, "--policy", policy]],
    ["exec close", () => ["exec", "close", "--contract", at("contract.json"), "--unsigned", "--policy", policy]],
    ["harness", () => ["harness", "--request", at("input.json"), "--run_id", "r", "--out", folder, "--policy", policy]],
    ["audit verify", () => ["audit", "verify", at("input.json"), "--policy", policy]],
  ])("%s asks nothing of a policy that lacks data of its host", async (_, words) => {
    put("input.json", "{}");
    put("contract.json", JSON.stringify({ contract_id: "c", status: "open", baseline_sha: "a".repeat(40) }));
    expect(await portcullis(...words())).toMatchObject({ code: 2, err: expect.stringContaining(lacking) });
    const part = put("part.json", "{}");
    expect(await portcullis(...words(), "--data", part)).toMatchObject({
      code: 2,
      err: expect.stringContaining(lacking),
    });
    const given = await portcullis(...words(), "--data", put("open.json", open));
    expect(given.err).not.toContain(lacking);
  });

  it("exec check decides with it", async () => {
    const check = (data: string): ReturnType<typeof portcullis> =>
      portcullis("exec", "check", "--inline", "--mode", "mode-init", "--policy", policy, "--data", data);
    expect(await check(put("open.json", open))).toMatchObject({ code: 0 });
    expect(await check(put("frozen.json", frozen))).toMatchObject({ code: 1, out: expect.stringContaining("frozen") });
  });
});

describe.skipIf(!built)("mcp --data", () => {
  const mcp = (...words: string[]): { status: number | null; stdout: string; stderr: string } => {
    const call = { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "t", arguments: {} } };
    const args = [bin, "mcp", "--policy", bundle, ...caller, ...words, "--", process.execPath, hostile, "well"];
    return spawnSync(process.execPath, args, { encoding: "utf8", input: `${JSON.stringify(call)}\n`, timeout: 60_000 });
  };

  it("decides with it, and does not start without", () => {
    expect(mcp("--data", put("open.json", open)).stdout).not.toContain("denies");
    expect(mcp("--data", put("frozen.json", frozen)).stdout).toContain("frozen");
    const without = mcp();
    expect(without).toMatchObject({ status: 2, stdout: "", stderr: expect.stringContaining(lacking) });
    expect(without.stderr).toContain("name a file that holds it with `--data`");
    expect(mcp("--data", put("bad.json", "[]"))).toMatchObject({ status: 2, stdout: "" });
  });
});

describe.skipIf(!built)("serve --data", () => {
  const children: ChildProcess[] = [];
  afterEach(async () => {
    for (const child of children.splice(0))
      if (child.exitCode === null && child.signalCode === null) {
        child.kill("SIGKILL");
        await once(child, "exit");
      }
  });

  interface Running {
    readonly child: ChildProcess;
    said(): string;
    gate(): Promise<unknown>;
  }

  async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
    while (!(await holds())) await new Promise((resolve) => setTimeout(resolve, 20));
  }

  async function start(source: string, ...flags: string[]): Promise<Running> {
    const child = spawn(process.execPath, [bin, "serve", source, "--addr", "127.0.0.1:0", ...flags]);
    children.push(child);
    let said = "";
    child.stderr.on("data", (bytes: Buffer) => (said += bytes.toString()));
    await until(() => / on http:\S+\n/.test(said) || child.exitCode !== null);
    const [, url] = / on (http:\S+)\n/.exec(said) ?? [];
    const body = '{"input":{"role":"R","lane":"L","tool":"t"}}';
    const gate = async (): Promise<unknown> => {
      const response = await fetch(`${url}/v1/data/portcullis/tool/decision`, { method: "POST", body });
      return response.ok ? ((await response.json()) as { result: { gate: string } }).result.gate : response.status;
    };
    return { child, said: () => said, gate };
  }

  it("serves with all of it alone, and reads it again with the bundle on SIGHUP: both, or neither", async () => {
    const none = await start(bundle);
    expect(none.said()).toContain(lacking);
    await until(() => none.child.exitCode !== null);
    expect(none.child.exitCode).toBe(2);
    const [file, data] = [put("served.tar.gz", await bundleOf("desk.frozen", "one")), put("data.json", open)];
    const running = await start(file, "--data", data);
    expect(await running.gate()).toBe("ALLOW");
    put("data.json", frozen);
    running.child.kill("SIGHUP");
    await until(async () => (await running.gate()) === "FREEZE");
    // A bundle that is broken, and data that cannot be read: what there was goes on, whole.
    for (const [bytes, text] of [
      [new Uint8Array(100), open],
      [await bundleOf("desk.frozen", "two"), "{"],
    ] as const) {
      const before = running.said().length;
      put("served.tar.gz", bytes);
      put("data.json", text);
      running.child.kill("SIGHUP");
      await until(() => running.said().slice(before).includes("the policy stays as it was"));
      expect(await running.gate()).toBe("FREEZE");
    }
    // A pipe would be waited for, by who decides.
    for (const path of [file, data]) {
      const before = running.said().length;
      rmSync(path);
      execFileSync("mkfifo", [path]);
      running.child.kill("SIGHUP");
      await until(() => running.said().slice(before).includes(`\`${path}\` is no regular file`));
      expect(await running.gate()).toBe("FREEZE");
      rmSync(path);
      put("served.tar.gz", await bundleOf("desk.frozen", "two"));
    }
    put("data.json", open);
    running.child.kill("SIGHUP");
    await until(() => running.said().includes("serving revision two\n"));
    expect(await running.gate()).toBe("ALLOW");
    // A bundle that needs more denies, and says what.
    put("served.tar.gz", await bundleOf("desk.frozen, limits", "three"));
    running.child.kill("SIGHUP");
    await until(() => running.said().includes("denies everything without `data.limits`"));
    expect(await running.gate()).not.toBe("ALLOW");
  });

  it("keeps it for bundles that are followed, and reads it again on SIGHUP", async () => {
    const server = await new BundleServer(await bundleOf("desk.frozen", "one")).start();
    try {
      const data = put("followed.json", open);
      const running = await start(server.url, "--follow", "1", "--data", data);
      expect(await running.gate()).toBe("ALLOW");
      put("followed.json", frozen);
      running.child.kill("SIGHUP");
      await until(async () => (await running.gate()) === "FREEZE");
      server.bundle = await bundleOf("desk.frozen", "two");
      await until(() => running.said().includes("serving revision two\n"));
      expect(await running.gate()).toBe("FREEZE");
    } finally {
      await server.stop();
    }
  });
});
