/** A real `opa` over the library's files: the oracle, where one is installed. */
import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { DecisionName } from "../statements/index.ts";
import type { Batch, Evaluator } from "./evaluator.ts";

const library = fileURLToPath(new URL("../../compiler/library/", import.meta.url));

/** The library's modules, without their tests. */
export function libraryFiles(): string[] {
  return readdirSync(library)
    .filter((name) => name.endsWith(".rego") && !name.endsWith("_test.rego"))
    .sort()
    .map((name) => join(library, name));
}

export function hasOpa(): boolean {
  return spawnSync("opa", ["version"]).status === 0;
}

const MOST_AT_ONCE = 5_000;

/** `undefined` where there is no `opa` on the PATH. */
export function opaEvaluator(modules: readonly string[] = libraryFiles()): Evaluator | undefined {
  if (!hasOpa()) return undefined;
  return {
    name: "opa",
    effort: 0.1,
    async decide(decision, batches) {
      return chunks(batches).flatMap((chunk) => evaluate(modules, driver(decision), { batches: chunk }));
    },
  };
}

/** A function, because `with data.… as` takes its value from the mocked document when that value is a reference to data. */
function driver(decision: DecisionName): string {
  return `package driver

answer(request, policy) := result if {
  result := data.portcullis.${decision}.decision with input as request with data.portcullis.policy as policy
}

answers := [[answer(request, batch.policy) | some request in batch.inputs] | some batch in data.batches]
`;
}

/** Batches together while they are small, so that neither processes nor documents become too many or too large. */
function chunks(batches: readonly Batch[]): Batch[][] {
  const all: Batch[][] = [];
  let room = 0;
  for (const batch of batches) {
    if (room < batch.inputs.length) {
      all.push([]);
      room = MOST_AT_ONCE;
    }
    all[all.length - 1]!.push(batch);
    room -= batch.inputs.length;
  }
  return all;
}

function evaluate(modules: readonly string[], asking: string, data: object): unknown[][] {
  const folder = mkdtempSync(join(tmpdir(), "portcullis-opa-"));
  try {
    const file = join(folder, "data.json");
    const asker = join(folder, "driver.rego");
    writeFileSync(file, JSON.stringify(data));
    writeFileSync(asker, asking);
    const loaded = [...modules, file, asker].flatMap((path) => ["--data", path]);
    const args = ["eval", "--format", "raw", ...loaded, "data.driver.answers"];
    return JSON.parse(execFileSync("opa", args, { encoding: "utf8", maxBuffer: 2 ** 30 }));
  } finally {
    rmSync(folder, { recursive: true });
  }
}
