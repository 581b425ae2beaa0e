/**
 * Parts of the benchmark that ask peers in processes of their own, from the bytes of the same requests: first for answers, which
 * must be ours, then for time. Who answers wrongly is reported, and not timed.
 */

import { execFile } from "node:child_process";
import { writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { isDeepStrictEqual, promisify } from "node:util";
import { type DecisionKind, entrypointOf, load } from "@portcullis/runtime";
import { Absent } from "../../test/hosts/installed.ts";
import type { Bundle } from "../bundles.ts";
import { type Job, type Outside, peersOutside, runtimes, sdks, type Told } from "../peers/outside.ts";
import type { ApartRow } from "../results.ts";
import { textsOf, workloadsOf } from "../workloads/index.ts";

const CHECKED = 64;
const TIMED = 4_000;
const MOST_MS = 300_000;

export interface Question {
  readonly kind: DecisionKind;
  readonly what: string;
  readonly checked: readonly { readonly text: string; readonly right: { readonly allowed: boolean } }[];
  /** Allowed requests: they pass every gate. */
  readonly timed: readonly string[];
}

interface Pace {
  readonly warmMs: number;
  readonly ms: number;
  readonly batch: number;
}

/** Runs the contender on a job. Throws `Absent` where it is not to be had. */
export type Run = (contender: Outside, job: Omit<Job, "folder">) => Promise<Told>;

type Progress = (text: string) => void;

export function measurePeers(bundle: Bundle, quick: boolean, progress: Progress): Promise<ApartRow[]> {
  return measured(bundle, peersOutside(bundle), () => true, quick, 1, progress);
}

export function measureSdks(bundle: Bundle, quick: boolean, progress: Progress): Promise<ApartRow[]> {
  return measured(bundle, sdks(bundle), (kind) => kind === "tool" || kind === "handoff", quick, 1, progress);
}

/** Many decisions between two readings of the clock: engines differ in how fine and how dear it is. */
export function measureRuntimes(bundle: Bundle, quick: boolean, progress: Progress): Promise<ApartRow[]> {
  const kinds: readonly DecisionKind[] = ["lane", "tool", "subagent", "lineage", "call"];
  return measured(bundle, runtimes(), (kind) => kinds.includes(kind), quick, 32, progress);
}

async function measured(
  bundle: Bundle,
  contenders: readonly Outside[],
  isAsked: (kind: DecisionKind) => boolean,
  quick: boolean,
  batch: number,
  progress: Progress,
): Promise<ApartRow[]> {
  const pace = quick ? { warmMs: 200, ms: 200, batch } : { warmMs: 1_000, ms: 1_000, batch };
  const questions = await questionsOf(bundle, isAsked);
  const built = new Map<Outside["command"], ReturnType<Outside["command"]>>();
  const run: Run = async (contender, job) => {
    progress(`policies ${bundle.name}: ${contender.name}`);
    const { command } = contender;
    const found = built.get(command) ?? command();
    built.set(command, found);
    const [[program = "", ...before], after = []] = await found;
    const path = join(dirname(bundle.path), "job.json");
    writeFileSync(path, JSON.stringify({ ...job, ...contender.given?.(), folder: dirname(bundle.path) } satisfies Job));
    const options = { maxBuffer: 2 ** 28, timeout: MOST_MS };
    return JSON.parse((await promisify(execFile)(program, [...before, path, ...after], options)).stdout) as Told;
  };
  return askApart(contenders, questions, pace, run);
}

/** Typical requests: of each kind as many allowed ones as denied ones are checked. */
async function questionsOf(bundle: Bundle, isAsked: (kind: DecisionKind) => boolean): Promise<Question[]> {
  const policy = await load(bundle.bytes);
  const workloads = workloadsOf(bundle.data.portcullis.policy).filter(
    ({ kind, size, outcome, what }) =>
      isAsked(kind) && size === "typical" && outcome !== "mixed" && !what.endsWith("arguments"),
  );
  return workloads
    .filter(({ outcome }) => outcome === "allow")
    .map((workload): Question => {
      const { kind, what, different } = workload;
      const checked = workloads
        .filter((one) => one.kind === kind)
        .flatMap((one) =>
          textsOf(one, 0, Math.min(CHECKED, one.different)).map((text) => {
            const answer = policy.evaluate(entrypointOf(kind), JSON.parse(text));
            const right = JSON.parse(JSON.stringify(answer)) as { allowed: boolean; gate: string };
            if (right.gate !== one.gate) throw new Error(`${text} is answered by ${right.gate} instead of ${one.gate}`);
            return { text, right };
          }),
        );
      return { kind, what, checked, timed: textsOf(workload, 0, Math.min(TIMED, different)) };
    });
}

export async function askApart(
  contenders: readonly Outside[],
  questions: readonly Question[],
  pace: Pace,
  run: Run,
): Promise<ApartRow[]> {
  const rows: ApartRow[] = [];
  for (const contender of contenders) rows.push(...(await rowsOf(contender, questions, pace, run)));
  return rows;
}

async function rowsOf(
  contender: Outside,
  questions: readonly Question[],
  pace: Pace,
  run: Run,
): Promise<readonly ApartRow[]> {
  const { name, cannot = {}, beside } = contender;
  const named = ({ kind, what }: Question): ApartRow => ({
    ...{ kind, what, name },
    ...(beside === undefined ? {} : { beside }),
  });
  const without = (all: readonly Question[], is: "absent" | "wrong", why: string): ApartRow[] =>
    all.map((question) => ({ ...named(question), missing: { is, why } }));
  const incapable = questions.flatMap((question): ApartRow[] => {
    const why = cannot[question.kind];
    return why === undefined ? [] : [{ ...named(question), missing: { is: "cannot", why } }];
  });
  const able = questions.filter(({ kind }) => cannot[kind] === undefined);
  try {
    const { told } = await run(
      contender,
      jobOf(able, { ...pace, ms: 0 }, (question) => question.checked.map(({ text }) => text)),
    );
    const faults = able.map((question, i) => wrongAnswer(contender, question, told[i]?.answers ?? []));
    const right = able.filter((_, i) => faults[i] === undefined);
    const wrong = able.flatMap((question, i) =>
      without([question], "wrong", faults[i] ?? "").filter(() => faults[i] !== undefined),
    );
    if (right.length === 0) return [...wrong, ...incapable];
    const timed = await run(
      contender,
      jobOf(right, pace, (question) => question.timed),
    );
    const rows = right.map((question, i): ApartRow => {
      const nanos = [...(timed.told[i]?.nanos ?? [])].sort((a, b) => a - b);
      const at = (share: number): number => nanos[Math.floor(share * (nanos.length - 1))] as number;
      if (nanos.length === 0) return without([question], "wrong", "answered nothing in time")[0] as ApartRow;
      return {
        ...named(question),
        version: timed.version,
        timed: { decisions: nanos.length * pace.batch, p50Ns: at(0.5), p99Ns: at(0.99) },
      };
    });
    return [...rows, ...wrong, ...incapable];
  } catch (error) {
    const why = String((error as { readonly stderr?: string }).stderr || (error as Error).message).trim();
    const is = error instanceof Absent ? "absent" : "wrong";
    return [...without(able, is, is === "absent" ? why : `it ended with an error: ${why.slice(0, 300)}`), ...incapable];
  }
}

function jobOf(
  questions: readonly Question[],
  pace: Pace,
  requestsOf: (question: Question) => readonly string[],
): Omit<Job, "folder"> {
  const asked = questions.map((question) => ({
    ...{ kind: question.kind, entrypoint: entrypointOf(question.kind) },
    requests: requestsOf(question),
  }));
  return { ...pace, asked };
}

/** The first answer that is not ours. */
function wrongAnswer(
  { answers: compared }: Outside,
  { checked }: Question,
  answers: readonly unknown[],
): string | undefined {
  if (compared === "none") return undefined;
  const at = checked.findIndex(
    ({ right }, i) => !isDeepStrictEqual(answers[i], compared === "whole" ? right : right.allowed),
  );
  if (at < 0) return undefined;
  const { text, right } = checked[at] as Question["checked"][number];
  return `not timed: it answers ${JSON.stringify(answers[at])} to ${text}, where ${JSON.stringify(right)} is right`;
}
