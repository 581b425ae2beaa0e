/** Signed scripts with 1, 3 and 20 declared targets. The packet has them sorted, the contract as its author wrote them. */

import type { PolicyTables } from "../bundles.ts";
import { type Outcome, type RequestSize, uniqueText, type Workload } from "./workload.ts";

const TARGETS: Readonly<Record<RequestSize, number>> = { small: 1, typical: 3, large: 20 };

export function execWorkloads({ exec }: PolicyTables): Workload[] {
  if (exec === undefined || exec.staging_root === null) throw new Error("the policies stage no scripts");
  const { staging_root: staging, script_extensions: extensions } = exec;
  const modes = Object.keys(exec.modes).filter((mode) => !(mode in exec.inline_modes));
  const modeAt = (index: number): string => modes[index % modes.length] as string;
  return Object.entries(TARGETS).flatMap(([size, count]) => {
    const make = (index: number, hatMode: string): unknown => {
      const contract_id = `c-${uniqueText(index, 0, 10)}`;
      const sha256 = uniqueText(index, 1, 64);
      const targets = Array.from({ length: count }, (_, i) => `site/${uniqueText(index, i + 2, 8)}/part-${i}`);
      return {
        mode: modeAt(index),
        kind: "script",
        session: { valid: true },
        script: { path: `${staging}/${contract_id}/rebuild-${uniqueText(index, 30, 8)}${extensions[0]}`, sha256 },
        contract: {
          contract_id,
          status: "open",
          signature_valid: true,
          expired: false,
          mode: modeAt(index),
          declared_targets: [...targets].reverse(),
          declared_operations: ["CREATE", "WRITE"],
        },
        hat: {
          script_sha256: sha256,
          contract_id,
          declared_targets: [...targets].sort(),
          mode: hatMode,
          version: 2,
          declared_operations: ["CREATE", "WRITE"],
          timestamp: `2026-03-02T09:00:${String(index % 60).padStart(2, "0")}Z`,
          signature_valid: true,
          age_seconds: index % 3600,
        },
      };
    };
    const workload = (outcome: Outcome, gate: string, hatMode: (index: number) => string): Workload => ({
      kind: "exec",
      size: size as RequestSize,
      what: count === 1 ? "1 target" : `${count} targets`,
      outcome,
      gate,
      different: Number.POSITIVE_INFINITY,
      make: (index) => make(index, hatMode(index)),
    });
    return [workload("allow", "ALLOW", modeAt), workload("late denial", "HAT_MODE", (index) => modeAt(index + 1))];
  });
}
