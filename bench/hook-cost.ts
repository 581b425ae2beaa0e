/**
 * What a hook costs: CPU time of one call with a signature, a log and a deadline, beside that of `node -e 0`, in turns. Prints
 * the median of the ratios; on Node 20 exit 1 where it is above what a hook may cost. Later ones start an empty program in half the
 * time.
 */

import { spawnSync } from "node:child_process";
import { generateKeyPairSync } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const RUNS = 21;
/** Times the CPU time of `node -e 0`, on Node 20. */
const MOST = 3;

const root = fileURLToPath(new URL("..", import.meta.url));
const portcullis = join(root, "compiler/bin/portcullis.js");
const folder = mkdtempSync(join(tmpdir(), "portcullis-hook-cost-"));
const at = (name: string): string => join(folder, name);

const { publicKey, privateKey } = generateKeyPairSync("rsa", { modulusLength: 3072 });
writeFileSync(at("public.pem"), publicKey.export({ type: "spki", format: "pem" }));
writeFileSync(at("private.pem"), privateKey.export({ type: "pkcs8", format: "pem" }));
const bundle = join(root, "generated/bundle.tar.gz");
const signing = ["sign", bundle, "--signing-key", at("private.pem"), "-o", at("bundle.tar.gz")];
if (spawnSync(process.execPath, [portcullis, ...signing], { stdio: "inherit" }).status !== 0) process.exit(2);

const call = JSON.stringify({ hook_event_name: "PreToolUse", tool_name: "draft.create", tool_input: {}, cwd: folder });
const hook = [
  ...[portcullis, "hook", "--policy", at("bundle.tar.gz"), "--verification-key", at("public.pem")],
  ...["--role", "WRITER", "--lane", "DRAFTING", "--lineage", "news_desk", "--format", "claude-code"],
  ...["--scope", "story_id=s-118", "--scope", "run_id=r-7", "--decision-log", at("log.jsonl"), "--deadline", "5"],
];

/** CPU time of user and system, in milliseconds, as the shell's `time` says it. */
function cpu(args: readonly string[]): number {
  const command = ["-c", 'TIMEFORMAT="%3U %3S"; time "$@"', "bash", process.execPath, ...args];
  const env = { ...process.env, LC_ALL: "C" };
  const { status, stderr } = spawnSync("bash", command, { encoding: "utf8", env, input: call });
  if (status !== 0) throw new Error(`exit ${status}: ${stderr}`);
  const [user = 0, system = 0] = (stderr.trim().split("\n").at(-1) ?? "").split(" ").map(Number);
  return (user + system) * 1000;
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[values.length >> 1] as number;
}

cpu(hook);
const pairs = Array.from({ length: RUNS }, () => [cpu(hook), cpu(["-e", "0"])] as const);
const ratio = median(pairs.map(([one, least]) => one / least));
const [ours, least] = [median(pairs.map(([one]) => one)), median(pairs.map(([, one]) => one))];
console.log(
  `hook: CPU ${ours.toFixed(0)} ms, node -e 0: ${least.toFixed(0)} ms, ${ratio.toFixed(2)} times (on Node 20 at most ${MOST})`,
);
rmSync(folder, { recursive: true });
process.exitCode = process.version.startsWith("v20.") && ratio > MOST ? 1 : 0;
