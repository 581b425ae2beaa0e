/**
 * Arbitrary requests, and answers of extensions. They draw their ids from the pools that policies draw from, and those hold
 * names that trap: those of prototypes, and those that look like another type.
 */
import fc from "fast-check";
import type { Extension, Requirements } from "../../statements/extension.ts";
import type { DecisionName } from "../../statements/index.ts";
import type { Json } from "../../statements/values.ts";
import { modes } from "./arbitrary-policies.ts";
import { nearMisses, neighbours } from "./near-misses.ts";
import {
  type Arb,
  agentKeys,
  agentTexts,
  flagNames,
  from,
  laneIds,
  roleIds,
  scopeKeys,
  table,
  tables,
  toolIds,
  types,
  writeModes,
} from "./pools.ts";
import { rightEvidence, rightRecord } from "./right-requests.ts";
import { absent, oddValues, placesOf, replaced, valueAt } from "./spoiling.ts";

const called = {
  role: "R0",
  lane: "L0",
  tool: "t.a",
  scope: { k: "c-1", n: 7 },
  flags: ["dry"],
  writes: [{ table: "log", mode: "append" }],
  lineage: [
    { agent_type: "lead", spawn_depth: 0, agent_id: "x" },
    { agent_type: "work", spawn_depth: 1, agent_id: "y" },
  ],
  approval: { ref: "AP-1", by: "m.ortiz" },
  args: { any: 1 },
};

const junk: Arb<unknown> = fc.oneof(fc.constantFrom(...oddValues), fc.jsonValue({ maxDepth: 2 }));

/** Usually the good one. */
function mostly<T>(good: Arb<T>, bad: Arb<unknown> = junk): Arb<unknown> {
  return fc.oneof({ weight: 9, arbitrary: good }, { weight: 1, arbitrary: bad });
}

function request(fields: { readonly [key: string]: Arb<unknown> }): Arb<unknown> {
  const loose = Object.fromEntries(Object.entries(fields).map(([key, good]) => [key, mostly(good)]));
  return mostly(fc.record(loose, { requiredKeys: [] }).chain((some) => fc.record(loose).map((all) => fill(some, all))));
}

/** Some requests lack fields, most lack none. */
function fill(some: object, all: object): object {
  return Object.keys(some).length % 2 === 0 ? all : some;
}

/** A good request with up to three of its values replaced, by one that is listed for its place or by anything, or left out. */
function spoiled(good: object, better: { readonly [pointer: string]: Arb<unknown> }): Arb<unknown> {
  const spoil = fc.constantFrom(...placesOf(good)).chain((pointer) => {
    const listed = better[pointer];
    const right = valueAt(good, pointer);
    const misses = typeof right === "string" ? nearMisses(right) : neighbours(right);
    const near = misses.length > 0 ? fc.constantFrom(...misses) : junk;
    const value = fc.option(fc.oneof(junk, near), { nil: absent });
    return fc.tuple(fc.constant(pointer), listed === undefined ? value : mostly(listed, value));
  });
  return fc
    .array(spoil, { maxLength: 3 })
    .map((spoils) => spoils.reduce<unknown>((request, [pointer, value]) => replaced(request, pointer, value), good));
}

const texts: Arb<string> = fc.oneof(
  fc.constantFrom("a", " a ", "\ufeffa\u3000", "", " ", "\u0085\u2028", "\u200b", "\u0000", "todo", "Gates.x"),
  fc.string({ unit: "binary", maxLength: 8 }),
);

const agent = (position: number): Arb<unknown> =>
  fc.record(
    {
      agent_type: mostly(from(types)),
      spawn_depth: mostly(
        fc.constantFrom(position, position, position, position, position, 0, 1, 2, 5),
        fc.oneof(fc.constantFrom(4294967295, 4294967296, -1, 0.5), junk),
      ),
      agent_id: mostly(fc.constantFrom("a", "b", "c", "d", "e", "f", "g", "h", "")),
    },
    { requiredKeys: ["agent_type", "spawn_depth"] },
  );

const chains = fc
  .constantFrom(0, 1, 2, 2, 3, 3, 4, 5)
  .chain((length) => fc.tuple(...Array.from({ length }, (_, position) => mostly(agent(position)))));

