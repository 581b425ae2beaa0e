/**
 * The configurations of policies/deploy, each started where its program is there: a real opa with make test-opa, systemd's own
 * check, the embedded service. Envoy is held by its structure alone: no registry of ours has its binary.
 */

import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { parseAllDocuments } from "yaml";
import { freePort } from "../free-port.ts";
import { compileExample, publicKey, signed } from "./bundles.ts";
import { hasOpa, runOpa, succeeds, until } from "./opa.ts";
import { Services } from "./services.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));
const deploy = join(root, "policies/deploy");
const text = (file: string): string => readFileSync(join(deploy, file), "utf8");
const documents = (yaml: string): unknown[] => parseAllDocuments(yaml).map((document) => document.toJS() as unknown);
type Tree = { readonly [key: string]: Tree } & readonly Tree[] & string;
/** What stands at a path; throws where there is nothing. */
function at(tree: Tree, ...path: readonly (string | number)[]): Tree {
  let found: Tree = tree;
  for (const key of path) {
    const next = (found as unknown as { readonly [key: string]: Tree | undefined })[key];
    if (next === undefined) throw new Error(`nothing at ${path.join(".")}`);
    found = next;
  }
  return found;
}
const document = (file: string, i = 0): Tree => documents(text(file))[i] as Tree;

const folder = mkdtempSync(join(tmpdir(), "portcullis-deploy-"));
const key = join(folder, "release.pem");
let services: Services;

beforeAll(async () => {
  writeFileSync(key, publicKey);
  services = new Services(await freePort());
  services.bundle = await signed((await compileExample("deployed")).files);
  await services.start();
});
afterAll(async () => {
  await services.stop();
  rmSync(folder, { recursive: true, force: true });
});

/** What the environment gives to a configuration. */
function environment(name: string): { readonly [name: string]: string } {
  const STATE = join(folder, name);
  mkdirSync(STATE);
  const url = `http://127.0.0.1:${services.port}`;
  return { BUNDLE_URL: url, DECISION_LOG_URL: url, STATE };
}

async function decides(config: string, name: string, ...flags: string[]): Promise<void> {
  Object.assign(process.env, environment(name));
  const file = join(folder, `${name}.yaml`);
  writeFileSync(file, config);
  const opa = await runOpa(["--config-file", file, "--set-file", `keys.release.key=${key}`, ...flags]);
  try {
    await until(async () => (await fetch(`${opa.url}/health?bundles`)).ok, "the bundle");
    const body = JSON.stringify({ input: { role: "WRITER", lane: "DRAFTING" } });
    const response = await fetch(`${opa.url}/v1/data/portcullis/lane/decision`, { method: "POST", body });
    expect(await response.json()).toMatchObject({ result: { allowed: true, gate: "ALLOW" } });
    const before = services.events.length;
    await until(() => services.events.slice(before - 1).some((event) => event.includes("WRITER")), "the decision log");
    // The last good bundle, for a restart without the bundle server.
    expect(existsSync(join(folder, name, "bundles", "portcullis", "bundle.tar.gz"))).toBe(true);
  } finally {
    await opa.stop();
  }
}

