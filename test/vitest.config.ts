import { randomInt } from "node:crypto";
import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";
import { CampaignReport } from "./campaign-report.ts";
import { SlowestFirst } from "./slowest-first.ts";

const root = fileURLToPath(new URL("..", import.meta.url));

/** One seed for all of a run: a fresh one, or that of a run to repeat. */
const seed = process.env["PORTCULLIS_SEED"] ?? String(randomInt(2 ** 31));

const campaign = process.env["PORTCULLIS_CAMPAIGN"] ?? "part";

/** Files that fill their process's memory, or change what others load; the others share processes, and with them what is loaded and compiled. */
const alone = ["limits/**/*", "runtime/hostile-inputs", "governance/library/added-gate"].map(
  (name) => `test/${name}.test.ts`,
);

/** Processes enough for the cores: garbage is collected by those alone, and less often. */
const execArgv = ["--single-threaded-gc", "--min-semi-space-size=16", "--max-semi-space-size=64"];

/** The suite runs the TypeScript sources themselves, so that a failing test points at the line a person edits. */
export default defineConfig({
  root,
  resolve: {
    alias: [
      // As one file: its entry point is one of several hundred, which take longer to load than a suite to run.
      { find: /^chevrotain$/, replacement: `${root}node_modules/chevrotain/lib/chevrotain.min.mjs` },
      { find: /^@portcullis\/runtime$/, replacement: `${root}runtime/index.ts` },
      { find: /^@portcullis\/runtime\/abi$/, replacement: `${root}runtime/abi/index.ts` },
      { find: /^@portcullis\/runtime\/host$/, replacement: `${root}runtime/host/index.ts` },
      { find: /^@portcullis\/runtime\/node$/, replacement: `${root}runtime/node.ts` },
      { find: /^@portcullis\/runtime\/testing$/, replacement: `${root}runtime/testing/index.ts` },
      { find: /^@portcullis\/runtime\/trust$/, replacement: `${root}runtime/trust/index.ts` },
      { find: /^@portcullis\/builtins$/, replacement: `${root}runtime/builtins/index.ts` },
      { find: /^@portcullis\/builtins\/([a-z0-9]+)$/, replacement: `${root}runtime/builtins/$1/index.ts` },
      { find: /^@portcullis\/agents$/, replacement: `${root}runtime/agents/index.ts` },
      { find: /^@portcullis\/agents\/([a-z-]+)$/, replacement: `${root}runtime/agents/$1.ts` },
      { find: /^@portcullis\/redis$/, replacement: `${root}runtime/redis/index.ts` },
      { find: /^@portcullis\/rego$/, replacement: `${root}compiler/rego/index.ts` },
      { find: /^@portcullis\/rego\/([a-z]+)$/, replacement: `${root}compiler/rego/$1/index.ts` },
      { find: /^@portcullis\/documents$/, replacement: `${root}compiler/documents/index.ts` },
      { find: /^@portcullis\/documents\/node$/, replacement: `${root}compiler/documents/node.ts` },
      { find: /^@portcullis\/governance$/, replacement: `${root}compiler/governance/index.ts` },
      { find: /^@portcullis\/governance\/([a-z]+)$/, replacement: `${root}compiler/governance/$1/index.ts` },
      { find: /^@portcullis\/enforcement\/([a-z]+)$/, replacement: `${root}compiler/enforcement/$1/index.ts` },
      { find: /^@portcullis\/compiler$/, replacement: `${root}compiler/index.ts` },
      { find: /^@portcullis\/compiler\/node$/, replacement: `${root}compiler/documents/node.ts` },
    ],
  },
  test: {
    projects: [
      {
        extends: true,
        test: {
          name: "shared",
          include: ["test/**/*.test.ts"],
          exclude: alone,
          isolate: false,
        },
      },
      { extends: true, test: { name: "alone", include: alone } },
    ],
    // These only end what hangs: on a busy machine everything takes its time. No test has a shorter one of its own.
    testTimeout: 1_200_000,
    hookTimeout: 1_200_000,
    expect: { poll: { timeout: 300_000 } },
    env: { PORTCULLIS_SEED: seed },
    sequence: { sequencer: SlowestFirst },
    reporters: ["default", new CampaignReport(seed, campaign)],
    pool: "forks",
    execArgv,
    // One more than cores, since one of three often waits: for a timer, a child, a browser.
    maxWorkers: 3,
  },
});
