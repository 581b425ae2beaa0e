/** The rules for alerts, over what the fleet's metrics really were, minute by minute, as Prometheus's own promtool judges them. */

import { execFileSync, spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parse } from "yaml";
import { type Series, sinceStart } from "./fleet.ts";

const file = fileURLToPath(new URL("../../policies/deploy/prometheus/alerts.yml", import.meta.url));
interface Rule {
  readonly alert: string;
  readonly expr: string;
}
const rules = (parse(readFileSync(file, "utf8")) as { groups: { rules: Rule[] }[] }).groups.flatMap(
  (group) => group.rules,
);
export const ALERTS = rules.map(({ alert }) => alert);
const NAMES = new Set(rules.flatMap(({ expr }) => expr.match(/portcullis_\w+/g) ?? []));

export const HAS_PROMTOOL = spawnSync("promtool", ["--version"]).status === 0;
export const WITHOUT_PROMTOOL = "SKIPPED, NOT TESTED: there is no promtool on the PATH (apt-get install prometheus)";

/** By minute, by member, its metrics then; a member that does not answer has none. */
export type Scrapes = readonly ReadonlyMap<string, Series>[];

/** The alerts that fire at a minute. */
export interface Firing {
  readonly minute: number;
  readonly alerts: readonly string[];
}

/** Throws with promtool's words where an alert does not fire as it is expected to. */
export function holdAlerts(folder: string, scrapes: Scrapes, expected: readonly Firing[]): void {
  const input = new Map<string, (number | undefined)[]>();
  for (const [minute, members] of scrapes.entries())
    for (const [member, series] of members)
      for (const [name, value] of series) {
        if (!NAMES.has(name.replace(/\{.*/s, ""))) continue;
        const labelled = name.endsWith("}") ? `${name.slice(0, -1)},` : `${name}{`;
        const key = `${labelled}instance="${member}"}`;
        const values = input.get(key) ?? Array.from({ length: scrapes.length }, () => undefined);
        values[minute] = sinceStart(name, value);
        input.set(key, values);
      }
  const test = {
    rule_files: [file],
    evaluation_interval: "1m",
    tests: [
      {
        interval: "1m",
        input_series: [...input].map(([series, values]) => ({ series, values: written(values) })),
        promql_expr_test: expected.map(({ minute, alerts }) => ({
          expr: 'count by (alertname) (ALERTS{alertstate="firing"})  * 0',
          eval_time: `${minute}m`,
          exp_samples: alerts.map((alert) => ({ labels: `{alertname="${alert}"}`, value: 0 })),
        })),
      },
    ],
  };
  const path = join(folder, "alerts.json");
  writeFileSync(path, JSON.stringify(test));
  try {
    execFileSync("promtool", ["test", "rules", path], { encoding: "utf8", stdio: "pipe" });
  } catch (error) {
    throw new Error((error as { stdout: string }).stdout + (error as { stderr: string }).stderr);
  }
}

/** In promtool's words: a value that stays is told once, and a series that ends is told to be stale, as after a scrape without it. */
function written(values: readonly (number | undefined)[]): string {
  const words: string[] = [];
  for (let at = 0; at < values.length; ) {
    const value = values[at];
    let to = at;
    while (to + 1 < values.length && values[to + 1] === value) to++;
    if (value !== undefined) words.push(`${value}x${to - at}`);
    else words.push(at === 0 ? `_x${to - at + 1}` : to === at ? "stale" : `stale _x${to - at}`);
    at = to + 1;
  }
  return words.join(" ");
}