const artifactPaths = ["e/a.md", "e/b.md", "/e", "../e", "e/..", "e/..x", "\\e", "..\\e", " ", "", "constructor"];

const record = request({
  handoff_id: texts,
  task_id: texts,
  from_agent: fc.oneof(texts, fc.constantFrom("a", "b")),
  to_agent: fc.oneof(texts, fc.constantFrom("a", "b")),
  input_scope: fc.oneof(texts, fc.constant({ a: 1 })),
  actions_taken: fc.array(mostly(fc.oneof(texts, fc.constant({ a: 1 }))), { maxLength: 3 }),
  artifacts: fc.array(
    mostly(
      fc.record(
        {
          path: mostly(from(artifactPaths)),
          kind: mostly(fc.constant("log")),
          status: mostly(fc.constantFrom("PASS", "pass", "FAIL", "Blocked")),
          sha256: mostly(fc.constantFrom("ab", "ab", "cd")),
        },
        { requiredKeys: ["path", "kind"] },
      ),
    ),
    { maxLength: 3 },
  ),
  result: fc.constantFrom("PASS", "FAIL", "BLOCKED", "pass"),
  next_action: request({
    owner: fc.oneof(texts, fc.constantFrom("ToDo", "n/a now", "soon", "nah", "(none)", "later\n")),
    action: texts,
    input: fc.oneof(texts, fc.constantFrom<unknown>({ a: 1 }, [0])),
  }),
  rulebook_update: request({ applied: fc.boolean(), evidence_run_id: texts }),
  failure: request({
    layer: fc.constantFrom("identity", "skill", "mcp/tool", "mcp", "tool", "Tool"),
    hypothesis: texts,
    patch: fc.oneof(texts, fc.constant({ a: 1 })),
    result: texts,
  }),
  severity: texts,
  "a/b~c": texts,
});

const mutated = fc.oneof(
  record,
  fc
    .tuple(record, mostly(fc.array(fc.constantFrom("x", "gates", "/Gates[0]", "budget", "x.y", "//gates"))))
    .map(([base, attempted_mutations]) =>
      typeof base === "object" && base !== null && !Array.isArray(base) ? { ...base, attempted_mutations } : base,
    ),
);

const evidence = request({
  exists: fc.constant(true),
  file: fc.constant(true),
  contained: fc.constant(true),
  resolved: fc.oneof(from(artifactPaths), fc.constantFrom("e/c/x", "E/C", "e/cc", "x")),
  sha256: fc.constant("ab"),
});

const segments = ["q", "s", "c1", "c2", "run.py", "run.sh", ".py", "..", ".", "", "docs", "docs2", "c1 "];

/** Paths that are often where the other values of a request want them. */
const paths: Arb<string> = fc.oneof(
  fc.constantFrom("/q/c1/run.py", "/q/c2/run.py", "/q/s/c1/run.sh", "/c1/run.py", "/r/docs/x", "/r/docs", "docs", "/r"),
  fc.array(fc.constantFrom(...segments), { maxLength: 5 }).map((parts) => `/${parts.join("/")}`),
  fc.array(fc.constantFrom(...segments), { maxLength: 3 }).map((parts) => parts.join("/")),
);

const targets = fc.array(mostly(fc.constantFrom("a", "a", "b")), { maxLength: 2 });

const operationNames = ["WRITE", "CREATE", "MODE", "DELETE", "RENAME", "EXECUTE", "write"];

const operations = fc.array(mostly(from(operationNames)), { maxLength: 3 });

