/**
 * Changes the host's side of exec, close and handoff in one place at a time, and asks what every reading of the specification
 * agrees on. Prints the mutants that nobody noticed; exit 1 when one is not listed in `survivors.ts`.
 *
 * `tsx test/mutation/host/run.ts [FILE] [SHARE]`: mutants of one file; every SHARE-th mutant alone.
 */
import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { SEED } from "../../campaign.ts";
import { makeFixtures } from "./fixtures.ts";
import { type HostMutant, hostMutantsOf } from "./mutants.ts";
import { explanationOf } from "./survivors.ts";

const AT_ONCE = 2;
/** A mutant that waits for a pipe, or for ever, was noticed. */
const LONGEST_MS = 60_000;

const root = fileURLToPath(new URL("../../..", import.meta.url));
const side = join(root, "compiler/execution");
const [wanted = "", share = "1"] = process.argv.slice(2);
const started = performance.now();
const scratch = mkdtempSync(join(tmpdir(), "portcullis-host-mutants-"));
const builds = join(root, "out/host-mutants");
mkdirSync(builds, { recursive: true });

const fixtures = join(scratch, "fixtures.json");
writeFileSync(fixtures, JSON.stringify(makeFixtures(scratch, SEED)));

async function bundled(out: string, mutant?: HostMutant): Promise<string> {
  const outfile = join(builds, `${out}.mjs`);
  await build({
    entryPoints: [join(root, "test/mutation/host/battery.ts")],
    ...{ outfile, bundle: true, platform: "node", format: "esm", packages: "external", logLevel: "silent" },
    plugins: [
      {
        name: "mutant",
        setup: ({ onLoad }) =>
          onLoad({ filter: /\.ts$/ }, ({ path }) =>
            path === mutant?.file ? { contents: mutant.text, loader: "ts" } : undefined,
          ),
      },
    ],
  });
  return outfile;
}

type Verdict = "survived" | "killed";

function judged(file: string): Promise<{ readonly verdict: Verdict; readonly said: string }> {
  return new Promise((resolve) => {
    const child = spawn(process.execPath, [file, fixtures, join(root, "generated/bundle.tar.gz")], {
      stdio: ["ignore", "pipe", "pipe"],
    });
    let said = "";
    child.stdout.on("data", (chunk) => (said += String(chunk)));
    child.stderr.on("data", (chunk) => (said += String(chunk)));
    const timer = setTimeout(() => child.kill("SIGKILL"), LONGEST_MS);
    child.on("close", (code) => {
      clearTimeout(timer);
      resolve({ verdict: code === 0 ? "survived" : "killed", said });
    });
  });
}

const sane = await judged(await bundled("sane"));
if (sane.verdict === "killed") {
  console.error(`the battery refuses what is not changed at all:\n${sane.said}`);
  process.exit(2);
}

const files = readdirSync(side, { recursive: true, encoding: "utf8" })
  .filter((name) => name.endsWith(".ts") && (wanted === "" || name === wanted))
  .map((name) => join(side, name));
const all = files.flatMap((file) => hostMutantsOf(file, readFileSync(file, "utf8")));
const mutants = all.filter((_, i) => (i + SEED) % Number(share) === 0);
const totals = { killed: 0, survived: 0, listed: 0 };
const queue = mutants.map((mutant, i) => ({ mutant, i }));

async function work(lane: number): Promise<void> {
  for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
    const { mutant } = next;
    const built = await bundled(`lane-${lane}`, mutant).catch(() => undefined);
    // What does not build was noticed.
    const verdict = built === undefined ? "killed" : (await judged(built)).verdict;
    const file = relative(side, mutant.file);
    const isListed = explanationOf({ ...mutant, file }) !== undefined;
    totals[verdict === "survived" && isListed ? "listed" : verdict] += 1;
    if (verdict === "survived" && !isListed)
      console.log(`survived  ${file}:${mutant.line}  ${mutant.operation}  ${mutant.written.slice(0, 90)}`);
  }
}
await Promise.all(Array.from({ length: AT_ONCE }, (_, lane) => work(lane)));
rmSync(scratch, { recursive: true, force: true });
rmSync(builds, { recursive: true, force: true });

const seconds = ((performance.now() - started) / 1000).toFixed(0);
console.log(
  `${mutants.length} of ${all.length} mutants in ${seconds} s: ${totals.killed} killed, ${totals.survived} survived, ${totals.listed} survived and are listed`,
);
process.exit(totals.survived > 0 ? 1 : 0);
