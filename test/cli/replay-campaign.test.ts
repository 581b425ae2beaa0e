/**
 * A log replayed by the command, in threads, in all forms that it reads, equals asking the other policy for each event: of the
 * example, and of generated policies made weaker or stronger. 200,000 events with the whole campaign; PORTCULLIS_EVENTS=1000000
 * takes some three minutes.
 */

import { spawnSync } from "node:child_process";
import { closeSync, existsSync, openSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { type DecisionKind, entrypointOf } from "@portcullis/runtime";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { nodeHost } from "../../compiler/documents/node.ts";
import { compile } from "../../compiler/governance/pipeline.ts";
import { jsonText } from "../../compiler/rego/value/index.ts";
import { between, runs, SEED } from "../campaign.ts";
import { exampleTests } from "../governance/model/example-tests.ts";
import { callsTo, requestsTo } from "../governance/review/policy-requests.ts";
import { filesOf, type PolicySet, randomSet, WEAKENINGS } from "../governance/review/policy-sets.ts";
import { virtualHost } from "../governance/sources/virtual-host.ts";
import { Random } from "../rego/plan/generate/random.ts";
import { type Asked, keyOf, logged, type Pair } from "./replayed-logs.ts";
import { removeFolder, temporaryFolder } from "./terminal.ts";

const file = (path: string): string => fileURLToPath(new URL(`../../${path}`, import.meta.url));
const isBuilt = existsSync(file("compiler/dist/bin/replay-worker.js"));

/** Half of them are the example's. */
const EVENTS = Number(process.env["PORTCULLIS_EVENTS"] || runs(200_000));
const GENERATED = between(3, 20);

let folder = "";
beforeAll(() => {
  folder = temporaryFolder();
});
afterAll(() => removeFolder(folder));

/** What the example becomes: more and less is allowed, by other gates. */
const CHANGES: readonly (readonly [file: string, from: string, to: string])[] = [
  ["lanes.yaml", "roles: [RESEARCHER, WRITER]", "roles: [RESEARCHER]"],
  ["roles.yaml", "lanes: [RESEARCH, DRAFTING]", "lanes: [DRAFTING, FACT_CHECK]"],
  ["lanes.yaml", "roles: [FACT_CHECKER]", "roles: [FACT_CHECKER, WRITER]"],
  ["lanes.yaml", "requires: [story_id, run_id]", "requires: [story_id]"],
  ["tool_registry.yaml", "enabled: false", "enabled: true"],
  ["tool_registry.yaml", "    approval: required\n", ""],
  ["tool_registry.yaml", "implementation_status: partial", "implementation_status: implemented"],
  ["handoff.yaml", "required_fields: [story_id, reviewed_by]", "required_fields: [story_id, checked_by]"],
  ["exec.yaml", "hat_lifetime_seconds: 28800", "hat_lifetime_seconds: 60"],
  ["exec.yaml", "inline_modes: [mode-init, break-glass]", "inline_modes: [mode-init]"],
  ["manifests/newsdesk.yaml", "max_spawn_depth: 2", "max_spawn_depth: 0"],
  ["portcullis.yaml", "approvers: human", "approvers: any"],
];

async function examplePair(): Promise<Pair> {
  const folders = [file("policies")];
  const texts = new TextDecoder();
  const changed = new Set<string>();
  const host = {
    ...nodeHost,
    readFile(dir: string, path: string): Uint8Array {
      const text = texts.decode(nodeHost.readFile(dir, path));
      return new TextEncoder().encode(
        CHANGES.filter(([name]) => name === path).reduce((so, [, from, to]) => {
          if (so.includes(from)) changed.add(from);
          return so.replace(from, to);
        }, text),
      );
    },
  };
  const [before, after] = [await bundleOf(nodeHost, folders), await bundleOf(host, folders)];
  expect(changed.size).toBe(new Set(CHANGES.map(([, from]) => from)).size);
  const asked = exampleTests().map(({ decision, input }): Asked => {
    return { entrypoint: entrypointOf(decision), input: JSON.parse(jsonText(input)) };
  });
  return { before, after, asked };
}

async function generatedPair(random: Random): Promise<Pair> {
  const set = randomSet(random);
  // Each weaker than the set in other ways: what one of them allows the other may deny. The last of the list goes first: what is
  // changed has to be there still.
  const weakened = (): PolicySet =>
    WEAKENINGS.filter(() => random.chance(0.2)).reduceRight((so, [, weaken]) => weaken(so, random), set);
  const bundle = (): Promise<Uint8Array> => bundleOf(virtualHost({ set: filesOf(weakened()) }), ["set"]);
  const asking = (kinds: readonly DecisionKind[], requests: Iterable<object>): Asked[] =>
    [...requests].flatMap((request) => {
      const input = JSON.parse(JSON.stringify(request)) as unknown;
      return kinds.map((kind) => ({ entrypoint: entrypointOf(kind), input }));
    });
  return {
    before: await bundle(),
    after: await bundle(),
    asked: [
      ...asking(["lane", "tool"], requestsTo(set)),
      ...asking(["call", "call", "lineage"], callsTo(set, random, 5000)),
    ],
  };
}

async function bundleOf(host: Parameters<typeof compile>[0]["host"], dirs: readonly string[]): Promise<Uint8Array> {
  const { compiled, diagnostics } = await compile({ host, dirs });
  if (compiled === undefined) throw new Error(diagnostics.map(({ message }) => message).join("\n"));
  return compiled.bundle;
}

/** Told by the process at its end: the microseconds of processor time of all its threads. */
const TELLS_COST = `data:text/javascript,${encodeURIComponent(
  'import { writeSync } from "node:fs"; import { isMainThread } from "node:worker_threads"; if (isMainThread) process.on("exit", () => { const { user, system } = process.cpuUsage(); writeSync(3, String(user + system)); });',
)}`;

/** The command as it is installed, upon the logs. */
function replayed(files: readonly string[], piped: string, policy: Uint8Array) {
  const next = join(folder, "next.tar.gz");
  writeFileSync(next, policy);
  const input = openSync(piped, "r");
  const argv = ["replay", ...files, "-", "--policy", next, "--format", "json"];
  const { stdout, stderr, output } = spawnSync(
    process.execPath,
    ["--import", TELLS_COST, file("compiler/bin/portcullis.js"), ...argv],
    { encoding: "utf8", stdio: [input, "pipe", "pipe", "pipe"], maxBuffer: 2 ** 28 },
  );
  closeSync(input);
  expect(stderr).toBe("");
  return { tally: JSON.parse(stdout), seconds: Number(output[3]) / 1e6 };
}

async function holds(pair: Pair, count: number, seed: number): Promise<{ readonly [kind: string]: number }> {
  const { files, piped, expected } = await logged(pair, { folder, count, random: new Random(seed) });
  const { tally, seconds } = replayed(files, piped, pair.after);
  const unknown = tally.unknown.reduce((sum: number, { count: n }: { readonly count: number }) => sum + n, 0);
  const groups = Object.fromEntries(tally.groups.map((group: { count: number }) => [keyOf({ ...group }), group.count]));
  const { events, same, counts, by, ungrouped } = tally;
  const zero = { "newly-allowed": 0, "newly-denied": 0, "changed-reason": 0, "changed-answer": 0 };
  expect({ events, same, unknown, counts, by, groups, ungrouped }).toEqual({
    ...{ ...expected, counts: { ...zero, ...expected.counts } },
    ungrouped: 0,
  });
  const rate = Math.round(events / seconds).toLocaleString("en");
  console.info(
    `seed ${seed}: ${events} events replayed as asked, ${JSON.stringify(counts)}: ${seconds.toFixed(1)} s of processor time, ${rate} a second and core, start and report included`,
  );
  return counts;
}

describe.skipIf(!isBuilt)("replay equals asking each", { timeout: 1_800_000 }, () => {
  it("of the example's decisions", async () => {
    const counts = await holds(await examplePair(), EVENTS / 2, SEED);
    for (const kind of ["newly-allowed", "newly-denied", "changed-reason"]) expect(counts[kind]).toBeGreaterThan(0);
  });

  it.each(Array.from({ length: GENERATED }, (_, i) => SEED + i + 1))(
    "of a generated policy's, seed %i",
    async (seed) => {
      await holds(await generatedPair(new Random(seed)), EVENTS / 2 / GENERATED, seed);
    },
  );
});
