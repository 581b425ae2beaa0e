/**
 * Files that take long start first, so that no process is left alone with one at the end. What Vitest does of itself, by the
 * size of a file or by its last run, starts a campaign of a few lines last.
 */
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { BaseSequencer, type TestSpecification } from "vitest/node";

/** Those that take more than 20 s in a whole run, the longest first. */
const SLOWEST = [
  ...[
    "governance/review/symbolic",
    "governance/review/weakened",
    "governance/library/exhaustive",
    "governance/review/mutated-rules",
    "enforcement/execution/repositories",
    "governance/library/agreement",
  ],
  ...[
    "governance/review/reach",
    "governance/library/monotonic",
    "rego/pipeline/broken-modules",
    "governance/review/explore",
    "packages/packages",
    "opa/sdks",
  ],
  ...[
    "runtime/load/mutants",
    "runtime/operate/record-soak",
    "opa/type-checker",
    "governance/library/cases",
    "rego/plan/rule-index",
  ],
  ...["governance/library/every-input", "loops/recipes", "cli/init-for", "governance/checks/mistakes", "mutation/host"],
  ...[
    "enforcement/execution/git-folders",
    "governance/review/remedies",
    "differential/falsified-hints",
    "rego/wasm/plans",
    "conformance/conformance",
  ],
  ...[
    "enforcement/gateway/hook-process",
    "opa/serve",
    "governance/library/adapters",
    "governance/editor/findings",
    "governance/library/near-misses",
  ],
  ...["cli/import", "opa/server", "governance/library/limits", "conformance/plans", "pages/pages"],
  ...["runtime/redis/redis-history", "governance/review/approval-advice", "rego/analyze/errors"],
].map((name) => fileURLToPath(new URL(`${name}.test.ts`, import.meta.url)));

const absent = SLOWEST.filter((file) => !existsSync(file));
if (absent.length > 0) throw new Error(`the list of slow files names what is not there: ${absent.join(", ")}`);

/** The later, the lower. */
function rank(file: string): number {
  const place = SLOWEST.indexOf(file);
  return place < 0 ? SLOWEST.length : place;
}

export class SlowestFirst extends BaseSequencer {
  /** Within each project: a process is kept for the next file of its own project alone. */
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    return (await super.sort(files)).sort(
      (a, b) =>
        Number(b.project.config.isolate) - Number(a.project.config.isolate) || rank(a.moduleId) - rank(b.moduleId),
    );
  }
}
