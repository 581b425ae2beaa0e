/**
 * Runs every scenario with the real SDKs, which are installed into a folder of their own, and writes what they did. Exit 1 where a
 * tool did not run exactly when the policy said so.
 *
 *   npx tsx test/agent-sdks/run.ts [--write]       AGENT_SDKS_FOLDER: where they are installed
 */

import { writeFileSync } from "node:fs";
import { isDeepStrictEqual } from "node:util";
import { install, versionOf } from "./folder.ts";
import { policy as newsroom, SCENARIOS, type Sdk } from "./newsroom.ts";
import { SDKS } from "./sdks.ts";

const policy = await newsroom();
install(SDKS);
const rows: (readonly string[])[] = [];
for (const sdk of SDKS) {
  const version = versionOf(sdk);
  const cells: string[] = [];
  for (const scenario of SCENARIOS) cells.push(version === undefined ? "not run" : await outcome(sdk, scenario));
  rows.push([sdk.name, version ?? "not installed", ...cells]);
  process.stdout.write(`${rows.at(-1)?.join(" | ")}\n`);
}
if (process.argv.includes("--write"))
  writeFileSync(new URL("../../runtime/agents/SDKS.md", import.meta.url), page(rows));
process.exitCode = rows.some((row) => row.includes("NOT HELD")) ? 1 : 0;

async function outcome(sdk: Sdk, scenario: (typeof SCENARIOS)[number]): Promise<string> {
  try {
    const [found, expected] = await scenario.run(sdk, policy);
    if (isDeepStrictEqual(found, expected)) return "held";
    process.stderr.write(`${sdk.name}, ${scenario.name}: ${JSON.stringify(found)}\n`);
  } catch (error) {
    process.stderr.write(`${sdk.name}, ${scenario.name}: ${String(error)}\n`);
  }
  return "NOT HELD";
}

function page(table: readonly (readonly string[])[]): string {
  const head = ["SDK", "version", ...SCENARIOS.map(({ name }) => name)];
  const lines = [head, head.map(() => "---"), ...table].map((row) => `| ${row.join(" | ")} |`).join("\n");
  return `# SDKs

<!-- Written by \`make agents\`; do not edit. -->

The adapters with the SDKs themselves and a scripted model, on Node ${process.versions.node}. *Held*: each tool ran exactly when the policy said so, with the arguments that were decided on, and the model was told gate and reason of each denial. Permission modes, sub-agents and other hooks of the Claude Agent SDK, and the types of all, are held by \`test/agent-sdks\`.

${lines}
`;
}
