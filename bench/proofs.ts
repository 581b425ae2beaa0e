/**
 * What proofs for all requests cost: each kind of question about 1,000 tools, 10 roles, 10 lanes and 200 agents, by each solver
 * that is here. CPU seconds of this process and of the solver's, on Linux. Ends with 1 when a question is above the bound.
 *
 *     npx tsx bench/proofs.ts [words of the questions to ask]
 */

import { readFileSync } from "node:fs";
import { findSolver, npmSolver, solverOfNpm } from "../compiler/cli/solver.ts";
import { compile } from "../compiler/governance/pipeline.ts";
import { callSpace, type Space, spacesOf } from "../compiler/governance/review/decision-space.ts";
import { hostDataPolicy } from "../compiler/governance/review/host-data-policy.ts";
import { type OpenedPolicy, openBundle, type Property, type Solver } from "../compiler/governance/review/index.ts";
import { policyIds, policyTables } from "../compiler/governance/review/policy-ids.ts";
import { Proofs, type Provable } from "../compiler/governance/review/prove/symbolic/proofs.ts";
import { Subsets } from "../compiler/governance/review/prove/symbolic/subsets.ts";
import { generatePolicies, hostOf } from "./generate-policies.ts";

const COUNTS = { roles: 10, lanes: 10, tools: 1_000, agents: 200, modes: 4 };
/** CPU seconds for one question, by npm's solver. */
const MOST_SECONDS = 5;
const TICKS = 100;

const [words = ""] = process.argv.slice(2);
const generated = generatePolicies(COUNTS);

async function opened(from: string | RegExp = "", to = ""): Promise<OpenedPolicy> {
  const files = new Map([...generated].map(([path, text]) => [path, text.replace(from, to)]));
  const { compiled, diagnostics } = await compile({ host: hostOf(files), dirs: ["policies"] });
  const result = compiled && (await openBundle("policies", compiled.bundle));
  if (result?.ok !== true) throw new Error(diagnostics.map(({ message }) => message).join("\n"));
  return result.value;
}

const policy = await opened();
const tables = policyTables(policy.data) ?? {};
const spaces: readonly Space[] = [...spacesOf(policyIds(tables)), callSpace(tables)];
const [ROLE, LANE, OTHER_LANE] = ["ROLE_000001", "LANE_000001", "LANE_000002"];
/** The first may be used in the lane, and takes arguments or not; the others are switched off. */
const [TOOL, WITH_ARGUMENTS] = ["tool_000001", "tool_000013"];
const OFF = policyIds(tables).tools.filter((_, i) => i % 10 === 7);

interface Question {
  readonly name: string;
  readonly before?: OpenedPolicy;
  /** The policies with some of their grants, where it is about all of them. */
  readonly subsets?: Subsets;
  readonly ask: (proofs: Proofs) => Promise<Property>;
}

type Ids = Readonly<Record<string, string | readonly string[]>>;

function spaceOf(decision: string, ids: Ids): { readonly about: Space; readonly all: Space; readonly said: string } {
  const all = spaces.find(({ name }) => name === decision) as Space;
  const about = {
    ...all,
    ids: all.axes.map((axis, i) => (axis in ids ? [ids[axis] ?? []].flat() : (all.ids[i] ?? []))),
  };
  const said = Object.entries(ids).map(([axis, of]) => ` ${axis}: ${Array.isArray(of) ? `${of.length} of them` : of}`);
  return { about, all, said: `${decision}${said.join()}` };
}

function claim(holds: "never" | "always", decision: string, ids: Ids): Question {
  const { about, all, said } = spaceOf(decision, ids);
  const name = `${holds} ${said}`;
  return { name, ask: (proofs) => proofs.claim(about, all, holds, name) };
}

/** No subset of the grants allows anything new. */
async function monotone(decision: Provable, ids: Ids): Promise<Question> {
  const { about, all, said } = spaceOf(decision, ids);
  const asked = await hostDataPolicy(policy);
  if (!asked.ok) throw new Error(asked.problem.message);
  const subsets = new Subsets(policy, asked.value, decision);
  const name = `monotone ${said}`;
  return { name, before: policy, subsets, ask: (proofs) => proofs.subsetsAllowNoMore(about, all, name, subsets) };
}

