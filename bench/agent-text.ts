/**
 * What text from outside costs: CPU time of `hook`, `mcp`, `serve` and `audit verify` for generated texts of every kind, up to
 * the limits of each. Time must be linear in the size. Prints a table, and writes bench/results/agent-text.svg.
 *
 *   npx tsx bench/agent-text.ts [--check]      exit 1 where twice the text takes more than three times as long
 */

import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { textChart } from "./agent-text-chart.ts";

const root = fileURLToPath(new URL("..", import.meta.url));
const bin = join(root, "compiler/bin/portcullis.js");
const bundle = join(root, "generated/bundle.tar.gz");
const folder = mkdtempSync(join(tmpdir(), "portcullis-text-"));
const MEBI = 1024 * 1024;

/** A piece repeated to a size, as arguments of a call. */
const filled = (piece: string, bytes: number): string => piece.repeat(Math.floor(bytes / Buffer.byteLength(piece)));
const listed = (item: (i: number) => string, bytes: number): string => {
  const items: string[] = [];
  for (let size = 0; size < bytes; size += Buffer.byteLength(items.at(-1) as string) + 1)
    items.push(item(items.length));
  return items.join(",");
};
const MARKS = "\u0301\u0316";

const KINDS: Readonly<Record<string, (bytes: number) => string>> = {
  letters: (n) => `{"title":"${filled("a", n)}"}`,
  "marks in a name": (n) => `{"a${filled(MARKS, n)}":1}`,
  "marks in a value": (n) => `{"title":"a${filled(MARKS, n)}"}`,
  "marks in many names": (n) => `{${listed((i) => `"${i}${MARKS.repeat(100)}":0`, n)}}`,
  "ligatures in a name": (n) => `{"${filled("\ufdfa", n)}":1}`,
  escapes: (n) => `{"title":"${filled("\\u0001", n)}"}`,
  backslashes: (n) => `{"title":"${filled("\\\\", n)}"}`,
  digits: (n) => `{"title":0.${filled("1", n)}}`,
  exponent: (n) => `{"title":1e-${filled("9", n)}}`,
  spaces: (n) => `{${filled(" ", n)}}`,
  items: (n) => `[${listed(() => "1", n)}]`,
  members: (n) => `{${listed((i) => `"k${i}":0`, n)}}`,
  nesting: (n) => `${"[".repeat(n / 2)}${"]".repeat(n / 2)}`,
};

interface Surface {
  readonly name: string;
  /** Bytes, each twice the one before; the last one is the limit, or nearly. */
  readonly sizes: readonly number[];
  /** Milliseconds of CPU time for arguments of a call. */
  cost(args: string): Promise<number>;
}

const CALLER = ["--policy", bundle, "--role", "WRITER", "--lane", "DRAFTING", "--lineage", "news_desk"];
const TOOLS = join(folder, "tools.yaml");
writeFileSync(TOOLS, "tools: { create: { tool: draft.create, scope: { story_id: story } } }\n");
const upTo = (most: number): number[] => [most / 4, most / 2, most].map(Math.floor);

const SURFACES: readonly Surface[] = [
  {
    ...{ name: "hook", sizes: upTo(7.9 * MEBI) },
    cost: async (args) => finished(["hook", ...CALLER, "--tools", TOOLS], `{"tool":"create","args":${args}}`),
  },
  {
    ...{ name: "mcp", sizes: upTo(7.9 * MEBI) },
    async cost(args) {
      const call = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"create","arguments":${args}}}\n`;
      const params = `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":${args}}\n`;
      const reads = ["--", process.execPath, "-e", "process.stdin.resume()"];
      return finished(["mcp", ...CALLER, "--tools", TOOLS, "--timeout", "1", ...reads], call + params);
    },
  },
  { ...{ name: "serve", sizes: upTo(0.99 * MEBI) }, cost: served },
  {
    ...{ name: "audit", sizes: upTo(15.9 * MEBI) },
    async cost(args) {
      const file = join(folder, "ledger.jsonl");
      writeFileSync(file, `{"ledger":{"sequence":1,"previous":""},"input":${args}}\n`);
      return finished(["audit", "verify", file]);
    },
  },
];

