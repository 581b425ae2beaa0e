import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";

const root = fileURLToPath(new URL("..", import.meta.url));

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
    pool: "forks",
    maxWorkers: 2,
  },
});
