/**
 * Three processes at one folder, killed and stopped in the middle of what they do, against what each wrote down: no window ever has more
 * than the limit, nothing has succeeded that was not committed, and the folder is whole. A small number in `make test`;
 * `make fuzz WITH=files` makes 5,000 calls (`PORTCULLIS_HISTORY_CALLS`).
 */

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { afterAll, beforeAll, expect, it } from "vitest";
import { fileHistory } from "../../../runtime/node/file-history.ts";
import { isWhole, SEED } from "../../campaign.ts";
import { Random } from "../../rego/plan/generate/random.ts";
import { held, type Line, window } from "./held.ts";
import { type NaiveLimit, NaiveLog } from "./naive-log.ts";
import { limitsOf } from "./traces.ts";

const CALLS = Number(process.env["PORTCULLIS_HISTORY_CALLS"] || (isWhole ? 2000 : 300));
const PROCESSES = 3;
const UNIT = 300;
const root = fileURLToPath(new URL("../../..", import.meta.url));
const top = mkdtempSync(join(tmpdir(), "portcullis-kills-"));
const script = join(top, "caller.mjs");
const running: ChildProcess[] = [];

beforeAll(async () => {
  await build({
    entryPoints: [join(root, "test/runtime/history/caller.ts")],
    ...{ outfile: script, bundle: true, platform: "node", format: "esm", target: "node20", logLevel: "error" },
    tsconfig: join(root, "tsconfig.json"),
    banner: { js: 'import { createRequire } from "node:module"; const require = createRequire(import.meta.url);' },
  });
});
afterAll(() => {
  for (const child of running) child.kill("SIGKILL");
  rmSync(top, { recursive: true, force: true });
});

it(`never let more through than a limit says, in ${CALLS} calls with kills`, { timeout: 3_600_000 }, async () => {
  const random = new Random(SEED);
  const [folder, log] = [join(top, "history"), join(top, "log.jsonl")];
  const output = openSync(log, "a");
  let [started, killed, broken] = [0, 0, 0];
  const start = (): ChildProcess => {
    const words = [script, folder, String(SEED), String(SEED + ++started), String(UNIT)];
    const child = spawn(process.execPath, words, { stdio: ["ignore", output, "inherit"] });
    // One that ends by itself was refused by the folder: something in it is not whole.
    child.once("exit", (code) => (broken += code === null ? 0 : 1));
    return child;
  };
  const lines = (): readonly string[] => readFileSync(log, "utf8").split("\n").slice(0, -1);
  for (let n = 0; n < PROCESSES; n++) running.push(start());
  while (lines().length < CALLS && broken === 0) {
    await new Promise((resolve) => setTimeout(resolve, 100 + random.int(200)));
    const at = random.int(PROCESSES);
    const child = running[at] as ChildProcess;
    if (random.chance(0.7)) {
      child.kill("SIGKILL");
      killed++;
      running[at] = start();
    } else {
      child.kill("SIGSTOP");
      setTimeout(() => child.kill("SIGCONT"), 100 + random.int(300));
    }
  }
  await Promise.all(running.map(ended));
  closeSync(output);
  expect([broken, killed > 0]).toEqual([0, true]);
  held(limitsOf(new Random(SEED), UNIT), lines());
  ordered(lines().map((line) => JSON.parse(line) as Line));
  // Whatever was left half done, the folder is read whole.
  expect((await fileHistory(folder).entries()).length).toBeGreaterThan(0);
});

async function ended(child: ChildProcess): Promise<void> {
  const exit = once(child, "exit");
  child.kill("SIGKILL");
  await exit;
}

/** Whether each call that may come only after another one has a success of that one above it. */
function ordered(lines: readonly Line[]): void {
  const reviewed = new Set<string>();
  for (const { tool, who, now, denied, commits } of lines)
    if (tool === "review" && commits === true) reviewed.add(who);
    else if (tool === "publish" && denied !== true && commits !== true)
      expect([who, now, reviewed.has(who)]).toEqual([who, now, true]);
}

it("an allow without a success above it is seen", () => {
  const line = { tool: "publish", of: 0, who: "w", now: 5 };
  expect(() => ordered([line])).toThrow();
  expect(() => ordered([{ ...line, tool: "review" }, line])).toThrow();
  expect(() => ordered([{ ...line, tool: "review", commits: true }, line])).not.toThrow();
});

it("the sliding window sees a call too many", () => {
  const limit: NaiveLimit = { id: "L", maxCalls: 1, within: 10, counts: () => true };
  const at = (now: number): Line => ({ tool: "t", of: 0, who: "w", now });
  expect(() => window(limit, [at(0), at(10)])).toThrow();
  expect(() => window(limit, [at(0), at(11)])).not.toThrow();
  expect(() =>
    window({ ...limit, maxCalls: 2, atMost: 5 }, [
      { ...at(0), of: 3 },
      { ...at(1), of: 3 },
    ]),
  ).toThrow();
  expect(new NaiveLog([limit]).excess(at(0), 0, 0)).toBeUndefined();
});
