/** Which grants of a policy set the allowed decisions of a log have used. */

import { isJsonObject } from "@portcullis/rego/value";
import { loggedDecisions } from "@portcullis/runtime";
import type { Grants } from "./list.ts";
import { agentKey } from "./policy-ids.ts";
import { askedBy, verdictOf } from "./replay/asked.ts";

/** Takes a log line by line. Cost: linear in it; memory for the ids that stand in it. */
export class UsedGrants {
  /** Allowed decisions that name neither a role in a lane nor a chain of agents: what they used is not known. */
  unnamed = 0;
  /** Decisions that cannot be read. */
  unreadable = 0;
  private readonly used = new Set<string>();

  /** `undefined` stands for a line that cannot be read. */
  line(text: string | undefined): void {
    if (text === undefined) {
      this.unreadable++;
      return;
    }
    for (const decision of loggedDecisions(text)) {
      if (verdictOf(decision.result) !== true) continue;
      if ("problem" in decision || decision.input === undefined) this.unreadable++;
      else this.add(decision.input);
    }
  }

  private add(input: string): void {
    const { role, lane, tool } = askedBy(input);
    const chain = chainOf(JSON.parse(input));
    if ((role === undefined || lane === undefined) && chain.length < 2) this.unnamed++;
    if (role !== undefined && lane !== undefined) {
      this.used.add(grantKey("lane", role, lane));
      if (tool !== undefined) this.used.add(grantKey("tool", role, lane, tool));
    }
    for (let i = 1; i < chain.length; i++)
      this.used.add(grantKey("start", agentKey(chain[i - 1] as string), agentKey(chain[i] as string)));
  }

  /** The grants that no decision used. A persona's delegates are left out: its decision does not name the one that it starts. */
  unusedOf(grants: Grants): Pick<Grants, "lanes" | "spawns"> {
    const isUnused = (...ids: string[]): boolean => !this.used.has(grantKey(...ids));
    const lanes = grants.lanes.flatMap(({ role, lane, tools }) => {
      const unused = tools.filter(({ tool }) => isUnused("tool", role, lane, tool));
      return unused.length > 0 || isUnused("lane", role, lane) ? [{ role, lane, tools: unused }] : [];
    });
    const spawns = grants.spawns.flatMap(({ parent, children }) => {
      const unused = children.filter((child) => isUnused("start", agentKey(parent), agentKey(child)));
      return unused.length > 0 ? [{ parent, children: unused }] : [];
    });
    return { lanes, spawns };
  }
}

const grantKey = (...ids: readonly string[]): string => JSON.stringify(ids);

/** The types of the agents of a request's lineage, from the root. */
function chainOf(input: unknown): readonly string[] {
  const lineage = isJsonObject(input) ? input["lineage"] : undefined;
  if (!Array.isArray(lineage)) return [];
  return lineage.map((agent) => (isJsonObject(agent) ? String(agent["agent_type"]) : ""));
}
