/** Agents without a type, and TYPE 2 agents to which no persona would delegate. */

import type { Diagnostic } from "../../base/diagnostic.ts";
import { didYouMean } from "../../base/suggest.ts";
import { report } from "../codes.ts";
import { agentKey, type Model } from "../model.ts";

export function* agentTypes(model: Model): Iterable<Diagnostic> {
  const allowlisted = new Set([...model.agents.values()].flatMap((a) => a.allowlist.map((n) => agentKey(n.name))));
  for (const agent of model.agents.values()) {
    const name = agent.name.name;
    if (agent.type === undefined) yield report("model/agent-without-type", { agent: name }, agent.name.span);
    if (agent.type !== 2) continue;
    // An allowlist that could not be read may well have named it.
    if (model.complete.has("agent") && !allowlisted.has(agent.key))
      yield report("model/agent-in-no-allowlist", { agent: name }, agent.name.span);
    // `TASK…`: a class may carry a qualifier.
    if (agent.class?.name.startsWith("TASK")) continue;
    const said =
      agent.class === undefined ? "declares no AGENT_CLASS" : `its AGENT_CLASS is ${agent.class.name}, not TASK`;
    const help = agent.class === undefined ? {} : didYouMean(agent.class.name, ["TASK", "PERSONA"]);
    yield report("model/class-not-task", { agent: name, class: said }, agent.class?.span ?? agent.name.span, help);
  }
}