/** CPU time of one command, its input given at once. */
function finished(args: readonly string[], input = ""): number {
  const { stderr } = spawnSync(process.execPath, [...MEASURED, bin, ...args], { input, encoding: "utf8", ...LARGE });
  return said(stderr);
}

async function served(args: string): Promise<number> {
  const child = spawn(process.execPath, [...MEASURED, bin, "serve", bundle, "--addr", "127.0.0.1:0"]);
  let err = "";
  let out = "";
  child.stderr.on("data", (chunk: Buffer) => (err += chunk));
  child.stdout.on("data", (chunk: Buffer) => (out += chunk));
  while (!/127\.0\.0\.1:[1-9]\d*/.test(out + err)) await new Promise((resolve) => setTimeout(resolve, 20));
  const [address] = /127\.0\.0\.1:[1-9]\d*/.exec(out + err) as RegExpExecArray;
  const body = `{"input":{"role":"WRITER","lane":"DRAFTING","tool":"draft.create","args":${args}}}`;
  const url = `http://${address}/v1/data/portcullis/call/decision`;
  await fetch(url, { method: "POST", body }).then((answer) => answer.text());
  child.kill("SIGTERM");
  await once(child, "close");
  return said(err);
}

/** The measured process says its CPU time as it ends. */
const PRELOADED = join(folder, "cpu.cjs");
writeFileSync(
  PRELOADED,
  'process.on("exit",()=>{const{user,system}=process.cpuUsage();require("node:fs").writeSync(2,`\\ncpu ${(user+system)/1000}\\n`)})',
);
const MEASURED = ["-r", PRELOADED];
const LARGE = { maxBuffer: 256 * MEBI } as const;

function said(stderr: string): number {
  return Number([...stderr.matchAll(/^cpu ([\d.]+)$/gm)].at(-1)?.[1]);
}

/** The least of some runs: others use the machine, too. */
async function least(surface: Surface, args: string): Promise<number> {
  const runs: number[] = [];
  for (let i = 0; i < 2; i++) runs.push(await surface.cost(args));
  return Math.min(...runs);
}

export interface TextCost {
  readonly surface: string;
  readonly kind: string;
  readonly sizes: readonly number[];
  /** Milliseconds of CPU time beyond those for no text. */
  readonly ms: readonly number[];
}

const costs: TextCost[] = [];
for (const surface of SURFACES) {
  const base = await least(surface, "{}");
  console.log(`${surface.name}: ${base.toFixed(0)} ms of CPU time for no text`);
  for (const [kind, make] of Object.entries(KINDS)) {
    const ms: number[] = [];
    for (const size of surface.sizes) ms.push(Math.max(0, (await least(surface, make(size))) - base));
    costs.push({ surface: surface.name, kind, sizes: surface.sizes, ms });
    const cells = surface.sizes.map((size, i) => `${(size / MEBI).toFixed(2)} MiB ${ms[i]?.toFixed(0)} ms`);
    console.log(`  ${kind.padEnd(20)} ${cells.join("   ")}`);
  }
}
rmSync(folder, { recursive: true, force: true });
writeFileSync(join(root, "bench/results/agent-text.svg"), textChart(costs));
// Twice the text, twice the time: the last step, where a start and a first compilation weigh least; 100 ms are noise.
const steep = costs.filter(({ ms }) => (ms.at(-1) as number) > 3 * (ms.at(-2) as number) + 100);
for (const { surface, kind, ms } of steep) console.log(`not linear: ${surface}, ${kind}: ${ms.join(", ")} ms`);
if (process.argv.includes("--check") && steep.length > 0) process.exitCode = 1;
