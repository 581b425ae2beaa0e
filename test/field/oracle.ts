/** The OPA that a repository is compared with: the installed one, or one that is built with the repository's own builtins. */

import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { OPA_VERSION } from "../conformance/opa-release.ts";
import type { Repository } from "./repositories.ts";

/** The path of the executable. Throws where Go cannot build it. */
export function opaFor({ name, builtins }: Repository, checkout: string, scratch: string): string {
  if (builtins === undefined) return "opa";
  const dir = join(scratch, "oracle", name);
  mkdirSync(dir, { recursive: true });
  cpSync(fileURLToPath(new URL("./oracle", import.meta.url)), dir, { recursive: true });
  const { tag, module, version } = builtins;
  const requirements = [
    `require github.com/open-policy-agent/opa v${OPA_VERSION}`,
    `require ${module} ${version ?? "v0.0.0"}`,
    ...(version === undefined ? [`replace ${module} => ${checkout}`] : []),
  ];
  writeFileSync(join(dir, "go.mod"), ["module field", "go 1.26", ...requirements, ""].join("\n\n"));
  execFileSync("go", ["build", "-mod=mod", "-tags", tag, "-o", "opa", "."], { cwd: dir, stdio: "pipe" });
  return join(dir, "opa");
}
