/** Chains of agents, and what they may call (lineage.md, `LINEAGE` and `CAPABILITY` of call.md): depths that are places, and told ones. */

import type { World } from "./world.ts";

const TOOL = "enabled: true, implementation_status: implemented";
const FILES = {
  "roles.yaml": "roles: [{ role_id: CLERK }]\n",
  "lanes.yaml": `lanes:
  - { lane_id: DESK, allowed_callers: { roles: [CLERK] }, allowed_actions: { tools: [read, write, sign] } }
`,
  "tool_registry.yaml": `tools:
  - { tool_name: read, ${TOOL} }
  - { tool_name: write, ${TOOL} }
  - { tool_name: sign, ${TOOL} }
`,
  "manifests/desk.yaml": "can_spawn: [reader]\nmax_spawn_depth: 1\n",
  "manifests/reader.yaml": "can_spawn: [desk, leaf]\nmax_spawn_depth: 0\nallowed_tools: [read, write]\n",
  "manifests/leaf.yaml": "max_spawn_depth: 1\nallowed_tools: [read]\n",
  "ext/spec.rego": `package spec

chain := input.lineage if {
	is_array(input.lineage)
} else := []

whole(number) if {
	is_number(number)
	number >= 0
	number <= 4294967295
	floor(number) == number
}

unreadable(agent) if {
	id := agent.agent_id
	not is_string(id)
}

able("desk", _)

able("reader", tool) if tool in {"read", "write"}

able("leaf", "read")

listed(type) if type in {"desk", "reader", "leaf"}

started("desk", "reader", depth) if {
	is_number(depth)
	depth <= 1
}

started("reader", "desk", depth) if {
	is_number(depth)
	depth <= 0
}

started("reader", "leaf", depth) if {
	is_number(depth)
	depth <= 0
}
`,
};

const GATES = `package portcullis.ext.call

must contains "READ" if {
	every agent in data.spec.chain {
		is_string(agent.agent_type)
		agent.agent_type != ""
		data.spec.whole(agent.spawn_depth)
		not data.spec.unreadable(agent)
	}
}

must contains "SHORT" if count(data.spec.chain) <= 2

must contains "SPAWNED" if count(data.spec.chain) < 2

must contains "SPAWNED" if {
	[parent, child] := data.spec.chain
	data.spec.started(parent.agent_type, child.agent_type, child.spawn_depth)
}

must contains "DISTINCT" if not data.spec.chain[0].agent_id == data.spec.chain[1].agent_id
`;

const request = (agents: readonly unknown[]) => ({
  lineage: agents.map((agent_type, spawn_depth) => ({ agent_type, spawn_depth })),
});

/** A chain is required, each agent's depth is its place, and agents that no manifest names may call nothing. */
export const PLACED: World = {
  files: {
    ...FILES,
    "portcullis.yaml": "lineage: { require: true, max_chain: 2 }\n",
    "ext/call.rego": `${GATES}
must contains "GIVEN" if {
	is_array(input.lineage)
	count(input.lineage) > 0
}

must contains "PLACED" if {
	every i, agent in data.spec.chain {
		agent.spawn_depth == i
	}
}

must contains "ABLE" if {
	every agent in data.spec.chain {
		data.spec.able(agent.agent_type, input.tool)
	}
}
`,
  },
  gates: ["READ", "SHORT", "SPAWNED", "DISTINCT", "GIVEN", "PLACED", "ABLE"],
  denied: [["lineage", request(["desk", "reader"]), { lineage: null }, { lineage: [] }, request(["desk", "ghost"])]],
};

/** No chain is required, depths are what agents tell, and those that no manifest names may call anything, alone. */
export const TOLD: World = {
  files: {
    ...FILES,
    "portcullis.yaml":
      "lineage: { max_chain: 2, depth: reported }\ncall: { lineage: optional, unknown_agents: allow }\n",
    "ext/call.rego": `${GATES}
must contains "LIST" if is_array(object.get(input, "lineage", []))

must contains "LIST" if input.lineage == null

must contains "ABLE" if {
	every agent in data.spec.chain {
		data.spec.able_or_strange(agent.agent_type, input.tool)
	}
}
`,
    "ext/strange.rego": `package spec

able_or_strange(type, tool) if able(type, tool)

able_or_strange(type, _) if not listed(type)
`,
  },
  gates: ["READ", "SHORT", "SPAWNED", "DISTINCT", "LIST", "ABLE"],
  claims: [...[7, null, "x", true, []].map((input) => `never: ${JSON.stringify({ decision: "lineage", input })}`)],
};