describe("policies/deploy", () => {
  it.skipIf(!hasOpa)("opa-server: opa serves the signed bundle, logs, and keeps it on disk", async () => {
    await decides(text("opa-server/opa.yaml"), "server");
  });

  it.skipIf(!hasOpa)("sidecar: opa starts with the configuration of the ConfigMap", async () => {
    const [config, deployment] = [document("sidecar/deployment.yaml"), document("sidecar/deployment.yaml", 1)];
    const opa = [...at(deployment as Tree, "spec", "template", "spec", "containers")].find(
      (container) => String(container["name"]) === "opa",
    ) as Tree;
    const args = [...(opa["args"] as readonly string[])];
    expect(args.slice(0, 2)).toEqual(["run", "--server"]);
    // Its addresses and paths are the pod's.
    const more = args.slice(2).filter((arg) => !/^--(addr|config-file|set-file|diagnostic-addr)=/.test(arg));
    expect(args.length - 2 - more.length).toBe(4);
    const health = `127.0.0.1:${await freePort()}`;
    await decides(String(config["data"]?.["opa.yaml"]), "sidecar", `--diagnostic-addr=${health}`, ...more);
  });

  it("sidecar and envoy have the server's configuration", () => {
    const server = document("opa-server/opa.yaml");
    const [sidecar] = documents(String(document("sidecar/deployment.yaml")["data"]?.["opa.yaml"]));
    expect(sidecar).toEqual(server);
    const { plugins, ...rest } = document("envoy/opa.yaml") as unknown as { plugins: Tree };
    expect(rest).toEqual(server);
    expect(plugins["envoy_ext_authz_grpc"]).toMatchObject({ path: "portcullis/envoy/authz", "dry-run": false });
  });

  it("envoy: fails closed, removes the headers of clients, and asks the plugin where it listens", () => {
    const bootstrap = document("envoy/envoy.yaml");
    const { listeners, clusters } = bootstrap["static_resources"] as unknown as { listeners: Tree; clusters: Tree[] };
    const manager = listeners[0]?.["filter_chains"]?.[0]?.["filters"]?.[0]?.["typed_config"] as Tree;
    expect(manager).toMatchObject({
      normalize_path: true,
      merge_slashes: false,
      path_with_escaped_slashes_action: "REJECT_REQUEST",
    });
    const filters = [...(manager["http_filters"] as readonly Tree[])];
    expect(filters.map((filter) => String(filter["name"]).split(".").at(-1))).toEqual([
      "jwt_authn",
      "ext_authz",
      "router",
    ]);
    expect(filters[1]?.["typed_config"]).toMatchObject({
      failure_mode_allow: false,
      transport_api_version: "V3",
      with_request_body: { allow_partial_message: false, pack_as_bytes: true },
    });
    // Every header that the policy believes is removed first, and set by the token's claims alone.
    const { envoy } = (documents(readFileSync(join(root, "policies/portcullis.yaml"), "utf8"))[0] as Tree)[
      "adapters"
    ] as Tree;
    const { scope, ...headers } = at(envoy as Tree, "headers") as unknown as { scope: { header: string }[] };
    const believed = [...Object.values(headers), ...scope.map(({ header }) => header)].map(String).sort();
    const mutations = manager["early_header_mutation_extensions"]?.[0]?.["typed_config"]?.[
      "mutations"
    ] as readonly Tree[];
    // And so is what frameworks take for another method or path than the one that was decided on.
    const methods = ["x-http-method", "x-http-method-override", "x-method-override"];
    const paths = ["x-envoy-original-path", "x-original-url", "x-rewrite-url"];
    const removed = [...mutations].map((one) => String(one["remove"]));
    expect(removed.sort()).toEqual([...believed, ...methods, ...paths].sort());
    const provider = filters[0]?.["typed_config"]?.["providers"]?.["press"] as Tree;
    const set = [...(provider["claim_to_headers"] as readonly Tree[])].map((one) => String(one["header_name"]));
    expect(set.sort()).toEqual(believed);
    const plugin = document("envoy/opa.yaml")["plugins"]?.["envoy_ext_authz_grpc"] as Tree;
    const cluster = clusters.find((one) => String(one["name"]) === "opa") as Tree;
    const address = cluster["load_assignment"]?.["endpoints"]?.[0]?.["lb_endpoints"]?.[0]?.["endpoint"]?.["address"];
    const { address: host, port_value: port } = at(address as Tree, "socket_address") as unknown as {
      [key: string]: unknown;
    };
    expect(`${host}:${port}`).toBe(String(plugin["addr"]));
  });

  it("embedded: the service follows the bundle server, and writes its log", async () => {
    // An OPA takes the Rego, the runtime the module.
    services.bundle = await signed((await compileExample("deployed", "both")).files);
    const { STATE, BUNDLE_URL } = environment("embedded") as { STATE: string; BUNDLE_URL: string };
    // Beside the packages, as in a service of yours.
    const file = join(root, "policies/deploy/embedded/service.mjs");
    const env = { ...process.env, STATE, RELEASE_KEY: key, PORT: "0", BUNDLE_URL: `${BUNDLE_URL}/bundle.tar.gz` };
    const child = spawn(process.execPath, [file], { env, stdio: ["ignore", "pipe", "pipe"] });
    try {
      let said = "";
      for (const stream of [child.stdout, child.stderr])
        stream.on("data", (bytes: Buffer) => (said += bytes.toString()));
      await until(() => {
        if (child.exitCode !== null) throw new Error(said);
        return said.includes("listening on ");
      });
      const url = `http://127.0.0.1:${/listening on (\d+)/.exec(said)?.[1]}`;
      expect((await fetch(`${url}/?role=WRITER&lane=DRAFTING`)).status).toBe(200);
      expect((await fetch(`${url}/?role=WRITER&lane=PUBLISHING`)).status).toBe(403);
      expect((await fetch(url)).status).toBe(403);
      expect(await (await fetch(`${url}/revision`)).text()).toBe("deployed\n");
      expect(await (await fetch(`${url}/metrics`)).text()).toContain("portcullis");
      const exit = once(child, "exit");
      child.kill("SIGTERM");
      expect((await exit)[0]).toBe(0);
      expect(readFileSync(join(STATE, "decisions.ndjson"), "utf8").trim().split("\n").length).toBe(3);
      expect(existsSync(join(STATE, "bundle.tar.gz"))).toBe(true);
    } finally {
      child.kill("SIGKILL");
    }
  });

  it.skipIf(!succeeds("systemd-analyze", "--version"))("systemd: the unit is one that systemd takes", () => {
    const unit = join(folder, "portcullis.service");
    const bin = join(root, "compiler/bin/portcullis.js");
    writeFileSync(unit, text("systemd/portcullis.service").replace("/usr/local/bin/portcullis", bin));
    const out = execFileSync("sh", ["-c", `systemd-analyze verify --man=no "${unit}" 2>&1`], { encoding: "utf8" });
    expect(out).toBe("");
    // Fails above an exposure of 2.0, of 10.
    execFileSync("systemd-analyze", ["security", "--offline=yes", "--threshold=20", "--no-pager", unit], {
      stdio: "pipe",
    });
    // It is started again for ever.
    for (const line of ["Restart=always", "StartLimitIntervalSec=0"])
      expect(text("systemd/portcullis.service").split("\n")).toContain(line);
  });
});
