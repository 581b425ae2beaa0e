/** Requests to handoff about the policy `combined`: a right one, each of its values spoiled, roles, and places of artifacts. */
import { every } from "./every.ts";
import { nothings } from "./near-misses.ts";
import { absent, replaced, spoiledOnce } from "./spoiling.ts";

const record = {
  handoff_id: "h",
  task_id: "t",
  from_agent: "a",
  to_agent: "b",
  input_scope: "s",
  actions_taken: ["did", { what: "that" }],
  artifacts: [
    { path: "e/a.md", kind: "log", status: "PASS", sha256: "ab" },
    { path: "e/b.md", kind: "log", status: "PASS" },
  ],
  result: "PASS",
  next_action: { owner: "o", action: "a", input: "i" },
  rulebook_update: { applied: true, evidence_run_id: "r" },
  attempted_mutations: ["x", "y"],
  severity: "high",
  failure: { layer: "skill", hypothesis: "the wrong source", patch: { file: "p" }, result: "still fails" },
};

const there = { exists: true, file: true, contained: true, resolved: "e/a.md", sha256: "ab", size: 2 };
/** Named and found alike, and no digest. */
const withDigests = (sha256: unknown): object => ({
  record: { ...record, artifacts: [{ path: "e/a.md", kind: "log", status: "PASS", sha256 }] },
  artifacts: { "e/a.md": { ...there, sha256 } },
});
/** One artifact, where the record says it lies and where the host found it; by a sub, or by a master. */
const lying = ([path, resolved, from]: readonly [string, unknown, string]): object => ({
  record: {
    ...record,
    from_agent: from,
    to_agent: from === "a" ? "b" : "a",
    artifacts: [{ path, kind: "log" }],
  },
  artifacts: { [path]: replaced(there, "/resolved", resolved) },
});
const places = [
  "rules/top",
  "rules/top/x",
  "rules/topmost",
  "rules",
  "RULES//Top/x",
  "./rules/./top",
  "rules\\top\\x",
  "x/../rules/top",
  "plan.md",
  "plan.md.bak",
  "Plan.MD/",
  "x/plan.md",
  "r\u0443les/top",
  // Upper case makes it `RULES`, lower case leaves it alone.
  "rule\u017f/top",
  "e/a.md",
];
/** Every place, said and found. */
const lyingAnywhere = ["a", "b"].flatMap((from) =>
  places.flatMap((path) =>
    [...places, absent, null, "", "/", ".", 7, [path]].map((found) => lying([path, found, from])),
  ),
);
const roles = every({ from_agent: ["a", "b", "c", "d", "e", "A", ""], to_agent: ["a", "b", "c", "d", "e", "b ", ""] });
const contracts = [
  "gates",
  "protocol_review_contract",
  "identity_update_lifecycle_contract",
  "trigger_regression_contract",
];
const words = [
  "todo",
  "TBD",
  "n/a",
  "na ",
  "None",
  "pending!",
  "later on",
  "soon",
  "today",
  "nap",
  "\ufefftodo",
  "t\u043edo",
];

export function handoffRequests(): unknown[] {
  return [
    ...[null, 5, ["ab"]].map(withDigests),
    ...lyingAnywhere,
    ...roles.flatMap((agents) =>
      ["rules/top", " /Rules", "rules/top/x.y", "rules/other", "x/../rules/top", "", ".", "plan.md"].map((attempt) => ({
        record: { ...record, ...agents, attempted_mutations: [attempt] },
        artifacts: { "e/a.md": there, "e/b.md": there },
      })),
    ),
    ...["PASS", "FAIL"].flatMap((result) =>
      spoiledOnce(
        { record: { ...record, result }, artifacts: { "e/a.md": there, "e/b.md": there } },
        {
          "/record/result": ["FAIL", "BLOCKED", "pass"],
          "/record/artifacts/0/path": ["/e/a.md", "../a", "e/..", "\\e", "e\\..\\a", "e/a.md/", "lost"],
          "/record/artifacts/0/sha256": ["AB", "a", "abc", "ab "],
          "/artifacts/e~1a.md/sha256": ["AB", "a", "abc"],
          "/record/artifacts/0/status": ["FAIL", "fail", "Blocked", "pass"],
          "/record/next_action/action": words,
          "/record/next_action/input": words,
          "/record/attempted_mutations/1": [
            ...contracts,
            "agent_handoff_contract",
            " Gates",
            "/gates/x",
            "gates.x",
            "gates[0]",
            "budget",
            "//gates",
            "./gates",
            "..\\gates",
            ".\\gates",
            "# gates",
            "gates\\x",
            "#/gates",
            "$.gates",
            "~gates",
            "gates#",
            "/",
            ".",
            "#",
            "$",
            " ",
            "x.gates",
          ],
          "/record/failure/layer": ["identity", "mcp", "tool", "mcp/tool", "Skill", "skills"],
          "/record/failure/hypothesis": nothings,
          "/record/failure/patch": nothings,
          "/record/attempted_mutations": [["gates", 1], { 0: "gates" }],
          "/record/artifacts": [{ a: { path: "e/a.md", kind: "log", status: "FAIL" } }, { a: "e" }],
          "/record/actions_taken": [{ a: "" }],
          "/record/task_id": nothings,
          "/record/next_action/owner": [...words, ...nothings, ...nothings.map((one) => `${one}todo`)],
          "/record/rulebook_update/applied": [false],
        },
      ),
    ),
  ];
}
