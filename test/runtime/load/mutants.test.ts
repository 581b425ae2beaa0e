/**
 * Bundles that were tampered with: each is refused within two seconds and 300 MB, or it is the same bundle to every reader.
 * What OPA's own reader makes of those that are taken is asked where Go and OPA's sources are.
 */

import { execFileSync, spawnSync } from "node:child_process";
import { copyFileSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { packBundle } from "../../../compiler/rego/bundle/index.ts";
import { runs, SEED } from "../../campaign.ts";
import { policyFiles } from "../trust/bundles.ts";
import type { MutantReport } from "./mutants/run.ts";

const OPA = "github.com/open-policy-agent/opa@v1.22.2";
const here = fileURLToPath(new URL("./", import.meta.url));
const root = fileURLToPath(new URL("../../../", import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "portcullis-mutants-"));
const file = (name: string): string => join(folder, name);
const opaSources = join(spawnSync("go", ["env", "GOMODCACHE"], { encoding: "utf8" }).stdout?.trim() ?? "", OPA);
const hasGo = opaSources !== OPA && existsSync(opaSources);
if (!hasGo) console.warn(`skipped: no Go with ${OPA} in its cache, so OPA's reader is not asked`);

let report: MutantReport;
beforeAll(async () => {
  writeFileSync(file("bundle.tar.gz"), await packBundle(await policyFiles({ revision: "r1" })));
  await build({
    entryPoints: [join(here, "mutants/run.ts")],
    outfile: file("run.mjs"),
    tsconfig: join(root, "tsconfig.json"),
    bundle: true,
    platform: "node",
    format: "esm",
    external: ["@open-policy-agent/opa-wasm"],
    logLevel: "warning",
  });
  const args = [
    "--expose-gc",
    file("run.mjs"),
    file("bundle.tar.gz"),
    String(runs(10_000)),
    String(SEED),
    file("taken"),
  ];
  report = JSON.parse(execFileSync(process.execPath, args, { encoding: "utf8", maxBuffer: 1 << 28 })) as MutantReport;
});
afterAll(() => rmSync(folder, { recursive: true }));

describe("mutants of a bundle", () => {
  it("are refused with a LoadError, or decide as the bundle does", () => {
    console.info(
      `${runs(10_000)} mutants: ${report.taken.length} taken, refused ${JSON.stringify(report.refused)}, slowest ` +
        `${report.slowest.ms.toFixed(0)} ms (${report.slowest.kind}), ${(report.memory / 1e6).toFixed(0)} MB`,
    );
    expect(report.wrong).toEqual([]);
    expect(Object.keys(report.refused).sort()).toEqual(
      expect.arrayContaining(["bundle-corrupt", "bundle-mismatch", "bundle-too-large", "bundle-incomplete"]),
    );
    expect(report.taken.length).toBeGreaterThan(10);
  });

  it("take 300 MB at most", () => {
    expect(report.memory).toBeLessThan(300e6);
  });

  it.skipIf(!hasGo)("are to OPA the same files, where they are taken", () => {
    // A module of its own with OPA's own list of dependencies: nothing is fetched.
    const modules = readFileSync(join(opaSources, "go.mod"), "utf8").replace(/^module .*/m, "module reader");
    writeFileSync(file("go.mod"), `${modules}\nrequire ${OPA.replace("@", " ")}\n`);
    writeFileSync(file("go.sum"), readFileSync(join(opaSources, "go.sum")));
    copyFileSync(join(here, "mutants/reader.go"), file("main.go"));
    const env = { ...process.env, GOFLAGS: "-mod=mod", GOPROXY: "off", GOSUMDB: "off", GONOSUMDB: "*" };
    execFileSync("go", ["build", "-o", file("reader"), "."], { cwd: folder, env });
    const lines = execFileSync(file("reader"), {
      input: readFileSync(file("taken")),
      encoding: "utf8",
      maxBuffer: 1 << 28,
    });
    const readings = lines
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as { files: [string, string][]; error: string });
    expect(readings).toHaveLength(report.taken.length);
    for (const [i, { files, error }] of readings.entries()) {
      const { number, kind, files: ours = [] } = report.taken[i] ?? {};
      const theirs = files?.map(([name, hash]) => [name.replace(/^\//, ""), hash]);
      expect({ number, kind, error, files: theirs }).toEqual({ number, kind, error: "", files: ours });
    }
  });
});
