/** Says what the run tries, first; and when something failed, last, how to try the same again. */
import type { Reporter, TestModule } from "vitest/node";

export class CampaignReport implements Reporter {
  private readonly repeat: string;

  /** `campaign`: how much is tried, as campaign.ts has it. */
  constructor(
    seed: string,
    private readonly campaign: string,
  ) {
    const named = campaign === "part" || campaign === "full" ? "" : `PORTCULLIS_CAMPAIGN=${campaign} `;
    this.repeat = `PORTCULLIS_SEED=${seed} ${named}make ${campaign === "full" ? "test-all" : "test"}`;
  }

  onTestRunStart(): void {
    const isWhole = this.campaign === "full";
    const what = isWhole
      ? "every campaign whole"
      : `a share of every campaign, ${this.campaign} (make test-all: all of it)`;
    console.log(`${what}; \`${this.repeat}\` tries the same again`);
  }

  onTestRunEnd(modules: readonly TestModule[]): void {
    if (modules.some((module) => !module.ok())) console.log(`to try the same again: ${this.repeat}`);
  }
}
