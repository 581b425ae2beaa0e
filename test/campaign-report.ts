/** Says what the run tries, first; and when something failed, last, how to try the same again. */
import type { Reporter, TestModule } from "vitest/node";

export class CampaignReport implements Reporter {
  private readonly repeat: string;

  constructor(
    seed: string,
    private readonly isWhole: boolean,
  ) {
    this.repeat = `PORTCULLIS_SEED=${seed} make ${isWhole ? "test-all" : "test"}`;
  }

  onTestRunStart(): void {
    const what = this.isWhole ? "every campaign whole" : "a part of every campaign (make test-all: all of it)";
    console.log(`${what}; \`${this.repeat}\` tries the same again`);
  }

  onTestRunEnd(modules: readonly TestModule[]): void {
    if (modules.some((module) => !module.ok())) console.log(`to try the same again: ${this.repeat}`);
  }
}
