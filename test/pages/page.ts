/** A page of documentation, taken apart: its fenced blocks, in order, with what their first line says of each. */

import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

export const root = fileURLToPath(new URL("../..", import.meta.url));

/** The pages that people read. Each can be read alone, and everything in it runs. */
export const PAGES = [
  "README.md",
  "CONTRIBUTING.md",
  "SECURITY.md",
  "compiler/README.md",
  "compiler/ENFORCEMENT.md",
  "compiler/FROM-OPA.md",
  "compiler/GATEWAYS.md",
  "compiler/WALK.md",
  "compiler/rego/README.md",
  "runtime/README.md",
  "runtime/agents/README.md",
  "runtime/builtins/README.md",
  "runtime/redis/README.md",
  "policies/README.md",
  "test/acceptance/ASKED-AND-BUILT.md",
];

/** The decision records. They are dated, and yet must lead a reader to the code of today. */
export const RECORDS = readdirSync(join(root, "compiler/decisions")).map((name) => `compiler/decisions/${name}`);

export interface Block {
  readonly language: string;
  /** A file name, or a word that says how the block is to be taken (`types-only`), or nothing. */
  readonly label: string;
  readonly text: string;
  /** Number of the line that the block's text starts in, from 1. */
  readonly line: number;
}

/** Text of a page by its path from the root of the repository. */
export function pageText(page: string): string {
  return readFileSync(join(root, page), "utf8");
}

export function blocksOf(text: string): Block[] {
  return [...text.matchAll(/^```([a-z]+)[ \t]*(.*)\n([\s\S]*?)^```$/gm)].map((m) => ({
    language: m[1] as string,
    label: (m[2] as string).trim(),
    text: m[3] as string,
    line: text.slice(0, m.index).split("\n").length + 1,
  }));
}

/** Links to files of the repository, without their fragments. */
export function linksOf(text: string): string[] {
  const outside = text.replace(/^```[\s\S]*?^```$/gm, "");
  return [...outside.matchAll(/\]\(([^)\s]+)\)/g)]
    .map((m) => (m[1] as string).replace(/#.*$/, ""))
    .filter((target) => target !== "" && !/^[a-z]+:/.test(target));
}

/** Sources with a folder that a text names in code spans. */
export function filesNamed(text: string): string[] {
  return [...text.matchAll(/`([\w-]+\/[\w./-]+\.(?:ts|mjs|rego))`/g)].map((m) => m[1] as string);
}

/** Whether there is such a file, below the root or the compiler's folder, or one that the build makes of others. */
export function isFile(path: string): boolean {
  return ["", "compiler"].some((folder) => existsSync(join(root, folder, path)));
}
