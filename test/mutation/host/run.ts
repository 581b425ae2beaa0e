/**
 * Changes the host's side of exec, close and handoff, the gateway, and the state of others, in one place at a time, and asks what every reading of
 * the specification agrees on. Prints what survived by file, and writes HOST.md; exit 1 when a mutant survives that
 * `survivors.ts` does not list, or one that it lists is killed.
 *
 * `tsx test/mutation/host/run.ts [FILES] [SHARE]`: these files below compiler, or below runtime with `runtime/`, with a comma between, each with `:LINE` behind it
 * for the mutants of some lines; about one mutant in SHARE, which the seed and the mutant's own line choose: what is written above
 * or below it changes nothing. A share of all files leaves out those that HOST.md has no row for.
 */
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { SEED } from "../../campaign.ts";
import { isChosen } from "../share.ts";
import { makeFixtures } from "./fixtures.ts";
import { Judge, NO_BUILD } from "./judging.ts";
import { type HostMutant, hostMutantsOf } from "./mutants.ts";
import { note, notedFiles, type Row } from "./results.ts";
import { explanationOf, unused } from "./survivors.ts";

const root = fileURLToPath(new URL("../../..", import.meta.url));
/** Files have names below compiler, but for those of the runtime, which have `runtime/` in front. */
const pathOf = (file: string): string => (file.startsWith("runtime/") ? file : join("compiler", file));
const [wanted = "", share = "1"] = process.argv.slice(2);

/** By file, the lines; none for all. */
const places = new Map(wanted.split(",").map((one) => [one.split(":")[0] ?? "", one.split(":").slice(1).map(Number)]));

const LOOK_ALIKES = "runtime/facts/look-alikes.ts";

