/** Contracts that end with 1, 3 and 50 changed files. */

import { type Outcome, type RequestSize, uniqueText, type Workload } from "./workload.ts";

const FILES: Readonly<Record<RequestSize, number>> = { small: 1, typical: 3, large: 50 };
const FOLDERS = ["site/index", "site/pages", "README.md"];

export function closeWorkloads(): Workload[] {
  return Object.entries(FILES).flatMap(([size, count]) => {
    const make = (index: number, lastFolder: string): unknown => {
      const contract_root = `/srv/contracts/c-${uniqueText(index, 0, 10)}`;
      const paths = Array.from({ length: count }, (_, i) => {
        const folder = i === count - 1 ? lastFolder : FOLDERS[i % 2];
        return `${folder}/page-${i}-${uniqueText(index, i + 1, 10)}.html`;
      });
      return {
        baseline_sha: uniqueText(index, 60, 40),
        contract: { signature_valid: true, expired: false },
        contract_root,
        declared_targets: FOLDERS,
        declared_operations: ["CREATE", "WRITE"],
        changed_files: paths.map((path) => ({ path, resolved: `${contract_root}/${path}`, operation: "WRITE" })),
      };
    };
    const workload = (outcome: Outcome, gate: string, lastFolder: string): Workload => ({
      kind: "close",
      size: size as RequestSize,
      what: count === 1 ? "1 file" : `${count} files`,
      outcome,
      gate,
      different: Number.POSITIVE_INFINITY,
      make: (index) => make(index, lastFolder),
    });
    return [workload("allow", "ALLOW", "site/index"), workload("late denial", "CONTAINMENT", "site/index_old")];
  });
}
