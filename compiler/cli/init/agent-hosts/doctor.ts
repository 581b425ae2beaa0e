/** What a host itself says of its settings: with a value that it cannot read, it takes nothing of a file, the hook neither. */

import { spawnSync } from "node:child_process";
import { parse } from "node:path";
import type { AgentHost } from "./agent-host.ts";

/** Starts the program. Never throws. */
export function doctorProblems({ title, program, doctor }: AgentHost, file: string): string[] {
  if (doctor === undefined) return [];
  // Away from the project, whose settings are no matter here.
  const env = { ...process.env, CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1" };
  const ran = spawnSync(program, [...doctor.args], { cwd: parse(file).root, env, encoding: "utf8", timeout: 60_000 });
  const said = ran.stdout ?? "";
  const command = `\`${program} ${doctor.args.join(" ")}\``;
  if (!said.includes(doctor.begins))
    return [`${command} says nothing of settings that ${title} cannot read, with which it asks no hook`];
  const refused = said.split("\n").map((line) => doctor.refused.exec(line.trim()) ?? []);
  return refused
    .filter(([, at]) => at === file)
    .map(([, , what]) => `\`${file}\`: ${what}: ${title} takes nothing of such a file, this hook neither`);
}
