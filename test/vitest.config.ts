import { randomInt } from "node:crypto";
import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";
import { CampaignReport } from "./campaign-report.ts";

const root = fileURLToPath(new URL("..", import.meta.url));

/** One seed for all of a run: a fresh one, or that of a run to repeat. */
const seed = process.env["PORTCULLIS_SEED"] ?? String(randomInt(2 ** 31));

/** The suite runs the TypeScript sources themselves, so that a failing test points at the line a person edits. */
export default defineConfig({
  root,
  resolve: {
    alias: [
      { find: /^@portcullis\/runtime$/, replacement: `${root}runtime/index.ts` },
      { find: /^@portcullis\/runtime\/abi$/, replacement: `${root}runtime/abi/index.ts` },
      { find: /^@portcullis\/runtime\/host$/, replacement: `${root}runtime/host/index.ts` },
      { find: /^@portcullis\/runtime\/node$/, replacement: `${root}runtime/node.ts` },
      { find: /^@portcullis\/builtins$/, replacement: `${root}runtime/builtins/index.ts` },
      { find: /^@portcullis\/builtins\/([a-z0-9]+)$/, replacement: `${root}runtime/builtins/$1/index.ts` },
      { find: /^@portcullis\/compiler$/, replacement: `${root}compiler/index.ts` },
    ],
  },
  test: {
    include: ["test/**/*.test.ts"],
    testTimeout: 60_000,
    hookTimeout: 60_000,
    env: { PORTCULLIS_SEED: seed },
    reporters: ["default", new CampaignReport(seed, process.env["PORTCULLIS_CAMPAIGN"] === "full")],
    pool: "forks",
    maxWorkers: 2,
  },
});
