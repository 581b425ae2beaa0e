/**
 * Loads mutants of a bundle, and writes what became of them: `node run.mjs BUNDLE COUNT SEED OUT`. OUT gets the mutants that
 * were taken, each after its length in four bytes; a report as JSON goes to standard output.
 */

import { appendFileSync, readFileSync, writeFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";
import { load, readBundle } from "@portcullis/runtime";
import { Random } from "../../../rego/plan/generate/random.ts";
import { entriesOf, mutantOf } from "./mutate.ts";

export interface MutantReport {
  readonly refused: { readonly [code: string]: number };
  /** What was taken: kind, and path and SHA-256 of each file. */
  readonly taken: readonly {
    readonly number: number;
    readonly kind: string;
    readonly files: readonly (readonly [string, string])[];
  }[];
  /** Errors other than LoadError, and decisions that are not those of the bundle. */
  readonly wrong: readonly string[];
  readonly slowest: { readonly ms: number; readonly kind: string };
  /** The most that the process has used, in bytes. */
  readonly memory: number;
}

const [path = "", count = "0", seed = "0", out = ""] = process.argv.slice(2);
const original = entriesOf(gunzipSync(readFileSync(path)));
writeFileSync(out, "");
const refused: Record<string, number> = {};
const taken: MutantReport["taken"][number][] = [];
const wrong: string[] = [];
let slowest = { ms: 0, kind: "" };
let memory = 0;

for (let number = 0; number < Number(count); number++) {
  const { kind, bytes, isBomb } = mutantOf(new Random(Number(seed) * 20_011 + number), original, number);
  // What making the mutant took is not what loading it takes.
  if (isBomb) globalThis.gc?.();
  const started = performance.now();
  try {
    const policy = await load(bytes);
    const answers = ["ann", "eve"].map(
      (user) => (policy.evaluate("app/decision", { user }) as { allowed?: unknown })?.allowed,
    );
    if (answers[0] !== true || answers[1] !== false)
      wrong.push(`${number} (${kind}) decides ${JSON.stringify(answers)}`);
    const files = await Promise.all(
      [...(await readBundle(bytes))].map(async ([name, content]) => [name, await sha256(content)] as const),
    );
    taken.push({ number, kind, files });
    const length = Buffer.alloc(4);
    length.writeUInt32BE(bytes.length);
    appendFileSync(out, Buffer.concat([length, bytes]));
  } catch (error) {
    const { name, code = "" } = error as { name?: string; code?: string };
    if (name !== "LoadError") wrong.push(`${number} (${kind}) throws ${String(error)}`);
    refused[code] = (refused[code] ?? 0) + 1;
  }
  const ms = performance.now() - started;
  if (ms > slowest.ms) slowest = { ms, kind };
  memory = Math.max(memory, process.memoryUsage.rss());
}
const report: MutantReport = { refused, taken, wrong, slowest, memory };
process.stdout.write(JSON.stringify(report));

async function sha256(bytes: Uint8Array): Promise<string> {
  return Buffer.from(await crypto.subtle.digest("SHA-256", bytes as Uint8Array<ArrayBuffer>)).toString("hex");
}
