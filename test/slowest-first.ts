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
    "governance/review/weakened",
    "governance/library/exhaustive",
    "opa/serve",
    "enforcement/execution/repositories",
    "governance/library/agreement",
  ],
  ...[
    "opa/sdks",
    "opa/server",
    "runtime/load/mutants",
    "rego/wasm/plans",
    "rego/plan/rule-index",
    "governance/review/explore",
  ],
  ...[
    "governance/library/adapters",
    "mutation/host",
    "differential/falsified-hints",
    "packages/packages",
    "governance/library/every-input",
  ],
  ...[
    "conformance/conformance",
    "conformance/plans",
    "governance/library/monotonic",
    "rego/optimize/generated",
    "governance/library/cases",
  ],
  ...[
    "rego/analyze/errors",
    "runtime/sequences",
    "governance/review/remedies",
    "rego/plan/generated",
    "governance/library/rego-tests",
  ],
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
