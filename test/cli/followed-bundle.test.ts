/** The bundle of a proxy that runs: the next call is decided by the next bundle, and by none once none is good for too long. */

import { generateKeyPairSync } from "node:crypto";
import { renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { ReloadablePolicy } from "@portcullis/runtime";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { type FollowedBundle, followBundle } from "../../compiler/cli/policy/followed-bundle.ts";
import { unknownIds } from "../../compiler/cli/unknown-ids.ts";
import { NO_TOOLS } from "../../compiler/enforcement/gateway/index.ts";
import { compile } from "../../compiler/governance/pipeline.ts";
import { post, remote, say } from "../enforcement/gateway/remote.ts";
import { against, connected } from "../enforcement/gateway/session.ts";
import { virtualHost } from "../governance/sources/virtual-host.ts";
import { BundleServer } from "../runtime/operate/bundle-server.ts";
import { portcullis, removeFolder, temporaryFolder } from "./terminal.ts";

const filesOf = (role: string, tool: string): Record<string, string> => ({
  "roles.yaml": `roles: [{ role_id: ${role} }]\n`,
  "lanes.yaml": `lanes: [{ lane_id: L, allowed_callers: { roles: [${role}] }, allowed_actions: { tools: [${tool}] } }]\n`,
  "tool_registry.yaml": `tools: [{ tool_name: ${tool}, enabled: true, implementation_status: implemented }]\n`,
});
async function bundleOf(role: string, tool: string): Promise<Uint8Array> {
  const { compiled, diagnostics } = await compile({ host: virtualHost({ set: filesOf(role, tool) }), dirs: ["set"] });
  if (compiled === undefined) throw new Error(diagnostics.map(({ message }) => message).join("\n"));
  return compiled.bundle;
}

let folder = "";
let file = "";
let open: Uint8Array;
let closed: Uint8Array;
let others: Uint8Array;
beforeAll(async () => {
  folder = temporaryFolder();
  file = join(folder, "bundle.tar.gz");
  open = await bundleOf("R", "draft.create");
  closed = await bundleOf("R", "other");
  others = await bundleOf("S", "draft.create");
});
afterAll(() => removeFolder(folder));
const running: { close(): unknown }[] = [];
afterEach(async () => {
  for (const one of running.splice(0).reverse()) await one.close();
});

/** As `portcullis build -o` does it. */
function replace(bytes: Uint8Array | string): void {
  writeFileSync(`${file}.new`, bytes);
  renameSync(`${file}.new`, file);
}

async function following(place = file, given: Partial<FollowedBundle> = {}) {
  const lines: string[] = [];
  const policies = await followBundle(place, {
    ...{ options: {}, data: undefined, staleSeconds: 300 },
    unfit: (opened) => unknownIds(opened, { role: "R", lane: "L" }, NO_TOOLS)[0],
    log: (line) => lines.push(line),
    ...given,
  });
  running.push(policies);
  return { policies, lines };
}
const caller = { role: "R", lane: "L", scope: {}, flags: [] };
const answer = (policies: ReloadablePolicy): string => {
  const { gate, reason } = policies.current.call({ role: "R", lane: "L", tool: "draft.create" });
  return `${gate} ${reason}`;
};
const [ALLOWED, DENIED] = ["ALLOW call_allowed", "TOOL tool_not_registered"];

describe("a proxy that runs", () => {
  it("over pipes decides the next call by the next bundle", async () => {
    replace(open);
    const { policies } = await following();
    const of = against("well", { policy: policies, caller });
    const client = await connected(of);
    expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(["draft.create"]);
    expect(await client.callTool({ name: "draft.create" })).not.toHaveProperty("isError");
    replace(closed);
    await expect.poll(async () => (await client.callTool({ name: "draft.create" })).isError).toBe(true);
    expect((await client.listTools()).tools).toEqual([]);
    const [first, last] = [of.records[0], of.records.at(-1)];
    expect([first?.disposition, last?.disposition, first?.revision === last?.revision]).toEqual([
      "ALLOW",
      "DENY",
      false,
    ]);
    of.input.end();
    await of.end;
    await client.close();
  });

  it("over HTTP denies everything once no good bundle was there for too long, and goes on with the next", async () => {
    replace(open);
    const { policies, lines } = await following(file, { staleSeconds: 1 });
    const of = await remote(policies, (_, response) => say(response, { jsonrpc: "2.0", id: 1, result: {} }), {
      caller,
    });
    running.push(of);
    const call = { id: 1, method: "tools/call", params: { name: "draft.create" } };
    const told = async (): Promise<unknown> => (await post(of, call)).json.result?.["isError"];
    expect(await told()).toBeUndefined();
    rmSync(file);
    await expect.poll(told).toBe(true);
    const asked = of.sent.length;
    expect((await post(of, { id: 1, method: "resources/read", params: { uri: "memo://x" } })).json.error?.code).toBe(
      -32_602,
    );
    expect([await told(), of.sent.length]).toEqual([true, asked]);
    expect(lines).toEqual([
      expect.stringContaining("the policy stays as it was: cannot read"),
      "no good bundle for 1 seconds: everything is denied until there is one",
    ]);
    replace(open);
    await expect.poll(told).toBeUndefined();
    expect(lines.at(-1)).toMatch(/^decides by revision [0-9a-f]{16}$/);
  });
});

describe("a bundle that is followed", () => {
  it("is not replaced by one that is refused, that lacks what the command line names, or that is not signed", async () => {
    const { publicKey, privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
    const key = join(folder, "private.pem");
    writeFileSync(key, privateKey.export({ type: "pkcs8", format: "pem" }));
    const signed = async (bytes: Uint8Array): Promise<void> => {
      writeFileSync(join(folder, "plain.tar.gz"), bytes);
      const words = ["sign", join(folder, "plain.tar.gz"), "--signing-key", key, "-o", `${file}.new`];
      expect(await portcullis(...words)).toMatchObject({ code: 0 });
      renameSync(`${file}.new`, file);
    };
    const pem = String(publicKey.export({ type: "spki", format: "pem" }));
    const verification = { keys: { default: { algorithm: "RS256", key: pem } }, keyId: "default" } as const;
    await signed(open);
    const { policies, lines } = await following(file, { options: { verification }, staleSeconds: 20 });
    const first = policies.current.revision;
    const refused = async (message: string): Promise<void> => {
      await expect.poll(() => lines.at(-1)).toContain(message);
      expect([policies.current.revision, answer(policies)]).toEqual([first, ALLOWED]);
    };
    replace("no bundle");
    await refused("the policy stays as it was:");
    replace(closed);
    await refused("the bundle is not signed");
    await signed(others);
    await refused("the policy has no role `R`");
    await signed(closed);
    await expect.poll(() => answer(policies)).toBe(DENIED);
    // Told once it decides.
    await expect.poll(() => lines.at(-1)).toBe(`decides by revision ${policies.current.revision}`);
    replace(open);
    await expect(following(file, { options: { verification } })).rejects.toThrow("was refused");
  });

  it("may be a URL's", async () => {
    const server = await new BundleServer(open).start();
    running.push({ close: () => server.stop() });
    const { policies } = await following(server.url, { staleSeconds: 2 });
    expect(answer(policies)).toBe(ALLOWED);
    server.bundle = closed;
    await expect.poll(() => answer(policies)).toBe(DENIED);
    await server.stop();
    await expect(following(server.url)).rejects.toThrow();
  });

  it.each([
    ["no file", () => rmSync(file, { force: true }), "cannot read"],
    ["no bundle", () => replace("x"), "was refused"],
    ["another role", () => replace(others), "the policy has no role `R`"],
  ])("has to be good at the start: %s", async (_, make, message) => {
    make();
    await expect(following()).rejects.toThrow(message);
  });
});
