/** A host that `init --for` has configured, in folders of its own, and one run of it. */

import { execFileSync, spawn, spawnSync } from "node:child_process";
import { generateKeyPairSync } from "node:crypto";
import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import type { AgentHost, Place } from "./hosts.ts";

export const root = fileURLToPath(new URL("../../", import.meta.url));
export const installed = process.env["AGENT_HOSTS_FOLDER"] ?? join(root, "out/agent-hosts");
export const portcullis = join(root, "compiler/bin/portcullis.js");
const MOST_MS = 120_000;

/** Files of one run, outside of what the agent works in. */
export interface Files {
  readonly folder: string;
  readonly bundle: string;
  readonly key: string;
  /** Where the host's hook stands. */
  readonly configuration: string;
  /** Stands for Node in the hook: it leaves a mark, so that a host that never asks is told from one that obeys. */
  readonly node: string;
  readonly heard: string;
}

/** Changes what `init --for` wrote. Throws where the text is not there. */
export function edited(path: string, ...pairs: readonly (readonly [from: string, to: string])[]): void {
  const text = readFileSync(path, "utf8");
  const changed = pairs.reduce((before, [from, to]) => before.replaceAll(from, to), text);
  if (changed === text) throw new Error(`${path} has no ${pairs[0]?.[0]}`);
  writeFileSync(path, changed);
}

export const script = (path: string, ...lines: readonly string[]): void =>
  writeFileSync(path, ["#!/bin/sh", ...lines, ""].join("\n"), { mode: 0o755 });

export interface Configuring {
  readonly folder: string;
  readonly version: string;
  readonly place: Place;
  readonly words: readonly string[];
  /** A bundle without a signature; absent: the example's. */
  readonly policy?: string;
}

/** Runs `init --for`, as a user does. Gives its files, or that it refuses. */
export function configuredHook(
  host: AgentHost,
  { folder, version, place, words, policy }: Configuring,
): Files | string {
  const at = (name: string): string => join(folder, "policy", name);
  const [bundle, key] = [at("bundle.tar.gz"), at("key.pem")];
  const { publicKey, privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
  writeFileSync(key, publicKey.export({ type: "spki", format: "pem" }));
  writeFileSync(at("private.pem"), privateKey.export({ type: "pkcs8", format: "pem" }));
  const options = { cwd: place.project, encoding: "utf8", env: environmentOf(host, place) } as const;
  const signing = [
    "sign",
    policy ?? join(root, "generated/bundle.tar.gz"),
    "--signing-key",
    at("private.pem"),
    "-o",
    bundle,
  ];
  execFileSync(process.execPath, [portcullis, ...signing], options);
  const init = [portcullis, "init", "--for", host.id, "--host-version", version, "--yes"];
  const kept = ["--history", at("history"), "--approvals", at("approvals")];
  const given = [...init, "--policy", bundle, "--verification-key", key, ...kept, ...words];
  const { stdout, stderr } = spawnSync(process.execPath, given, options);
  const configuration = /^wrote (.*)$/m.exec(stdout)?.[1];
  if (configuration === undefined) {
    if (/does not obey/.test(stderr)) return "refused";
    throw new Error(`init --for ${host.id}: ${stderr}`);
  }
  const [node, heard] = [join(folder, "node"), join(folder, "heard")];
  script(node, `: > '${heard}'`, `exec '${process.execPath}' "$@"`);
  edited(configuration, [`'${process.execPath}'`, `'${node}'`], [`"${process.execPath}"`, `"${node}"`]);
  return { folder, bundle, key, configuration, node, heard };
}

function environmentOf({ environment }: AgentHost, place: Place): Record<string, string> {
  const path = `${dirname(process.execPath)}:/usr/bin:/bin`;
  return { CHIRALITY_ENABLE_SUBAGENTS: "true", PATH: path, HOME: place.home, LANG: "C.UTF-8", ...environment(place) };
}

export async function run(host: AgentHost, place: Place, args: readonly string[] = host.args): Promise<void> {
  const child = spawn(join(installed, "node_modules/.bin", host.program), args, {
    ...{ cwd: place.project, env: environmentOf(host, place), stdio: ["ignore", "ignore", "ignore"], detached: true },
  });
  const timer = setTimeout(() => process.kill(-(child.pid as number), "SIGKILL"), MOST_MS);
  await once(child, "exit");
  clearTimeout(timer);
}
