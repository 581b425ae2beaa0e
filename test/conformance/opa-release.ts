/** The release of OPA that the project follows, and where its Go module, with its own case files, is on this machine. */

import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** As the Makefile says. */
export const OPA_VERSION = /^OPA_VERSION := (.+)$/m.exec(
  readFileSync(new URL("../../Makefile", import.meta.url), "utf8"),
)?.[1] as string;

const MODULE = `github.com/open-policy-agent/opa@v${OPA_VERSION}`;

/** The folder of the module, downloaded if it is not in Go's cache; `undefined` without Go, or without a way to it. */
export function fetchOpaModule(): string | undefined {
  try {
    const answer = execFileSync("go", ["mod", "download", "-json", MODULE], { encoding: "utf8", stdio: "pipe" });
    return (JSON.parse(answer) as { readonly Dir: string }).Dir;
  } catch {
    return undefined;
  }
}

/** The folder of the module if Go's cache has it already. Nothing is downloaded. */
export function cachedOpaModule(): string | undefined {
  try {
    const cache = execFileSync("go", ["env", "GOMODCACHE"], { encoding: "utf8", stdio: "pipe" }).trim();
    const dir = join(cache, ...MODULE.split("/"));
    return existsSync(dir) ? dir : undefined;
  } catch {
    return undefined;
  }
}

/** Where in the module things are. */
export const evaluationCases = (module: string): string => join(module, "v1/test/cases/testdata/v1");
export const compileCases = (module: string): string => join(module, "v1/test/compilecases/testdata/v1");
