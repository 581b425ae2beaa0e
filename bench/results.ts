/** What a run leaves behind: bench/results/latest.json. */

import type { DecisionKind } from "@portcullis/runtime";
import type { PolicyName } from "./bundles.ts";
import type { Cost, Growth } from "./footprint.ts";
import type { Machine } from "./machine.ts";
import type { Verdict } from "./requirement.ts";
import type { InputStyle, Measured } from "./sampler.ts";
import type { Scenario } from "./scenarios.ts";

export interface ScenarioResult {
  readonly policy: PolicyName;
  readonly kind: DecisionKind;
  readonly outcome: Scenario["outcome"];
  readonly style: InputStyle;
  readonly measured: readonly Measured[];
}

export interface Absence {
  readonly policy: PolicyName;
  readonly name: string;
  readonly why: string;
}

export interface Results {
  readonly commit: string;
  readonly date: string;
  readonly quick: boolean;
  readonly machine: Machine;
  readonly scenarios: readonly ScenarioResult[];
  /** Where a contender has nothing to show, and why. */
  readonly absences: readonly Absence[];
  readonly costs: readonly { readonly policy: PolicyName; readonly cost: Cost }[];
  readonly growth: readonly (Growth & { readonly kind: DecisionKind | "all kinds" })[];
  readonly requirement: readonly Verdict[];
}
