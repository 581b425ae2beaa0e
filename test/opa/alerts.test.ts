/**
 * The alerts of policies/deploy/prometheus: each fires when what it is for happens to a policy, by the metrics that the policy then
 * gives, and none fires while all is well. Prometheus's own promtool judges, where it is installed (Debian: `prometheus`).
 */

import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import {
  type BundleSource,
  decisionLog,
  type FollowOptions,
  metrics,
  ReloadablePolicy,
  SourceError,
} from "@portcullis/runtime";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { parse } from "yaml";
import { start, until, useServeProcesses } from "../cli/serve-process.ts";
import { compileApp } from "../runtime/load/app.ts";
import { compileExample } from "./bundles.ts";
import { succeeds } from "./opa.ts";

const file = fileURLToPath(new URL("../../policies/deploy/prometheus/alerts.yml", import.meta.url));
const deploy = (name: string): string =>
  readFileSync(fileURLToPath(new URL(`../../policies/deploy/${name}`, import.meta.url)), "utf8");
const page = deploy("README.md");
interface Rule {
  readonly alert: string;
  readonly expr: string;
}
const rules = (parse(readFileSync(file, "utf8")) as { groups: { rules: Rule[] }[] }).groups.flatMap(
  (group) => group.rules,
);

useServeProcesses();
const folder = mkdtempSync(join(tmpdir(), "portcullis-alerts-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

let bytes: Uint8Array;
let newer: Uint8Array;
beforeAll(async () => {
  bytes = (await compileExample("one", "both")).bundle;
  newer = (await compileExample("two", "both")).bundle;
});

/** A service: a policy that follows a source, and writes a log. The scenario breaks something of it. */
interface Service {
  readonly policies: ReloadablePolicy;
  give: () => Promise<Uint8Array>;
  isDiskFull: boolean;
  flush(): Promise<void>;
}

/** The metrics while all is well, and once the scenario has happened. */
interface Told {
  readonly before: string;
  readonly after: string;
}

async function told(
  breaks: (service: Service) => unknown,
  options: FollowOptions = {},
  staleAfter?: number,
): Promise<Told> {
  const log = decisionLog({
    bufferBytes: 4 << 20,
    flushMs: 60_000,
    sink: {
      write: () => {
        if (service.isDiskFull) throw new Error("ENOSPC");
      },
    },
  });
  const source: BundleSource = {
    name: "told",
    staleAfter,
    fetch: async () => ({ bytes: await service.give(), tag: undefined }),
    pause: (_failures, _error, signal) =>
      new Promise((resolve) => signal.addEventListener("abort", () => resolve(), { once: true })),
  };
  const service: Service = {
    policies: undefined as never,
    give: async () => bytes,
    isDiskFull: false,
    flush: () => log.flush(),
  };
  const policies = await ReloadablePolicy.follow(source, { onDecision: log, stale: "deny", ...options });
  Object.assign(service, { policies });
  try {
    const meter = metrics(policies);
    for (let i = 0; i < 100; i++) decide(service, i % 50 === 0 ? "PUBLISHING" : "DRAFTING");
    await log.flush();
    const before = meter.toPrometheus();
    await breaks(service);
    return { before, after: meter.toPrometheus() };
  } finally {
    policies.close();
    await log.close();
  }
}

function decide({ policies }: Service, lane: string): void {
  policies.current.lane({ role: "WRITER", lane });
}

const away = (): Promise<never> => Promise.reject(new SourceError("unreachable", "away"));

/** A service of which a worker is killed. */
async function killed(): Promise<Told> {
  const bundle = join(folder, "bundle.tar.gz");
  writeFileSync(bundle, bytes);
  const running = await start(bundle, "--workers", "2");
  const scrape = (): Promise<string> =>
    fetch(`${running.url}/metrics`, { headers: { connection: "close" }, signal: AbortSignal.timeout(5000) })
      .then((response) => response.text())
      .catch(() => "");
  const before = await scrape();
  const workers = execFileSync("pgrep", ["-P", String(running.child.pid)], { encoding: "utf8" });
  process.kill(Number.parseInt(workers, 10), "SIGKILL");
  let after = "";
  await until(async () => (after = await scrape()).includes("portcullis_worker_restarts_total 1\n"));
  return { before, after };
}

/** By alert, what it is for. */
const SCENARIOS: { readonly [alert: string]: () => Promise<Told> } = {
  PortcullisPolicyStale: () =>
    told(
      async (service) => {
        service.give = away;
        await new Promise((resolve) => setTimeout(resolve, 60));
        await service.policies.check();
      },
      {},
      50,
    ),
  PortcullisSourceAway: () =>
    told(async (service) => {
      service.give = away;
      await service.policies.check();
    }),
  PortcullisBundleRefused: () =>
    told(async (service) => {
      service.give = async () => bytes.subarray(0, 1000);
      await service.policies.check();
    }),
  // A policy that contradicts itself for one request.
  PortcullisFaults: () =>
    told(async (service) => {
      service.give = () => compileApp();
      await service.policies.check();
      service.policies.current.evaluate("app/clashing", { a: true, b: true });
    }),
  PortcullisEventsLost: () =>
    told(async (service) => {
      service.isDiskFull = true;
      for (let i = 0; i < 17_000; i++) decide(service, "DRAFTING");
      await service.flush().catch(() => undefined);
    }),
  PortcullisRefusedForTheLog: () =>
    told(
      async (service) => {
        service.isDiskFull = true;
        decide(service, "DRAFTING");
        await service.flush().catch(() => undefined);
        decide(service, "DRAFTING");
      },
      { unrecorded: "deny" },
    ),
  PortcullisLogFails: () =>
    told(async (service) => {
      service.isDiskFull = true;
      decide(service, "DRAFTING");
      await service.flush().catch(() => undefined);
    }),
  PortcullisLogBehind: () =>
    told(async (service) => {
      service.isDiskFull = true;
      for (let i = 0; i < 4000; i++) decide(service, "DRAFTING");
      await service.flush().catch(() => undefined);
    }),
  PortcullisWorkersRestart: killed,
  PortcullisRevisionsDiffer: () =>
    told(async (service) => {
      service.give = async () => newer;
      await service.policies.check();
    }),
  PortcullisDenialsJump: () =>
    told((service) => {
      for (let i = 0; i < 1000; i++) decide(service, i % 2 === 0 ? "PUBLISHING" : "DRAFTING");
    }),
  PortcullisGone: async () => ({ ...(await told(() => undefined)), after: "" }),
};

type Series = ReadonlyMap<string, number>;
function seriesOf(text: string, instance: string): Series {
  const lines = text.split("\n").filter((line) => line !== "" && !line.startsWith("#"));
  return new Map(
    lines.map((line) => {
      const at = line.lastIndexOf(" ");
      const name = line.slice(0, at);
      const labelled = name.endsWith("}")
        ? `${name.slice(0, -1)},instance="${instance}"}`
        : `${name}{instance="${instance}"}`;
      return [labelled, Number(line.slice(at + 1))] as const;
    }),
  );
}

/** Minutes of a scrape each: 90 all is well, then something happens to the first of two instances, and is so for 30 more. */
const [WELL, BROKEN] = [90, 30];

/** Values of a series, in promtool's words. Counters of a service that is well grow as they did; its checks are fresh. */
function valuesOf(name: string, before: number | undefined, after: number | undefined): string {
  const gone = `_x${BROKEN - 1}`;
  if (name.startsWith("portcullis_last_check_timestamp_seconds"))
    // A second of the test is one since 1970.
    return `0+60x${WELL} ${after === undefined ? gone : after === before ? `${WELL * 60}x${BROKEN - 1}` : `${WELL * 60}+60x${BROKEN - 1}`}`;
  const isCounter = /_(total|count|sum|bucket)\{/.test(name);
  if (!isCounter) {
    const well = before === undefined ? `_x${WELL}` : `${before}x${WELL}`;
    return `${well} ${after === undefined ? gone : `${after}x${BROKEN - 1}`}`;
  }
  const step = before ?? 0;
  const more = after === undefined ? gone : `${WELL * step + (after - step)}+${after - step}x${BROKEN - 1}`;
  return `${step === 0 ? `0x${WELL}` : `0+${step}x${WELL}`} ${more}`;
}

function fires(alert: string, { before, after }: Told): void {
  const inputs = new Map<string, string>();
  const add = (from: Series, to: Series): void => {
    for (const name of new Set([...from.keys(), ...to.keys()]))
      inputs.set(name, valuesOf(name, from.get(name), to.get(name)));
  };
  add(seriesOf(before, "one"), seriesOf(after, "one"));
  // Where no instance answers, the other one does not either.
  if (after !== "") add(seriesOf(before, "two"), seriesOf(before, "two"));
  const firing = (minute: number, isFiring: boolean) => ({
    expr: `count(count by (alertname) (ALERTS{alertname="${alert}",alertstate="firing"}))`,
    eval_time: `${minute}m`,
    exp_samples: isFiring ? [{ labels: "{}", value: 1 }] : [],
  });
  const none = { expr: "count(ALERTS)", eval_time: `${WELL - 1}m`, exp_samples: [] };
  const test = {
    rule_files: [file],
    evaluation_interval: "1m",
    tests: [
      {
        interval: "1m",
        input_series: [...inputs].map(([series, values]) => ({ series, values })),
        promql_expr_test: [none, firing(WELL - 1, false), firing(WELL + 25, true)],
      },
    ],
  };
  const path = join(folder, `${alert}.json`);
  writeFileSync(path, JSON.stringify(test));
  try {
    execFileSync("promtool", ["test", "rules", path], { encoding: "utf8", stdio: "pipe" });
  } catch (error) {
    throw new Error((error as { stdout: string; stderr: string }).stdout + (error as { stderr: string }).stderr);
  }
}

const hasPromtool = succeeds("promtool", "--version");

describe("policies/deploy/prometheus", () => {
  it("has a scenario and a line of the page for each alert, over metrics that there are", async () => {
    expect(rules.map(({ alert }) => alert).sort()).toEqual(Object.keys(SCENARIOS).sort());
    const after = (await told(() => undefined)).after + (await killed()).after;
    for (const { alert, expr } of rules) {
      expect(page).toContain(`\`${alert}\``);
      expect(deploy("REHEARSAL.md")).toContain(`**\`${alert}\`**`);
      for (const name of expr.match(/portcullis_\w+/g) ?? []) expect(after).toContain(`\n# TYPE ${name} `);
    }
  });

  it.skipIf(!hasPromtool).each(rules.map(({ alert }) => alert))(
    "%s fires when it happens, and not before",
    async (alert) => {
      fires(alert, await (SCENARIOS[alert] as () => Promise<Told>)());
    },
  );
});
