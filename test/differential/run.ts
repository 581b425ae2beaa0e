/** `make fuzz`: see `options.ts` for what it takes. Made into one file by `bundle.mjs`, which is what a process starts from. */

import { generate } from "../rego/plan/generate/index.ts";
import { hasOpa } from "../rego/plan/opa.ts";
import { askTogether } from "./opa.ts";
import { HELP, type Options, readOptions } from "./options.ts";
import { compareInProcesses } from "./processes.ts";
import { mend } from "./repair.ts";
import { summaryJson, summaryText } from "./report.ts";
import { isSequence, sequenceOf } from "./sequences.ts";
import { NOTHING, seedsThatDiffer, sum } from "./tally.ts";

const PROGRESS_MS = 5000;
/** As shells have it for what was ended by an interrupt. */
const INTERRUPTED = 130;

process.exitCode = await main();

async function main(): Promise<number> {
  const options = readOptions(process.argv.slice(2));
  if (options === "help") {
    console.log(HELP);
    return 0;
  }
  if ("wrong" in options) {
    console.error(`${options.wrong}\n\n${HELP}`);
    return 2;
  }
  if (options.opa && !hasOpa) {
    console.error("there is no opa: go install github.com/open-policy-agent/opa@v1.22.2");
    return 2;
  }
  return options.show ? show(options) : fuzz(options);
}

async function fuzz({ json, ...options }: Options): Promise<number> {
  const started = performance.now();
  const seconds = (): number => (performance.now() - started) / 1000;
  let tally = NOTHING;
  let told = started;
  const soFar = (): string =>
    `${tally.compared} of ${options.runs} compared, ${seedsThatDiffer(tally).length} differ, ${seconds().toFixed(0)} s`;
  process.once("SIGINT", () => {
    console.error(`interrupted: ${soFar()}`);
    process.exit(INTERRUPTED);
  });
  const nextSeed = await compareInProcesses({
    ...options,
    worker: new URL("worker.mjs", import.meta.url),
    onTally(part) {
      tally = sum(tally, part);
      for (const { seed, text } of part.differences)
        (json ? console.error : console.log)(`DIFFERS seed ${seed}, ${text}`);
      if (performance.now() - told < PROGRESS_MS) return;
      told = performance.now();
      const left = (seconds() / Math.max(1, tally.compared)) * (options.runs - tally.compared);
      console.error(`${soFar()}, about ${Math.max(0, left).toFixed(0)} s left`);
    },
  });
  const result = { ...tally, firstSeed: options.seed, nextSeed, seconds: Number(seconds().toFixed(1)) };
  console.log(json ? summaryJson(result) : summaryText(result));
  return tally.differences.length === 0 ? 0 : 1;
}

function show({ seed, opa }: Options): number {
  if (isSequence(seed)) return showSequence(seed);
  const generated = generate(seed, `f${seed}`);
  const mended = mend(generated);
  if (mended.policy === undefined) console.log(`# refused: ${mended.code}`);
  const program = mended.policy === undefined ? generated : mended.program;
  console.log(program.modules.join("\n# ---\n"));
  console.log(`# input\n${JSON.stringify(program.input)}\n# data\n${JSON.stringify(program.data)}`);
  if (opa) console.log(`# opa\n${JSON.stringify(askTogether([program]).get(program.package))}`);
  return 0;
}

function showSequence(seed: number): number {
  const generated = sequenceOf(seed);
  const mended = mend(generated, generated.entrypoints);
  if (mended.policy === undefined) console.log(`# refused: ${mended.code}`);
  const { modules, questions } = mended.policy === undefined ? generated : mended.program;
  console.log(modules.join("\n# ---\n"));
  console.log(`# questions\n${questions.map((question) => JSON.stringify(question)).join("\n")}`);
  return 0;
}
