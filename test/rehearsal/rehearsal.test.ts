/**
 * A rehearsal of what a platform team does to a fleet, step by step as policies/deploy/REHEARSAL.md tells it: `portcullis serve` behind
 * a real Envoy and services that embed the runtime, with a registry, a bundle server, Redis and a clock that is set. Through all of it
 * no answer allows what the policy in force does not, none is lost from a log that is required, and each alert fires when it is for that.
 *
 * Six processes in `make test-all`; fifty in `make rehearsal` (`PORTCULLIS_FLEET`).
 */

import { mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { isWhole } from "../campaign.ts";
import {
  HAS_ENVOY,
  type RunningEnvoy,
  startEnvoy,
  tokenWith,
  WITHOUT_ENVOY,
} from "../enforcement/serving/envoy-server.ts";
import { HAS_REGISTRY, WITHOUT_REGISTRY } from "../opa/registry-server.ts";
import { HAS_REDIS, WITHOUT_REDIS } from "../runtime/redis/redis-server.ts";
import { ALERTS, HAS_PROMTOOL, holdAlerts, WITHOUT_PROMTOOL } from "./alerts.ts";
import { until } from "./fleet.ts";
import { Rehearsal, STALE_AFTER } from "./rehearsal.ts";
import { writeKeys } from "./revisions.ts";

/** The fleet has one process a member: test/opa/alerts.test.ts kills workers. */
const OF_WORKERS = "PortcullisWorkersRestart";
const SIZE = Number(process.env["PORTCULLIS_FLEET"] || (isWhole ? 6 : 0));
const isAsked = SIZE > 0;
if (isAsked)
  for (const [has, without] of [
    [HAS_REGISTRY, WITHOUT_REGISTRY],
    [HAS_REDIS, WITHOUT_REDIS],
    [HAS_ENVOY, WITHOUT_ENVOY],
    [HAS_PROMTOOL, WITHOUT_PROMTOOL],
  ] as const)
    if (!has) process.stderr.write(`rehearsal: ${without}\n`);

const folder = mkdtempSync(join(tmpdir(), "portcullis-rehearsal-"));
const fleet = new Rehearsal(folder);
const ALL = ["canary", "stable"] as const;
let envoy: RunningEnvoy | undefined;

beforeAll(async () => {
  if (!isAsked) return;
  await fleet.start(SIZE);
  if (HAS_ENVOY) envoy = await startEnvoy({ over: "grpc", port: fleet.checksPort, token: undefined });
});
afterAll(async () => {
  await envoy?.stop();
  await fleet.stop();
  rmSync(folder, { recursive: true, force: true });
});

const desk = JSON.stringify([{ agent_type: "news_desk", spawn_depth: 0 }]);

/** A writer drafts through Envoy: 200 where it passes. */
async function throughEnvoy(): Promise<number | undefined> {
  if (envoy === undefined) return undefined;
  const token = tokenWith({ role: "WRITER", run: "r-7", lineage: desk });
  const { status } = await fetch(`http://127.0.0.1:${envoy.port}/stories/s-1/drafts`, {
    ...{ method: "POST", body: "{}" },
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
  });
  return status;
}

async function drafts(isAllowed: boolean): Promise<void> {
  const answers = await fleet.askAll(fleet.members, "WRITER");
  expect(answers.map(({ result }) => result?.allowed === true)).toEqual(fleet.members.map(() => isAllowed));
  if (envoy !== undefined) expect((await throughEnvoy()) === 200).toBe(isAllowed);
  expect(fleet.wrongAllows()).toEqual([]);
}

describe.skipIf(!isAsked)(
  isAsked ? `a fleet of ${SIZE} processes` : "a fleet: make test-all, make rehearsal",
  { timeout: 3_600_000 },
  () => {
    it("decides by the first revision, for more than an hour", async () => {
      await drafts(true);
      await fleet.pass(75);
      fleet.fires();
      await drafts(true);
    });

    it("1. rotates the key without a refusal, and believes the old one no more", async () => {
      writeKeys(fleet.keys, [fleet.pairs.old, fleet.pairs.new]);
      await fleet.rollOut("two", fleet.pairs.new, ALL);
      await fleet.pass(2);
      fleet.fires();
      writeKeys(fleet.keys, [fleet.pairs.new]);
      // A thief of the old key signs a policy of a higher sequence.
      await fleet.put("stolen", fleet.pairs.old);
      await fleet.pass(2);
      fleet.fires("PortcullisBundleRefused");
      expect((await fleet.askAll(fleet.members, "READER_DESK")).some(({ result }) => result?.allowed)).toBe(false);
      await drafts(true);
      await fleet.put("two", fleet.pairs.new);
      await fleet.pass(12);
      fleet.fires();
    });

    it("2. rolls out in two stages", async () => {
      await fleet.rollOut("three", fleet.pairs.new, ["canary"]);
      const allowed = async (ring: "canary" | "stable"): Promise<number> =>
        (await fleet.askAll(fleet.of(ring), "ARCHIVIST")).filter(({ result }) => result?.allowed).length;
      expect([await allowed("canary"), await allowed("stable")]).toEqual([fleet.of("canary").length, 0]);
      await fleet.pass(12);
      fleet.fires("PortcullisRevisionsDiffer");
      await fleet.rollOut("three", fleet.pairs.new, ["stable"]);
      expect(await allowed("stable")).toBe(fleet.of("stable").length);
      await fleet.pass(1);
      fleet.fires();
    });

    it("is told of a policy that contradicts itself", async () => {
      expect(await fleet.members[2]?.clash()).toBe(500);
      await fleet.pass(2);
      fleet.fires("PortcullisFaults");
      await fleet.pass(12);
      fleet.fires();
    });

    it("3. rolls back by a higher sequence, and never by an old bundle", async () => {
      await fleet.put("two", fleet.pairs.new);
      await fleet.pass(2);
      fleet.fires("PortcullisBundleRefused");
      await drafts(true);
      await fleet.rollOut("four", fleet.pairs.new, ALL);
      expect((await fleet.askAll(fleet.members, "ARCHIVIST")).some(({ result }) => result?.allowed)).toBe(false);
      await fleet.pass(12);
      fleet.fires();
    });

    it("4. revokes", async () => {
      const bound = await fleet.rollOut("five", fleet.pairs.new, ALL);
      process.stderr.write(`rehearsal: ${SIZE} processes: ${Math.round(bound)} ms from publishing to the last allow\n`);
      await drafts(false);
      await fleet.pass(11);
      fleet.fires("PortcullisDenialsJump");
      await fleet.rollOut("six", fleet.pairs.new, ALL);
      await fleet.pass(12);
      fleet.fires();
    });

    it("5. loses its sources for an hour", async () => {
      await fleet.loseSources();
      await fleet.pass(8);
      fleet.fires("PortcullisSourceAway");
      await drafts(true);
      const [killed, changed] = fleet.members.slice(-2);
      // One dies, and decides again by what it kept, which is verified as if it had come.
      await killed?.end("SIGKILL");
      await killed?.start(fleet.clock.file);
      await drafts(true);
      // What another one kept was changed.
      await changed?.end("SIGKILL");
      const kept = join(changed?.plan.folder ?? "", "bundle.tar.gz");
      const bytes = readFileSync(kept);
      renameSync(kept, `${kept}.good`);
      writeFileSync(kept, bytes.subarray(0, bytes.length - 100));
      await expect(changed?.start(fleet.clock.file)).rejects.toThrow("does not serve");
      renameSync(`${kept}.good`, kept);
      await changed?.start(fleet.clock.file);
      await fleet.pass(STALE_AFTER / 60 - 8 - 1);
      await drafts(true);
      await fleet.pass(2);
      fleet.permit(ALL, []);
      await drafts(false);
      await fleet.pass(29);
      // All is denied, and it was an hour ago, when the writers were revoked.
      fleet.fires("PortcullisPolicyStale", "PortcullisSourceAway");
      await drafts(false);
      fleet.permit(ALL, ["six"]);
      await fleet.sourcesAreBack();
      await fleet.pass(1);
      await drafts(true);
      await fleet.pass(12);
      fleet.fires();
    });

    it("6. fills the disks of its logs", async () => {
      for (const one of fleet.members) one.fillDisk();
      const [, free] = fleet.members;
      // The first is on its way before the disk says that it is full; the answer waits for it, and is a denial.
      for (let i = 0; i < 3; i++)
        expect(
          (await fleet.askAll(fleet.members, "WRITER")).flatMap(({ result }, n) => (result?.allowed ? [n] : [])),
        ).toEqual([1]);
      if (free !== undefined)
        for (let i = 0; i < 120; i++)
          await fleet.askAll(
            Array.from({ length: 50 }, () => free),
            "WRITER",
          );
      await fleet.pass(4);
      fleet.fires("PortcullisRefusedForTheLog", "PortcullisLogFails", "PortcullisLogBehind", "PortcullisEventsLost");
      for (const one of fleet.members) one.makeRoom();
      // A log that failed tries again after half a minute at most, of the machine's clock.
      await until(
        async () => {
          const answers = await fleet.askAll(fleet.members, "WRITER");
          const waiting = await Promise.all(fleet.members.map((one) => one.series()));
          return (
            answers.every(({ result }) => result?.allowed === true) &&
            waiting.every((series) => (series.get("portcullis_pending_events") ?? 0) < 100)
          );
        },
        () => "the logs are written",
      );
      await fleet.pass(12);
      fleet.fires();
      await drafts(true);
    });

    it("ends, and its logs have everything", async () => {
      const codes = await Promise.all(fleet.members.map((one) => one.end("SIGTERM")));
      expect(codes).toEqual(fleet.members.map(() => 0));
      fleet.passSilently(8);
      fleet.fires("PortcullisGone");
      expect(fleet.wrongAllows()).toEqual([]);
      const told = fleet.members.map((one) => ({ name: one.plan.name, ...fleet.logProblems(one) }));
      expect(told.flatMap(({ name, problems }) => problems.map((text) => `${name}: ${text}`))).toEqual([]);
      // The disks were full for all, and each log says what it lacks.
      expect(told.filter(({ untold }) => untold === 0)).toEqual([]);
      const asked = fleet.members.reduce((sum, one) => sum + one.asked.length, 0);
      const allowed = fleet.members.flatMap((one) => one.asked).filter(({ result }) => result?.allowed).length;
      process.stderr.write(`rehearsal: ${asked} questions, ${allowed} allows, ${fleet.clock.minute} minutes\n`);
      expect([...new Set(fleet.firing.flatMap(({ alerts }) => alerts))].sort()).toEqual(
        ALERTS.filter((alert) => alert !== OF_WORKERS).sort(),
      );
    });

    it.skipIf(!HAS_PROMTOOL)("makes each alert fire when it is for that, and no other", () => {
      holdAlerts(folder, fleet.history, fleet.firing);
    });
  },
);