const requests: Readonly<Record<DecisionName, Arb<unknown>>> = {
  lane: request({ role: from(roleIds), lane: from(laneIds) }),
  tool: fc.oneof(
    { weight: 3, arbitrary: request({ role: from(roleIds), lane: from(laneIds), tool: from(toolIds) }) },
    // Three ids of the pools seldom meet; these do in half of all policies.
    { weight: 1, arbitrary: fc.constant({ role: called.role, lane: called.lane, tool: called.tool }) },
  ),
  subagent: request({
    persona: fc.oneof(from([...agentKeys, "Q-R", "B-1", "_P", " P", "P ", "../P"]), texts),
    env: request({ CHIRALITY_ENABLE_SUBAGENTS: fc.constant("true") }),
    governance: request({
      contextSealed: fc.constant(true),
      pipelineRunApproved: fc.constant(true),
      approvalRef: texts,
      approvedBy: fc.oneof(texts, from(roleIds), from(agentTexts), from(types)),
    }),
  }),
  lineage: request({ lineage: fc.oneof(chains, chains, chains, fc.constant(null)) }),
  handoff: fc.oneof(
    { weight: 9, arbitrary: fc.record({ record: mutated, artifacts: mostly(table(artifactPaths, evidence)) }) },
    { weight: 1, arbitrary: request({ record: mutated }) },
    {
      weight: 10,
      arbitrary: spoiled(
        {
          record: {
            ...rightRecord,
            attempted_mutations: [],
            failure: { layer: "tool", hypothesis: "h", patch: "p", result: "r" },
            severity: 1,
            "a/b~c": 1,
          },
          artifacts: { "e/a.md": rightEvidence },
        },
        {
          "/record/result": fc.constantFrom("FAIL", "BLOCKED", "pass"),
          "/record/next_action/owner": texts,
          "/record/from_agent": fc.constantFrom("a", "b", "c"),
          "/record/attempted_mutations": fc.constantFrom(["e"], ["X/y"], ["./e/c"], ["e/../x"], ["z"]),
          "/artifacts/e~1a.md/resolved": fc.constantFrom("e/c/a", "x", "e", "..", 1),
        },
      ),
    },
  ),
  exec: spoiled(
    {
      mode: "dev",
      kind: "script",
      session: { valid: true },
      script: { path: "/q/c1/run.py", sha256: "ab" },
      contract: {
        contract_id: "c1",
        status: "open",
        signature_valid: true,
        expired: false,
        mode: "dev",
        declared_targets: ["a", "b"],
        declared_operations: ["WRITE"],
      },
      hat: {
        script_sha256: "ab",
        contract_id: "c1",
        declared_targets: ["b", "a"],
        mode: "dev",
        timestamp: "2026-01-01T00:00:00Z",
        signature_valid: true,
        version: 2,
        declared_operations: ["WRITE"],
        age_seconds: 1,
      },
    },
    {
      "/mode": from(modes),
      "/kind": fc.constantFrom("inline", "script", "Script"),
      "/script/path": fc.oneof(
        paths,
        fc.constantFrom("/q/c2/run.py", "/q/s/c1/run.sh", "/c1/run.py", "/q/c1/run.py/x", "/z/c1/run.py", "/q/c1/.py"),
      ),
      "/script/sha256": fc.constantFrom("ab", "cd", ""),
      "/contract/contract_id": fc.constantFrom("c1", "c2", "c1 ", "..", ".", "a|b", "1", ""),
      "/contract/mode": from(modes),
      "/contract/declared_targets": targets,
      "/hat/script_sha256": fc.constantFrom("ab", "cd", "", "a|b"),
      "/hat/contract_id": fc.constantFrom("c1", "c2", "a|b"),
      "/hat/declared_targets": targets,
      "/contract/declared_operations": operations,
      "/hat/declared_operations": operations,
      "/hat/version": fc.constantFrom(1, 2, 3),
      "/hat/mode": from([...modes, "a|b"]),
      "/hat/timestamp": texts,
      "/hat/age_seconds": fc.constantFrom(0, 59, 61, -1),
    },
  ),
  close: request({
    baseline_sha: texts,
    contract: fc.oneof(
      fc.constantFrom<unknown>("unsigned", { signature_valid: true, expired: false }),
      request({ signature_valid: fc.boolean(), expired: fc.boolean() }),
    ),
    contract_root: fc.oneof(fc.constantFrom("/r", "/r", "/r/", "/", "r"), paths),
    declared_targets: fc.array(mostly(fc.oneof(fc.constantFrom("docs", "docs", "docs/", "./docs", "."), paths)), {
      maxLength: 3,
    }),
    declared_operations: fc.oneof(fc.constant(["WRITE", "CREATE"]), operations),
    changed_files: fc.array(
      mostly(
        fc.record(
          {
            path: mostly(texts),
            resolved: mostly(fc.oneof(fc.constantFrom("/r/docs", "/r/docs/x"), paths)),
            operation: mostly(from(operationNames)),
          },
          { requiredKeys: ["path"] },
        ),
      ),
      { maxLength: 3 },
    ),
  }),
  call: fc.oneof(
    {
      weight: 1,
      arbitrary: request({
        role: from(roleIds),
        lane: from(laneIds),
        tool: from(toolIds),
        scope: fc.oneof(
          fc.constantFrom<unknown>({ k: "c", n: 1 }, { k: "c", n: 1 }, null),
          table([...scopeKeys, ...flagNames], fc.oneof(texts, fc.constantFrom<unknown>(false, null, 1, {}))),
        ),
        flags: fc.oneof(fc.constant(null), fc.array(mostly(from(flagNames)), { maxLength: 2 })),
        writes: fc.oneof(
          fc.constant(null),
          fc.array(mostly(fc.record({ table: mostly(from(tables)), mode: mostly(from(writeModes)) })), {
            maxLength: 2,
          }),
        ),
        lineage: fc.oneof(chains, fc.constant(null), fc.tuple(agent(0)), fc.tuple(agent(0), agent(1))),
        approval: fc.oneof(
          fc.constantFrom<unknown>(null, { ref: "AP-1", by: "m.ortiz" }, { ref: "AP-1", by: "m.ortiz" }),
          fc.record({ ref: texts, by: fc.oneof(texts, from(roleIds), from(agentTexts), from(types)) }),
        ),
      }),
    },
    {
      weight: 3,
      arbitrary: spoiled(called, {
        "/role": from(roleIds),
        "/lane": from(laneIds),
        "/tool": from(toolIds),
        "/scope/k": texts,
        "/scope": fc.constantFrom<unknown>({ k: 1 }, { k: "a", n: "b", loud: "no" }, { k: "a", n: "b", bulk: false }),
        "/flags/0": from(flagNames),
        "/args": fc.constantFrom<unknown>(
          { loud: true },
          { bulk: 1 },
          { loud: false, bulk: null },
          { any: 1, loud: "" },
        ),
        "/writes/0/table": from(tables),
        "/writes/0/mode": from(writeModes),
        "/writes": fc.constant([
          { table: "log", mode: "append" },
          { table: "book", mode: "append" },
        ]),
        "/lineage": fc.oneof(chains, fc.constantFrom<unknown>(null, [])),
        "/approval/by": fc.oneof(texts, from(roleIds), from(agentTexts), from(types)),
        "/approval/ref": texts,
        "/approval": fc.constant(absent),
      }),
    },
  ),
};