const noMore = (change: string, kind: "tool" | "call", before: OpenedPolicy): Question => ({
  name: `${kind}: nothing newly allowed, ${change}`,
  before,
  ask: (proofs) => proofs.allowsNoMore(kind),
});
const wasOn = await opened(/(tool_name: tool_000007, enabled: )false/, "$1true");
const wasOff = await opened(/(tool_name: tool_000001, enabled: )true/, "$1false");
const wasWider = await opened(/(lane_id: LANE_000001, .*?allowed_callers: \{roles: \[)/, "$1ROLE_000009, ");
const wroteMore = await opened(/(lane_id: LANE_000001, .*writes: \[)/, "$1{table: more, mode: append}, ");

const QUESTIONS: readonly Question[] = [
  claim("never", "lane", { role: ROLE, lane: LANE }),
  claim("always", "lane", { role: ROLE, lane: LANE }),
  claim("never", "tool", { role: ROLE, lane: LANE, tool: TOOL }),
  claim("never", "tool", { lane: OTHER_LANE, tool: TOOL }),
  claim("never", "tool", { tool: OFF }),
  claim("always", "tool", { role: ROLE, lane: LANE, tool: TOOL }),
  claim("never", "call", { role: ROLE, lane: LANE, tool: TOOL }),
  claim("never", "call", { lane: OTHER_LANE, tool: TOOL }),
  claim("never", "call", { lane: OTHER_LANE, tool: WITH_ARGUMENTS }),
  claim("never", "call", { tool: OFF }),
  claim("never", "call", { role: "ROLE_000009", lane: LANE }),
  claim("never", "call", { agent: "agent_000150", role: ROLE }),
  claim("always", "call", { role: ROLE, lane: LANE, tool: WITH_ARGUMENTS, agent: "agent_000000" }),
  claim("always", "call", {}),
  ...(["lane", "tool"] as const).map((kind) => ({
    name: `${kind}: grants alone`,
    ask: (proofs: Proofs) => proofs.allowsAreGrants(kind),
  })),
  ...(["tool", "call"] as const).flatMap((kind) => [
    noMore("the same policy", kind, policy),
    noMore("a tool was on", kind, wasOn),
    noMore("a tool was off", kind, wasOff),
    noMore("a lane had a role more", kind, wasWider),
  ]),
  noMore("a lane wrote a table more", "call", wroteMore),
  await monotone("lane", {}),
  await monotone("tool", {}),
  await monotone("call", { role: ROLE, lane: LANE, tool: TOOL }),
];

/** CPU seconds of this process, and of its children that ended. */
function used(): [own: number, solver: number] {
  const fields = readFileSync("/proc/self/stat", "utf8").split(") ")[1]?.split(" ").map(Number) ?? [];
  const [user = 0, system = 0, childUser = 0, childSystem = 0] = fields.slice(11, 15);
  return [(user + system) / TICKS, (childUser + childSystem) / TICKS];
}

const npm = npmSolver(process.cwd());
const solvers: readonly (readonly [string, Solver])[] = [
  ["z3", await findSolver("/")],
  ...(npm === undefined ? [] : [["z3-solver of npm", solverOfNpm(npm)] as const]),
];
let isAbove = false;
for (const [name, solver] of solvers) {
  console.log(`${name}: seconds, those of the solver in brackets`);
  for (const { name: question, before, subsets, ask } of QUESTIONS) {
    if (!question.includes(words)) continue;
    const proofs = await Proofs.of(subsets?.opened ?? policy, { solver }, before, subsets?.grants);
    if (proofs === undefined) throw new Error("the Rego does not compile");
    const [own, others] = used();
    const { counterexamples, unknown } = await ask(proofs);
    const [now, nowOthers] = used();
    const [all, ofSolver] = [now - own + nowOthers - others, nowOthers - others];
    isAbove ||= all > MOST_SECONDS;
    const verdict = counterexamples.length > 0 ? "refuted" : unknown === undefined ? "proved" : "unknown";
    console.log(`${all.toFixed(2).padStart(7)} (${ofSolver.toFixed(2)})  ${verdict}  ${question}`);
  }
}
process.exitCode = isAbove ? 1 : 0;
