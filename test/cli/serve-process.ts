/** `portcullis serve` as a process: its start, the questions that it answers, its end. */

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { get } from "node:http";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, afterEach, beforeAll } from "vitest";
import { nodeHost } from "../../compiler/documents/node.ts";
import { compile } from "../../compiler/governance/pipeline.ts";
import { removeFolder, temporaryFolder } from "./terminal.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));
const bin = join(root, "compiler/bin/portcullis.js");
export const example: Uint8Array = readFileSync(join(root, "generated/bundle.tar.gz"));
const writer = { input: { role: "WRITER", lane: "DRAFTING" } };

export let folder = "";
/** The bundle of the example's policy under another revision. */
export let other: Uint8Array;
const children: ChildProcess[] = [];

/** For a file of tests: a folder and the other bundle, and no process outlives its test. */
export function useServeProcesses(): void {
  beforeAll(async () => {
    folder = temporaryFolder();
    const { compiled } = await compile({ host: nodeHost, dirs: [join(root, "policies")], revision: "other" });
    other = compiled?.bundle as Uint8Array;
  });
  afterAll(() => removeFolder(folder));
  afterEach(async () => {
    for (const child of children.splice(0))
      if (child.exitCode === null && child.signalCode === null) {
        child.kill("SIGKILL");
        await once(child, "exit");
      }
  });
}

export interface Running {
  readonly url: string;
  readonly child: ChildProcess;
  said(): string;
}

export const start = (source: string, ...flags: string[]): Promise<Running> => startWith([], source, ...flags);

export async function startWith(node: readonly string[], source: string, ...flags: string[]): Promise<Running> {
  const child = spawn(process.execPath, [...node, bin, "serve", source, "--addr", "127.0.0.1:0", ...flags]);
  children.push(child);
  let said = "";
  child.stderr.on("data", (bytes: Buffer) => (said += bytes.toString()));
  await until(() => / on (?:http|unix):\S+\n/.test(said) || child.exitCode !== null);
  const [, url] = / on ((?:http|unix):\S+)\n/.exec(said) ?? [];
  if (url === undefined) throw new Error(`not serving: ${said}`);
  return { url, child, said: () => said };
}

export async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  for (const end = performance.now() + 60_000; !(await holds()); )
    if (performance.now() > end) throw new Error("waited for a minute");
    else await new Promise((resolve) => setTimeout(resolve, 20));
}

/** The text of a page, when it says what is awaited. */
export async function pageThatSays(url: string, says: RegExp): Promise<string> {
  let text = "";
  await until(async () => says.test((text = await (await fetch(url)).text())));
  return text;
}

export async function ask(
  { url }: Running,
  path = "portcullis/lane/decision",
  headers = {},
): Promise<number | unknown> {
  const response = await fetch(`${url}/v1/data/${path}`, { method: "POST", body: JSON.stringify(writer), headers });
  return response.ok ? ((await response.json()) as { result?: unknown }).result : response.status;
}

/** Over a connection of its own; `undefined` without an answer. */
export function healthOf({ url }: Running): Promise<number | undefined> {
  return new Promise((resolve) => {
    const request = get(`${url}/health`, { agent: false, timeout: 1000 }, (response) => {
      response.resume();
      response.on("end", () => resolve(response.statusCode));
    });
    request.on("timeout", () => request.destroy());
    request.on("error", () => resolve(undefined));
  });
}

export async function ended({ child }: Running, signal: NodeJS.Signals): Promise<number | null> {
  const exit = once(child, "exit");
  child.kill(signal);
  const [code] = (await exit) as [number | null];
  return code;
}
