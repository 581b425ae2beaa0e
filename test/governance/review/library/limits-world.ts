/** How often, how much, in which order, and when (history.md). */

import type { World } from "./world.ts";

const TOOLS = ["pay", "publish", "review", "mail", "fetch", "ring", "watch"];
const HOUR = 3_600_000;
const DAY = 24 * HOUR;
/** Thursday, 1 January 2026, 00:00 in UTC. */
const THURSDAY = Date.UTC(2026, 0, 1);

const at = (day: number, hour: number, minute = 0, ms = 0): object => ({
  facts: { now: THURSDAY + day * DAY + hour * HOUR + minute * 60_000 + ms },
});
const call = (tool: string, more: object): object => ({ role: "CLERK", lane: "DESK", tool, ...more });
const paid = (history: unknown, args: unknown = { cents: 40 }, now: unknown = THURSDAY): object => ({
  args,
  facts: { now, history },
});

export const LIMITS: World = {
  files: {
    "portcullis.yaml": "call: { host_scope: [who], lineage: optional }\n",
    "manifests/desk.yaml": "max_spawn_depth: 0\n",
    "roles.yaml": "roles: [{ role_id: CLERK }, { role_id: CHIEF }]\n",
    "lanes.yaml": `lanes:
  - { lane_id: DESK, allowed_callers: { roles: [CLERK, CHIEF] }, allowed_actions: { tools: [${TOOLS}] } }
  - { lane_id: NIGHT, allowed_callers: { roles: [CLERK] }, allowed_actions: { tools: [pay] } }
`,
    "tool_registry.yaml": `tools:\n${TOOLS.map((tool) => `  - { tool_name: ${tool}, enabled: true, implementation_status: implemented }\n`).join("")}`,
    "limits.yaml": `limits:
  - limit_id: PAY
    calls: { tools: [pay], roles: [CLERK], lanes: [DESK] }
    per: [role, lane, tool, scope.who]
    max_calls: 3
    max_sum: { of: args.cents, at_most: 100 }
    within: 1h
  - { limit_id: ORDER, calls: { tools: [publish] }, per: [session], only_after: { tools: [review], within: 10m } }
  - { limit_id: TAINT, calls: { tools: [mail] }, per: [session], never_after: { tools: [fetch] } }
  - limit_id: HOURS
    calls: { tools: [ring] }
    only_during: { days: [thu, fri], from: "09:00", to: "17:30", zone: Etc/UTC }
  - limit_id: LATE
    calls: { tools: [watch] }
    only_during: { days: [thu], from: "22:00", to: "01:30", zone: Etc/UTC }
`,
    "ext/call.rego": `package portcullis.ext.call

must contains "COUNTED" if not data.spec.is_paid

must contains "COUNTED" if {
	data.spec.whole(input.facts.now)
	data.spec.whole(input.facts.history.PAY.calls)
	is_number(input.facts.history.PAY.calls)
	input.facts.history.PAY.calls < 3
	data.spec.whole(input.facts.history.PAY.sum)
	data.spec.whole(input.args.cents)
	input.facts.history.PAY.sum + input.args.cents <= 100
	data.spec.named(input.scope.who)
}

must contains "ORDERED" if input.tool != "publish"

must contains "ORDERED" if {
	data.spec.whole(input.facts.now)
	past := input.facts.now - input.facts.history.ORDER.last_ms.review
	is_number(past)
	past >= 0
	past <= 600000
	data.spec.read(input.facts.history.ORDER.last_ms)
}

must contains "UNTAINTED" if input.tool != "mail"

must contains "UNTAINTED" if {
	data.spec.whole(input.facts.now)
	data.spec.read(input.facts.history.TAINT.last_ms)
	not data.spec.tainted
}

must contains "KNOWN" if not input.tool in {"publish", "review", "mail", "fetch"}

must contains "KNOWN" if data.spec.named(input.facts.session)

must contains "KEPT" if input.tool != "fetch"

must contains "KEPT" if is_object(input.facts.history.TAINT)
`,
    "ext/spec.rego": `package spec

is_paid if {
	input.tool == "pay"
	input.role == "CLERK"
	input.lane == "DESK"
}

whole(number) if {
	is_number(number)
	number >= 0
	number <= 9007199254740991
	floor(number) == number
}

named(value) if {
	is_string(value)
	value != ""
}

tainted if floor(input.facts.history.TAINT.last_ms.fetch) >= 0

read(times) if {
	is_object(times)
	every time in times {
		whole(time)
	}
}
`,
  },
  gates: ["COUNTED", "ORDERED", "UNTAINTED", "KNOWN", "KEPT"],
  denied: [
    ["call", call("pay", { scope: { who: "x" }, ...paid({ PAY: { calls: 2, sum: 60 } }) }), paid({}), paid(null)],
    ["call", call("ring", at(0, 9)), at(0, 8, 59, 59_999), at(0, 17, 30), at(6, 12), at(2, 12), { facts: null }],
    ["call", call("ring", at(1, 17, 29, 59_999)), at(1, 17, 30), at(1, 0), at(1, 23), at(-1, 10), at(3, 10)],
    ["call", call("ring", at(7, 12)), { facts: { now: -1 } }, { facts: { now: "1" } }, { facts: { now: 1e15 } }],
    ["call", call("watch", at(0, 22)), at(0, 21, 59, 59_999), at(0, 12), at(0, 1), at(1, 22), at(1, 23)],
    ["call", call("watch", at(1, 1, 29, 59_999)), at(1, 1, 30), at(1, 12), at(2, 1), at(0, 0)],
    ["call", call("watch", at(1, 0)), at(2, 0), at(6, 23)],
  ],
};