const denials = fc.record(
  {
    gate: mostly(fc.constantFrom("FREEZE", "AUDIT", "ALLOW", "")),
    reason: mostly(fc.constantFrom("frozen", "because", "\u{1f512}", "\uff61")),
    severity: fc.constant("high"),
  },
  { requiredKeys: ["gate", "reason"] },
) as Arb<Json>;

/** What extensions answer: mostly well, sometimes nothing, sometimes nonsense. */
export const extensions: Arb<Extension> = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({
      kind: fc.constant("Set"),
      answers: fc.array(mostly(denials) as Arb<Json>, { maxLength: 3 }),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant("Value"),
      value: fc.oneof(junk, denials, fc.array(denials)) as Arb<Json>,
    }),
  },
);

const gateNames = ["A", "B", "B0", "B_", "LATE", "Z9"];

/** What authors demand: a few names, most of them met, and now and then a rule of a name that is not demanded. */
export const requirements: Arb<Requirements> = fc.record({
  gates: fc.dictionary(fc.constantFrom(...gateNames), fc.constantFrom("requirement_not_met", "r", "late"), {
    maxKeys: 4,
  }),
  met: fc.oneof(
    { weight: 3, arbitrary: fc.subarray(gateNames) },
    { weight: 1, arbitrary: fc.constant(gateNames) },
    { weight: 1, arbitrary: fc.constant([]) },
  ),
});

/** Requests to a decision: good ones, spoiled ones, and anything at all. */
export function requestsTo(decision: DecisionName): Arb<unknown> {
  return requests[decision];
}
