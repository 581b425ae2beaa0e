/** Metrics of several processes as one text: counters are sums, what is said of the policy is the primary's. */

import { describe, expect, it } from "vitest";
import { lasting, summed } from "../../../compiler/cli/workers/summed-metrics.ts";

const family = (name: string, type: string, ...samples: readonly string[]): string =>
  [`# HELP ${name} What it is.`, `# TYPE ${name} ${type}`, ...samples.map((sample) => `${name}${sample}`), ""].join(
    "\n",
  );
const primary =
  family("portcullis_decisions_total", "counter") +
  family("portcullis_memory_bytes", "gauge", " 65536") +
  family("portcullis_policy_stale", "gauge", " 1") +
  family("portcullis_reloads_total", "counter", " 3") +
  family("portcullis_failed_reloads_total", "counter", '{code="status"} 2', '{code="timeout"} 0') +
  family("portcullis_policy_info", "gauge", '{revision="new"} 1');
const worker = (allowed: number, denied: number): string =>
  family(
    "portcullis_decisions_total",
    "counter",
    `{reason="a b\\" } 7",outcome="allow"} ${allowed}`,
    `{outcome="deny"} ${denied}`,
  ) +
  family("portcullis_memory_bytes", "gauge", " 131072") +
  family("portcullis_policy_stale", "gauge", " 0") +
  family("portcullis_last_check_timestamp_seconds", "gauge", " 1700000000") +
  family("portcullis_failed_checks", "gauge", " 0") +
  family("portcullis_reloads_total", "counter", " 9") +
  family("portcullis_failed_reloads_total", "counter", '{code="status"} 9', '{code="timeout"} 9') +
  family("portcullis_policy_info", "gauge", '{revision="old"} 1');

describe("summed metrics", () => {
  it("adds what workers count, and takes from the primary what is said of the policy", () => {
    expect(summed(primary, [worker(1, 2), worker(10, 0)])).toBe(
      family(
        "portcullis_decisions_total",
        "counter",
        '{reason="a b\\" } 7",outcome="allow"} 11',
        '{outcome="deny"} 2',
      ) +
        family("portcullis_memory_bytes", "gauge", " 327680") +
        family("portcullis_policy_stale", "gauge", " 1") +
        family("portcullis_reloads_total", "counter", " 3") +
        family("portcullis_failed_reloads_total", "counter", '{code="status"} 2', '{code="timeout"} 0') +
        family("portcullis_policy_info", "gauge", '{revision="new"} 1'),
    );
  });

  it("is the primary's text without workers", () => expect(summed(primary, [])).toBe(primary));

  it("keeps of a process that has ended what was counted, and not what it held", () => {
    const past = lasting(worker(1, 2));
    expect(summed(primary, [past, past])).toContain('portcullis_decisions_total{outcome="deny"} 4\n');
    expect(summed(primary, [past, past])).toContain("portcullis_memory_bytes 65536\n");
  });
});
