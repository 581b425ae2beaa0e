/**
 * `policies/deploy/spark`: the module in wasmtime answers as the runtime, and a job of Spark finds of a log what asking each finds.
 * `PORTCULLIS_SPARK=VENV` names a Python environment with pyspark, pandas, pyarrow and wasmtime (some 900 MB);
 * `PORTCULLIS_SPARK_ROWS=1000000` asks more.
 */

import { execFileSync, spawnSync } from "node:child_process";
import { appendFileSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { load, type Policy, readBundle } from "@portcullis/runtime";
import { describe, expect, it } from "vitest";
import { SEED } from "../campaign.ts";
import { opened } from "../governance/review/opened.ts";
import { callsTo, requestsTo } from "../governance/review/policy-requests.ts";
import { filesOf, type PolicySet, randomSet, WEAKENINGS } from "../governance/review/policy-sets.ts";
import { Random } from "../rego/plan/generate/random.ts";
import { python } from "./engines.ts";
import { permits, questions } from "./questions.ts";

const folder = resolve("policies/deploy/spark");
const isAsked = ["PORTCULLIS_OPA", "PORTCULLIS_REGISTRY"].some((name) => process.env[name] !== undefined);
const spark = process.env["PORTCULLIS_SPARK"];
const ROWS = Number(process.env["PORTCULLIS_SPARK_ROWS"] || 10_000);

const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value ?? null));

const ASK = `
import json, sys
from policy import Policy
policy = Policy(open(sys.argv[1], "rb").read())
json.dump([policy.decide(one["entrypoint"], json.dumps(one["input"])) for one in json.load(sys.stdin)], sys.stdout)
`;

describe.skipIf(!isAsked)("the module in wasmtime", () => {
  it("answers every entrypoint as the runtime", async ({ skip }) => {
    const why = python.absent();
    if (why !== undefined) return skip(why);
    const wasm = join(mkdtempSync(join(tmpdir(), "portcullis-test-")), "policy.wasm");
    const bytes = (await readBundle(readFileSync("generated/bundle.tar.gz"))).get("policy.wasm") as Uint8Array;
    writeFileSync(wasm, bytes);
    const ours = await load(bytes);
    const all = [...questions(), { entrypoint: "no/such/entrypoint", input: {} }];
    const env = { ...process.env, ...python.env, PYTHONDONTWRITEBYTECODE: "1" };
    const answers = JSON.parse(
      execFileSync("python3", ["-c", ASK, wasm], {
        input: JSON.stringify(all),
        env: { ...env, PYTHONPATH: `${folder}:${python.env.PYTHONPATH}` },
        maxBuffer: 2 ** 26,
      }).toString(),
    ) as unknown[];
    expect(answers.pop()).toBeNull();
    for (const [i, { entrypoint, input }] of questions().entries())
      expect(answers[i], `${entrypoint} ${JSON.stringify(input)}`).toEqual(plain(ours.evaluate(entrypoint, input)));
  });
});

interface Row {
  readonly change: string;
  readonly decision_id?: string;
  readonly now?: string;
}

describe.skipIf(spark === undefined)("a job of Spark", () => {
  it(`finds of ${ROWS} events what asking each finds`, { timeout: 3_600_000 }, async () => {
    const random = new Random(SEED);
    const set = randomSet(random);
    const weaker = WEAKENINGS.map(([, weaken]) => weaken(set, random)).find(
      (other) => JSON.stringify(filesOf(other)) !== JSON.stringify(filesOf(set)),
    );
    const [before, after] = [await opened(filesOf(set)), await opened(filesOf(weaker ?? set))];
    const out = mkdtempSync(join(tmpdir(), "portcullis-test-"));
    writeFileSync(join(out, "policy.wasm"), after.files.get("policy.wasm") as Uint8Array);
    const log = join(out, "log");
    mkdirSync(log);
    for (const { decision_id, ...event } of eventsTo(set, before.policy))
      appendFileSync(
        join(log, `${Math.floor(decision_id / 50_000)}.jsonl`),
        `${JSON.stringify({ decision_id: String(decision_id), ...event })}\n`,
      );
    writeFileSync(join(log, "strange.jsonl"), STRANGE.map((line) => `${line}\n`).join(""));

    const started = performance.now();
    const job = spawnSync(
      join(spark as string, "bin/spark-submit"),
      [
        "--master",
        "local[2]",
        "--py-files",
        `${join(folder, "policy.py")},${join(folder, "events.py")}`,
        join(folder, "replay.py"),
      ].concat([join(out, "policy.wasm"), log, join(out, "report")]),
      { encoding: "utf8", env: { ...process.env, PYSPARK_PYTHON: join(spark as string, "bin/python") } },
    );
    process.stdout.write(`${ROWS} events in ${((performance.now() - started) / 1000).toFixed(1)} s on two cores\n`);
    const counts = JSON.parse(job.stdout.trim().split("\n").at(-1) || "null") as Record<string, number> | null;
    expect(counts, job.stderr.slice(-2000)).not.toBeNull();

    const rows = readdirSync(join(out, "report"))
      .filter((name) => name.endsWith(".json"))
      .flatMap((name) => readFileSync(join(out, "report", name), "utf8").split("\n"))
      .filter((line) => line !== "")
      .map((line) => JSON.parse(line) as Row);
    const told = new Map(rows.map((row) => [row.decision_id, row]));
    const expected: Record<string, number> = { "cannot be decided again": UNDECIDED };
    for (const event of eventsTo(set, before.policy)) {
      const now = plain(after.policy.evaluate(event.path, event.input));
      const change = changeOf(event.result, now);
      expected[change] = (expected[change] ?? 0) + 1;
      const row = told.get(String(event.decision_id));
      expect([event, row?.change ?? "the same"]).toEqual([event, change]);
      if (row !== undefined) expect(JSON.parse(row.now ?? "null")).toEqual(now);
    }
    expect(counts).toEqual(expected);
    expect(job.status).toBe(1);
  });
});

interface Event {
  readonly decision_id: number;
  readonly path: string;
  readonly input: unknown;
  readonly result: unknown;
}

/** The same events each time: a million are too many to keep. */
function* eventsTo(set: PolicySet, policy: Policy): Generator<Event> {
  let decision_id = 0;
  const event = (kind: string, input: unknown): Event => {
    const path = `portcullis/${kind}/decision`;
    return { decision_id: decision_id++, path, input: plain(input), result: policy.evaluate(path, input) };
  };
  for (const input of requestsTo(set))
    for (const kind of ["lane", "tool"]) if (decision_id < ROWS / 2) yield event(kind, input);
  for (const input of callsTo(set, new Random(SEED), ROWS - decision_id)) yield event("call", input);
}

/** The last three are no decisions. */
const STRANGE = [
  "no JSON",
  "[]",
  '{"path":"portcullis/lane/decision","result":{"allowed":false}}',
  '{"path":"portcullis/lane/decision","path":"x","input":{},"result":{"allowed":false}}',
  '{"path":"portcullis/lane/decision","input":{},"erased":["/input/x"],"result":{"allowed":false}}',
  '{"path":7,"input":{},"result":{"allowed":false}}',
  '{"path":"no/such/rule","input":{},"result":{"allowed":false}}',
  '{"dropped":3}',
  '{"checkpoint":{}}',
  "",
];
const UNDECIDED = STRANGE.length - 3;

function changeOf(was: unknown, now: unknown): string {
  if (permits(was) !== permits(now)) return permits(now) ? "newly allowed" : "newly denied";
  return isDeepStrictEqual(plain(was), now) ? "the same" : "another answer";
}
