/** Agents without a type, and TYPE 2 agents to which no persona would delegate. */

import { type Diagnostic, didYouMean } from "@portcullis/rego/diagnostics";
import { modelDiagnostic } from "../codes.ts";
import { type Agent, agentKey, type Model } from "../model.ts";

export function* agentTypes(model: Model): Iterable<Diagnostic> {
  const allowlisted = new Set([...model.agents.values()].flatMap((a) => a.allowlist.map((n) => agentKey(n.name))));
  for (const agent of model.agents.values()) {
    const name = agent.name.name;
    if (agent.type === undefined) {
      const isAbove = /^AGENT[_ -]?TYPE[ \t]*:/im.test(frontMatterOf(agent));
      const help = "front matter does not declare it: write `AGENT_TYPE: n` below it, n from 0 to 2";
      yield modelDiagnostic("model/agent-without-type", { agent: name }, agent.name.span, isAbove ? { help } : {});
    }
    if (agent.type !== 2) continue;
    // An allowlist that could not be read may well have named it.
    if (model.complete.has("agent") && !allowlisted.has(agent.key))
      yield modelDiagnostic("model/agent-in-no-allowlist", { agent: name }, agent.name.span);
    // `TASK…`: a class may carry a qualifier.
    if (agent.class?.name.startsWith("TASK")) continue;
    const said =
      agent.class === undefined ? "declares no AGENT_CLASS" : `its AGENT_CLASS is ${agent.class.name}, not TASK`;
    const help = agent.class === undefined ? unreadClass(agent) : didYouMean(agent.class.name, ["TASK", "PERSONA"]);
    yield modelDiagnostic(
      "model/class-not-task",
      { agent: name, class: said },
      agent.class?.span ?? agent.name.span,
      help,
    );
  }
}

function frontMatterOf({ name }: Agent): string {
  const [before, matter] = name.span.file.text.split(/^---[ \t]*$/m);
  return before === "" ? (matter ?? "") : "";
}

/** A row that names the class without the marks by which rows are known. */
function unreadClass({ name }: Agent): { help?: string } {
  const written = /^[ \t]*\|[ \t]*AGENT[_ -]?CLASS[ \t]*\|[ \t*`]*([A-Za-z]+)/im.exec(name.span.file.text)?.[1];
  return written === undefined ? {} : { help: `write \`| **AGENT_CLASS** | ${written.toUpperCase()} |\`` };
}
