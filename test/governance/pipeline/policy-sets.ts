/** The policy sets that suites compile: the example, and the field's corpus where it is there. */

import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { nodeHost } from "../../../compiler/documents/node.ts";
import { type Compiled, compile } from "../../../compiler/governance/pipeline.ts";

const root = fileURLToPath(new URL("../../..", import.meta.url));
const example = `${root}policies`;
const corpus = `${root}../shared/corpora/contract-v1`;

export const policySets: readonly (readonly [name: string, dir: string])[] = [
  ["policies", example],
  ...(existsSync(corpus) ? ([["contract-v1", corpus]] as const) : []),
];

const compiled = new Map<string, Promise<Compiled>>();

/** Compiled once a test file. */
export function compiledSet(dir: string): Promise<Compiled> {
  let result = compiled.get(dir);
  if (result === undefined) {
    result = compile({ host: nodeHost, dirs: [dir] }).then(({ compiled: value, diagnostics }) => {
      if (value === undefined) throw new Error(diagnostics.map((d) => d.message).join("\n"));
      return value;
    });
    compiled.set(dir, result);
  }
  return result;
}
