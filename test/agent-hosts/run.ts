/**
 * Runs real agent programs against `portcullis hook`: a scripted model calls a tool that makes a file, and whether the file is
 * there is what the host did. Programs are installed into a folder of their own, speak to loopback alone, and have an
 * environment with nothing else in it.
 *
 *   npx tsx test/agent-hosts/run.ts [--write] [HOST…]       AGENT_HOSTS_FOLDER: where they are installed
 */

import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { appendix } from "../mcp-conformance/scores.ts";
import { installed, root } from "./configured.ts";
import { AGENT_HOSTS, type AgentHost } from "./hosts.ts";
import { outcome, WRONG } from "./outcome.ts";
import { SCENARIOS } from "./scenarios.ts";
import { signedApproval } from "./signed-approval.ts";
import { toldSuccess } from "./told-success.ts";

const page = join(root, "compiler/HOSTS.md");
const COLUMNS = [...SCENARIOS.map(({ name }) => name), "signed approval", "success"];

const HEAD = ["host", "version", "run on", ...COLUMNS];
const NOT_RUN = COLUMNS.map(() => "not run");

/** Each host with its version and the day, and what became of each scenario. */
type Row = readonly [host: string, version: string, day: string, ...cells: string[]];

async function main(words: readonly string[]): Promise<number> {
  const names = words.filter((word) => word !== "--write");
  const hosts = AGENT_HOSTS.filter(
    ({ name, program }) => names.length === 0 || [name, program].some((n) => names.includes(n)),
  );
  const rows: Row[] = [];
  for (const host of hosts) {
    const version = versionOf(host);
    const cells: string[] = [];
    for (const scenario of version === undefined ? [] : SCENARIOS)
      cells.push(await outcome(host, version as string, scenario));
    if (version !== undefined) cells.push(await signedApproval(host, version), await toldSuccess(host, version));
    const today = new Date().toISOString().slice(0, 10);
    const row: Row = version ? [host.name, version, today, ...cells] : [host.name, "not installed", "-", ...NOT_RUN];
    process.stdout.write(`${row.join(" | ")}\n`);
    rows.push(row);
  }
  if (words.includes("--write")) {
    const before = readFileSync(page, "utf8");
    writeFileSync(page, `${pageOf(withKept(rows, before))}${appendix(before)}`);
  }
  return rows.some((row) => row.some((cell) => cell.startsWith(WRONG))) ? 1 : 0;
}

/** All hosts: those that were not run now have the row of their last run, if it had the same scenarios. */
function withKept(rows: readonly Row[], before: string): Row[] {
  const lines = before
    .split("\n")
    .filter((line) => line.startsWith("| "))
    .map(cellsOf);
  const isSame = lines[0]?.join() === HEAD.join();
  return AGENT_HOSTS.map(({ name }) => {
    const kept = isSame ? lines.find(([host]) => host === name) : undefined;
    return rows.find(([host]) => host === name) ?? ((kept ?? [name, "-", "-", ...NOT_RUN]) as unknown as Row);
  });
}

const cellsOf = (line: string): string[] => line.slice(2, -2).split(" | ");

/**
 * Installs the program where it is not there yet; `undefined` where npm cannot. By its tag: without one npm takes an older version where
 * the newest one's package asks for another Node, which the programs bring along.
 */
function versionOf({ package: name }: AgentHost): string | undefined {
  const manifest = join(installed, "node_modules", name, "package.json");
  if (!existsSync(manifest)) {
    mkdirSync(installed, { recursive: true });
    const words = ["install", "--no-audit", "--no-fund", "--loglevel=error", "--prefix", installed, `${name}@latest`];
    spawnSync("npm", words, { stdio: "inherit" });
  }
  return existsSync(manifest) ? (JSON.parse(readFileSync(manifest, "utf8")) as { version: string }).version : undefined;
}

function pageOf(rows: readonly Row[]): string {
  const table = [HEAD, HEAD.map(() => "---"), ...rows].map((row) => `| ${row.join(" | ")} |`).join("\n");
  return `# Agent hosts

<!-- Written by \`make agents\`; do not edit. -->

Real agent programs with a scripted model on loopback, configured by \`portcullis init --for\` with a signed bundle. The model calls a tool that makes a file. A host has obeyed when the hook was asked, and the file is there for an allow and for nothing else; with \`ask\` no person is there to be asked. *Refused*: the host does not obey it, so \`init --for\` does not configure it. A missing hook is one whose Node is not there; a crash, a killed one; a slow one never answers. \`cd\`: the agent has changed to another folder before. Codex runs hooks that a person has trusted (\`/hooks\`), and no others. Command in a text: a person starts a command file or a skill whose text holds a command, which the host may run before the model reads it; skill: the model reads one; *not held*: the command runs and no hook is asked, so \`init --for\` refuses where such a text is there; *no commands*: the text is read as it is; *not read*: without a terminal the host takes no such name. Input of a command: an allowed command is a shell that reads more. Environment of the project: its \`.env\` and settings name a file that Node loads, and that ends a hook with an allow. Signed approval: denied with a digest, approved by \`portcullis approve\`, allowed once, denied again. Success: a call that may come only after a tool of a server has succeeded is denied where that tool fails, and allowed where it does not.

${table}

*Denied by the hook*: the model starts a sub-agent of the host's own, and the hook denies it, as the host does not say which agent calls; no second agent asked the model. Not run: Cursor, Windsurf, goose, Kiro, VS Code.
`;
}

process.exitCode = await main(process.argv.slice(2));
