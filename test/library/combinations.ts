/** Every combination of the outcomes of a decision's gates, each outcome brought about in a few ways. */
import type { DecisionName } from "../statements/index.ts";
import type { PolicyData } from "../statements/policy.ts";

/** Stands for "leave the field out". */
export const absent = Symbol("absent");

type Choices = { readonly [key: string]: readonly unknown[] };

/** Every object with one of the choices for each key. */
export function every(choices: Choices): object[] {
  return Object.entries(choices).reduce<object[]>(
    (made, [key, values]) =>
      made.flatMap((one) => values.map((value) => (value === absent ? one : { ...one, [key]: value }))),
    [{}],
  );
}

export const combined: PolicyData = {
  settings: { lineage: { depth: "positional", max_chain: 3 } },
  roles: {},
  lanes: {},
  tools: {},
  agents: {
    LEAD: { type: 1, allowlist: ["A-B", "C"], delegated: ["C"] },
    NONE: { type: 1, allowlist: [], delegated: [] },
    WORK: { type: 2, allowlist: ["C"], delegated: ["C"] },
    LOST: { type: null, allowlist: ["C"], delegated: ["C"] },
  },
  manifests: {
    a: { can_spawn: { a: true, b: true, c: true }, max_spawn_depth: 2 },
    b: { can_spawn: { a: true }, max_spawn_depth: 1 },
  },
  handoff: { required_fields: [], forbidden_mutations: {}, placeholders: {} },
  exec: {
    modes: { dev: true, init: true },
    inline_modes: { init: true },
    staging_root: "/q",
    script_extensions: [".py"],
    hat_lifetime_seconds: null,
  },
};

function subagent(): object[] {
  const governance = every({
    contextSealed: [true, "true", absent],
    pipelineRunApproved: [true, 1, absent],
    approvalRef: ["G-1", " \ufeff", 7, absent],
    approvedBy: [" me ", " ", null, absent],
  });
  return every({
    persona: ["LEAD", "NONE", "WORK", "LOST", "nobody", 5, absent],
    env: [{ CHIRALITY_ENABLE_SUBAGENTS: "true" }, { CHIRALITY_ENABLE_SUBAGENTS: true }, {}, absent],
    governance: [...governance, null, [], "x", absent],
  });
}

function exec(): object[] {
  const contract = { contract_id: "c", status: "open", signature_valid: true, expired: false, declared_targets: ["t"] };
  const contracts = [
    ...["dev", "init"].map((mode) => ({ ...contract, mode })),
    { ...contract, mode: "dev", contract_id: ".." },
    { ...contract, mode: "dev", signature_valid: false },
    { ...contract, mode: "dev", status: "closed" },
    { ...contract, mode: "dev", expired: true },
    null,
  ];
  const hats = every({
    script_sha256: ["ab", "cd"],
    contract_id: ["c", "d"],
    declared_targets: [["t"], []],
    mode: ["dev", "init"],
    timestamp: ["now"],
    signature_valid: [true, false],
  });
  return every({
    mode: ["dev", "init", "lost"],
    kind: ["script", "inline", "other"],
    session: [{ valid: true }, { valid: false }],
    script: every({ path: ["/q/c/x.py", "/q/d/x.py", "/x.py"], sha256: ["ab", null] }),
    contract: contracts,
    hat: [...hats, null, { ...hats[0], timestamp: "a|b" }],
  });
}

function lineage(): object[] {
  const agents = every({ agent_type: ["a", "b", "c"], spawn_depth: [0, 1, 2], agent_id: ["x", absent] });
  const chains: object[][] = [[], ...agents.map((one) => [one])];
  for (const one of agents) for (const two of agents) chains.push([one, two]);
  const few = agents.filter((_, i) => i % 2 === 0);
  for (const one of few) for (const two of few) for (const three of few) chains.push([one, two, three]);
  return chains.map((chain) => ({ lineage: chain }));
}

/** Every placing of a changed file against root and target. */
function close(): object[] {
  const places = [
    "/r",
    "/r/",
    "/",
    "/r/a",
    "/r/ab",
    "/r/a/b",
    "/r/./a",
    "/r/../r/a",
    "/r/a/..",
    "/r//a",
    "r/a",
    "",
    null,
  ];
  const targets = ["a", "a/", "./a", "a/b", ".", "..", "", " ", "/r/a", "/a", "/", "/s"];
  return every({
    baseline_sha: ["abc"],
    contract_root: ["/r", "/r/", "/", "/r/a", "/r/..", "r", ""],
    declared_targets: [[], ...targets.map((one) => [one, "z"])],
    changed_files: [null, [], ...places.map((resolved) => [{ path: "f", resolved }])],
  });
}

/** Requests to the policy `combined`; for the decisions whose gates depend on ids alone, ask for every id instead. */
export const combinations: Readonly<Partial<Record<DecisionName, () => object[]>>> = { subagent, exec, lineage, close };