/** The batteries that hold a file, the likeliest to notice first. */
function batteriesOf(file: string): readonly string[] {
  if (file === LOOK_ALIKES) return ["gateway"];
  if (file.startsWith("runtime/")) return ["agents"];
  if (file.endsWith("/json-hooks.ts")) return ["settings"];
  if (/\/(?:asked|ended)-call\.ts$/.test(file)) return ["calls", "gateway"];
  if (/\/gateway\/(?:identity|key-set|sessions|mirrored-headers|outer-members|pins)\.ts$/.test(file)) return ["http"];
  if (/\/gateway\/(?:messages|channel|event-stream|rulings|offers|sign-approval)\.ts$/.test(file)) return ["messages"];
  if (/\/gateway\/(?:exchange|http-gateway|upstream|sse-upstream)\.ts$/.test(file)) return ["servers"];
  if (file.startsWith("enforcement/gateway/")) return ["gateway"];
  if (file.endsWith("/count-success.ts")) return ["serving"];
  if (file.startsWith("enforcement/state/")) return ["state"];
  if (/^enforcement\/(?:serving|http)\//.test(file)) return ["serving"];
  if (file.endsWith("/sample-findings.ts")) return ["samples"];
  if (/\/(?:index-file|cache-tree|trees)\.ts$/.test(file)) return ["index", "repositories"];
  if (/^enforcement\/execution\/(?:repository\/|changed-files|close-request)/.test(file)) return ["repositories"];
  if (/^enforcement\/execution\/(?:real-path|contract)/.test(file)) return ["documents", "repositories"];
  return ["documents"];
}

const sides = ["execution", "gateway", "http", "serving", "state"].map((side) => `enforcement/${side}`);
const all = [...sides, "runtime/agents"]
  .flatMap((side) =>
    readdirSync(join(root, pathOf(side)), { recursive: true, encoding: "utf8" }).map((f) => join(side, f)),
  )
  .concat(
    "cli/policy/sample-findings.ts",
    "cli/init/agent-hosts/json-hooks.ts",
    "runtime/governance/spawn.ts",
    LOOK_ALIKES,
  )
  .filter((file) => file.endsWith(".ts") && !/(?:^|\/)(?:dist|node_modules)\//.test(file))
  .sort();
const unknown = [...places.keys()].filter((file) => file !== "" && !all.includes(file));
if (unknown.length > 0) {
  console.error(`no such file: ${unknown.join(", ")}; there are ${all.join(", ")}`);
  process.exit(2);
}
// A share of everything leaves out files that are not in HOST.md yet: what survives there is not news.
const noted = share === "1" ? undefined : notedFiles();
const mutantsOf = (file: string): HostMutant[] => {
  const path = join(root, pathOf(file));
  return hostMutantsOf(path, readFileSync(path, "utf8"));
};
const unasked =
  wanted === "" && noted ? all.filter((file) => !noted.has(pathOf(file)) && mutantsOf(file).length > 0) : [];
const files = all.filter((file) => (wanted === "" || places.has(file)) && !unasked.includes(file));
if (unasked.length > 0) console.log(`left out, as not all of it was asked yet: ${unasked.join(", ")}`);

const scratch = realpathSync.native(mkdtempSync(join(tmpdir(), "portcullis-host-mutants-")));
const fixtures = join(scratch, "fixtures.json");
writeFileSync(fixtures, JSON.stringify(makeFixtures(scratch, SEED)));
const builds = join(root, "out/host-mutants", String(process.pid));
mkdirSync(builds, { recursive: true });

process.on("exit", () => {
  for (const folder of [scratch, builds]) rmSync(folder, { recursive: true, force: true });
});
const judge = await Judge.start(root, builds, [fixtures, join(root, "generated/bundle.tar.gz")]);
const rows: Row[] = [];
let failed = false;

function complain(what: string, { line, operation, written, to }: HostMutant, file: string): void {
  console.log(`${what}  ${file}:${line}  ${operation}  ${written.slice(0, 90)}  ->  ${to.slice(0, 60)}`);
  failed = true;
}

async function outcomeOf(mutant: HostMutant, batteries: readonly string[]): Promise<"killed" | "refused" | "survived"> {
  for (const battery of batteries) {
    const wrong = await judge.wrongIn(battery, mutant);
    if (process.env["VERBOSE"] !== undefined && wrong !== undefined)
      console.log(
        `killed  ${mutant.line}  ${mutant.operation}  ${mutant.written.slice(0, 60)}  ${wrong.slice(0, 150)}`,
      );
    if (wrong !== undefined) return wrong === NO_BUILD ? "refused" : "killed";
  }
  return "survived";
}

for (const file of files) {
  const started = performance.now();
  const count = { killed: 0, refused: 0, equivalent: 0, survived: 0 };
  const lines = places.get(file) ?? [];
  const mutants = mutantsOf(file)
    .filter((mutant) => isChosen(file, mutant, Number(share)))
    .filter(({ line }) => lines.length === 0 || lines.includes(line));
  const batteries = batteriesOf(file);
  // Before each file: a mutant of the last one may have left the process in no good state.
  if (mutants.length > 0) await judge.expectSane(batteries);
  for (const mutant of mutants) {
    const isListed = explanationOf({ ...mutant, file }) !== undefined;
    let outcome = await outcomeOf(mutant, batteries);
    // A busy machine ends what only took long: what is listed is asked once more.
    if (outcome !== "survived" && isListed) outcome = await outcomeOf(mutant, batteries);
    count[outcome === "survived" && isListed ? "equivalent" : outcome] += 1;
    if (outcome !== "survived" && isListed) complain(`${outcome}, though listed`, mutant, file);
    if (outcome === "survived" && !isListed) complain("survived", mutant, file);
  }
  const { killed, refused, equivalent, survived } = count;
  rows.push({ file: pathOf(file), mutants: mutants.length, ...count });
  const seconds = ((performance.now() - started) / 1000).toFixed(0);
  if (mutants.length > 0)
    console.log(
      `${file}: ${mutants.length} mutants, ${killed} killed, ${refused} refused, ${equivalent} equivalent, ${survived} survived, ${seconds} s`,
    );
}
judge.stop();
const isWhole = (file: string): boolean => share === "1" && (places.get(file) ?? []).length === 0;
for (const entry of unused(files.filter(isWhole))) {
  console.log(`listed, but no such mutant  ${entry}`);
  failed = true;
}
note(
  rows.filter(({ file, mutants }) => mutants > 0 && isWhole(file.replace(/^compiler\//, ""))),
  (file) => !existsSync(join(root, file)),
);
const sum = (of: (row: Row) => number): number => rows.reduce((total, row) => total + of(row), 0);
console.log(
  `${sum((row) => row.killed)} killed, ${sum((row) => row.refused)} refused, ${sum((row) => row.survived)} survived, ${sum((row) => row.equivalent)} survived and are listed`,
);
process.exit(failed ? 1 : 0);
