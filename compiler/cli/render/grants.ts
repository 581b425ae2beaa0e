/** Prints what a policy set grants. */

import type { Grants, UsedGrants } from "@portcullis/governance/review";
import { count, type HumanOrJson } from "../commands/options.ts";
import { type Terminal, table } from "../terminal.ts";
import { idText } from "./id-text.ts";

export function printGrants(terminal: Terminal, format: HumanOrJson, grants: Grants): void {
  if (format === "json") return terminal.out(`${JSON.stringify(grants, null, 2)}\n`);
  const { lanes, reached, arguments: said, approvals, approvers, limits, delegates, spawns } = grants;
  part(terminal, "roles, their lanes, and the tools there", [
    ...lanes.map(({ role, lane, tools }) => [
      ...[role, lane].map(idText),
      tools
        .map(({ tool, gate }) => `${idText(tool)}${gate === undefined ? "" : ` (if ${idText(gate)} allows)`}`)
        .join(", ") || "-",
    ]),
  ]);
  part(terminal, "which agent types may be given which tool, by which chains, and in which lanes as which role", [
    ...reached.flatMap(({ agent, tool, chains, grants }) =>
      chains.map((chain, i) => [
        ...(i === 0 ? [idText(agent), idText(tool)] : ["", ""]),
        chain.map(idText).join(" > "),
        i === 0 ? grants.map(({ role, lane }) => `${idText(lane)} as ${idText(role)}`).join(", ") : "",
      ]),
    ),
  ]);
  part(terminal, "what arguments of these tools may be", [
    ...said.flatMap(({ tool, may }) => may.map((sentence, i) => [i === 0 ? idText(tool) : "", sentence])),
  ]);
  part(terminal, "whose calls need a person", [...approvals.map(({ tool, says }) => [idText(tool), says])]);
  part(terminal, "who approves them", [...approvers.map(({ approver, says }) => [idText(approver), says])]);
  part(terminal, "how often, how much, in which order and when they may be called", [
    ...limits.map(({ limit, says }) => [idText(limit), says]),
  ]);
  part(terminal, "personas, and to whom they may delegate in a turn that is enabled, sealed and approved", [
    ...delegates.map(({ persona, subagents }) => [idText(persona), idTexts(subagents)]),
  ]);
  part(terminal, "agent types, and which they may start", [
    ...spawns.map(({ parent, children }) => [idText(parent), idTexts(children)]),
  ]);
  const tools = lanes.reduce((sum, lane) => sum + lane.tools.length, 0);
  const [delegations, starts] = [delegates, spawns].map((list) =>
    list.reduce((sum, of) => sum + ("children" in of ? of.children : of.subagents).length, 0),
  );
  terminal.out(
    `${count(lanes.length, "lane")} and ${count(tools, "tool")} granted to roles, ${count(delegations ?? 0, "delegation")}, ${count(starts ?? 0, "start")}\n`,
  );
}

/** What a log has not used: the tables of `printGrants` for lanes, tools and starts. */
export function printUnused(terminal: Terminal, format: HumanOrJson, grants: Grants, used: UsedGrants): void {
  const { unnamed, unreadable } = used;
  const { lanes, spawns } = used.unusedOf(grants);
  if (format === "json")
    return terminal.out(`${JSON.stringify({ unused: { lanes, spawns }, unnamed, unreadable }, null, 2)}\n`);
  part(terminal, "roles, lanes, and the tools there that no allowed decision named", [
    ...lanes.map(({ role, lane, tools }) => [
      idText(role),
      idText(lane),
      idTexts(tools.map(({ tool }) => tool)) || "-",
    ]),
  ]);
  part(terminal, "agent types, and which they may start and did not", [
    ...spawns.map(({ parent, children }) => [idText(parent), idTexts(children)]),
  ]);
  const tools = lanes.reduce((sum, lane) => sum + lane.tools.length, 0);
  const starts = spawns.reduce((sum, { children }) => sum + children.length, 0);
  terminal.line(`${count(tools, "granted tool")} and ${count(starts, "start")} that the log did not use`);
  const unknown = [
    { n: unnamed, why: "without a role in a lane, or a chain of agents" },
    { n: unreadable, why: "that cannot be read" },
  ].filter(({ n }) => n > 0);
  for (const { n, why } of unknown)
    terminal.err(
      `${terminal.paint.yellow("note:")} ${count(n, "allowed decision")} ${why}: what it used counts as unused\n`,
    );
}

function idTexts(ids: readonly string[]): string {
  return ids.map(idText).join(", ");
}

function part(terminal: Terminal, title: string, rows: readonly (readonly string[])[]): void {
  if (rows.length === 0) return;
  terminal.line(`${terminal.paint.bold(title)}`);
  const lines = table(rows.map((row) => ["", ...row])).split("\n");
  terminal.out(`${lines.join("\n")}\n\n`);
}
