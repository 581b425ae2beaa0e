/** A real `opa` over the library's files: the oracle, where one is installed. */
import { execFile, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import type { DecisionName } from "../../statements/index.ts";
import { EvaluationFault, type Evaluator, RefusedModules } from "./evaluator.ts";
import { type LibraryModule, libraryModules } from "./library-modules.ts";
import { demanding } from "./with-folds.ts";

export function hasOpa(): boolean {
  return spawnSync("opa", ["version"]).status === 0;
}

const MOST_AT_ONCE = 5_000;

/** `undefined` where there is no `opa` on the PATH. */
export function opaEvaluator(modules: readonly LibraryModule[] = libraryModules()): Evaluator | undefined {
  if (!hasOpa()) return undefined;
  return {
    name: "opa",
    policies: 10,
    requests: 100,
    compilesEach: false,
    async decide(decision, batches) {
      const answers: unknown[][] = [];
      const whole = batches.map((batch) => ({ ...batch, policy: demanding(decision, batch) }));
      for (const chunk of chunks(whole))
        answers.push(...(await evaluate(modules, driver(decision), { batches: chunk })));
      return answers;
    },
  };
}

/** A function, because `with data.… as` takes its value from the mocked document when that value is a reference to data. */
function driver(decision: DecisionName): string {
  return `package driver

answer(request, batch) := result if {
  not batch.extension
  not batch.requirements
  result := data.portcullis.${decision}.decision with input as request with data.portcullis.policy as batch.policy
}

answer(request, batch) := result if {
  not batch.requirements
  result := data.portcullis.${decision}.decision with input as request
    with data.portcullis.policy as batch.policy
    with data.portcullis.ext.${decision}.deny as deny(batch.extension)
}

answer(request, batch) := result if {
  not batch.extension
  result := data.portcullis.${decision}.decision with input as request
    with data.portcullis.policy as batch.policy
    with data.portcullis.ext.${decision}.must as {gate | some gate in batch.requirements.met}
}

answer(request, batch) := result if {
  result := data.portcullis.${decision}.decision with input as request
    with data.portcullis.policy as batch.policy
    with data.portcullis.ext.${decision}.deny as deny(batch.extension)
    with data.portcullis.ext.${decision}.must as {gate | some gate in batch.requirements.met}
}

deny(extension) := {answer | some answer in extension.answers} if extension.kind == "Set"

deny(extension) := extension.value if extension.kind == "Value"

answers := [[answer(request, batch) | some request in batch.inputs] | some batch in data.batches]
`;
}

/** Batches together while they are small, so that neither processes nor documents become too many or too large. */
function chunks<T extends { readonly inputs: readonly unknown[] }>(batches: readonly T[]): T[][] {
  const all: T[][] = [];
  let room = 0;
  for (const batch of batches) {
    if (all.length === 0 || room < batch.inputs.length) {
      all.push([]);
      room = MOST_AT_ONCE;
    }
    all[all.length - 1]!.push(batch);
    room -= batch.inputs.length;
  }
  return all;
}

async function evaluate(modules: readonly LibraryModule[], asking: string, data: object): Promise<unknown[][]> {
  const folder = mkdtempSync(join(tmpdir(), "portcullis-opa-"));
  try {
    const file = join(folder, "data.json");
    const asker = join(folder, "driver.rego");
    const rego = modules.map(({ name, text }) => {
      writeFileSync(join(folder, name), text);
      return join(folder, name);
    });
    writeFileSync(file, JSON.stringify(data));
    writeFileSync(asker, asking);
    const loaded = [...rego, file, asker].flatMap((path) => ["--data", path]);
    const args = ["eval", "--format", "raw", ...loaded, "data.driver.answers"];
    const { stdout } = await promisify(execFile)("opa", args, { encoding: "utf8", maxBuffer: 2 ** 30 });
    return JSON.parse(stdout);
  } catch (fault) {
    const message = fault instanceof Error ? fault.message : String(fault);
    if (/rego_(compile|parse|type|unsafe_var|recursion)_error/.test(message)) throw new RefusedModules(message);
    if (message.includes("eval_")) throw new EvaluationFault(message);
    throw fault;
  } finally {
    rmSync(folder, { recursive: true });
  }
}
