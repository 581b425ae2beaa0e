/**
 * Says what the run tries, first; and when something failed, last, how to try the same again. A process that ended before its
 * file did is named by what ran in it, and by how it ended: Vitest says only that one did.
 */

import type { ChildProcess } from "node:child_process";
import { subscribe } from "node:diagnostics_channel";
import type { Reporter, TestCase, TestModule } from "vitest/node";

export class CampaignReport implements Reporter {
  private readonly repeat: string;
  /** The files that run now, each with the test that began last. */
  private readonly running = new Map<string, string>();
  private readonly exits: string[] = [];

  /** `campaign`: how much is tried, as campaign.ts has it. */
  constructor(
    seed: string,
    private readonly campaign: string,
  ) {
    const named = campaign === "part" || campaign === "full" ? "" : `PORTCULLIS_CAMPAIGN=${campaign} `;
    this.repeat = `PORTCULLIS_SEED=${seed} ${named}make ${campaign === "full" ? "test-all" : "test"}`;
    subscribe("child_process", (message) => {
      const child = (message as { readonly process: ChildProcess }).process;
      child.once("exit", (code, signal) => this.exits.push(String(signal ?? code)));
    });
  }

  onTestRunStart(): void {
    const isWhole = this.campaign === "full";
    const what = isWhole
      ? "every campaign whole"
      : `a share of every campaign, ${this.campaign} (make test-all: all of it)`;
    console.log(`${what}; \`${this.repeat}\` tries the same again`);
  }

  onTestModuleQueued(module: TestModule): void {
    this.running.set(module.relativeModuleId, "while it loaded or began");
  }

  onTestCaseReady({ module, fullName }: TestCase): void {
    // A short file may have ended when its tests are told of.
    if (this.running.has(module.relativeModuleId)) this.running.set(module.relativeModuleId, `in "${fullName}"`);
  }

  onTestModuleEnd(module: TestModule): void {
    this.running.delete(module.relativeModuleId);
  }

  onTestRunEnd(modules: readonly TestModule[]): void {
    if (this.running.size === 0 && modules.every((module) => module.ok())) return;
    const ended = [...this.running].map(([file, where]) => `did not end: ${file}, ${where}`);
    if (ended.length > 0) ended.push(`processes ended with: ${this.exits.join(", ")}`);
    // Below all that the other reporters print, which is the part that is read.
    process.once("exit", () => {
      console.log([...ended, `to try the same again: ${this.repeat}`].join("\n"));
    });
  }
}
