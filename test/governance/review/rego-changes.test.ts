/** A rule that is added is harmless where nothing asked for it before: by its name, by a computed one, or with all around it. */

import { expect, it } from "vitest";
import { libraryModules } from "../../../compiler/governance/library/index.ts";
import { regoChanges } from "../../../compiler/governance/review/diff/rego-changes.ts";
import { diffPolicies } from "../../../compiler/governance/review/index.ts";
import { opened } from "./opened.ts";

const FILES: Readonly<Record<string, string>> = {
  "flags.rego": "package house.flags\n\nknown if input.args.code == 1\n",
  "lane.rego": `package portcullis.ext.lane

deny contains {"gate": "OLD", "reason": "r"} if input.scope.old == true

must contains "KEPT" if input.scope.kept == true
`,
};

/** The Rego of a bundle: the library's, and that of the house. */
function bundled(house: Readonly<Record<string, string>>): { files: Map<string, Uint8Array> } {
  const files = new Map(libraryModules.map(({ name, text }) => [`portcullis/${name}`, Buffer.from(text)]));
  for (const [name, text] of Object.entries({ ...FILES, ...house })) files.set(name, Buffer.from(text));
  return { files };
}

const FRESH = "package house.flags\n\nfresh if input.args.code == 2\n";
const DENIAL =
  'package portcullis.ext.lane\n\ndeny contains {"gate": "NEW", "reason": "r"} if input.scope.new == true\n';
const GATE = 'package portcullis.ext.lane\n\nmust contains "NEW" if input.scope.new == true\n';

it.each([
  ["a rule that nothing asks for", "", 'must contains "G" if data.house.flags.known', FRESH, true],
  ["one that a computed name reaches", "", 'must contains "G" if data.house.flags[input.args.flag]', FRESH, false],
  [
    "one that a computed name of an import reaches",
    "import data.house.flags as f",
    'must contains "G" if f[input.args.flag]',
    FRESH,
    false,
  ],
  [
    "one of a package that is read whole",
    "import data.house",
    'must contains "G" if count(house.flags) > 0',
    FRESH,
    false,
  ],
  [
    "one of a further package below one that is read whole",
    "",
    'must contains "G" if count(data.house) > 0',
    "package house.more\n\nfresh if input.args.code == 2\n",
    false,
  ],
  ["a further denial", "", 'must contains "G" if input.args.x == 1', DENIAL, true],
  [
    "a denial that another decision's gate wants",
    "",
    'must contains "G" if count(data.portcullis.ext.lane.deny) > 0',
    DENIAL,
    false,
  ],
  [
    "a denial that changes a decision which another one reads",
    "",
    'must contains "G" if data.portcullis.lane.decision.allowed == false',
    DENIAL,
    false,
  ],
  ["a further gate", "", 'must contains "G" if input.args.x == 1', GATE, true],
  ["a further gate that is counted", "", 'must contains "G" if count(data.portcullis.ext.lane.must) > 1', GATE, false],
] as const)("%s", (_, imports, rule, added, isHarmless) => {
  const before = { "call.rego": `package portcullis.ext.call\n\n${imports}\n\n${rule}\n` };
  const changes = regoChanges(bundled(before), bundled({ ...before, "more.rego": added }));
  expect(changes.map((change) => [change.kind, change.isHarmless])).toEqual([["added", isHarmless]]);
});

it("a rule that moves to a package whose name has a dot is another rule", () => {
  const within = (name: string) => bundled({ "more.rego": `package ${name}\n\nfrozen if input.args.code == 2\n` });
  const changes = regoChanges(within('house["a.b"]'), within("house.a.b"));
  expect(changes.map(({ kind, path }) => `${kind} ${path}`)).toEqual([
    'removed data.house["a.b"].frozen',
    "added data.house.a.b.frozen",
  ]);
});

it("a rule is another where its text stays, and the version of Rego that reads it does not", async () => {
  // A set in version 1, which `false` in it does not make false; a body in version 2.
  const files = {
    "roles.yaml": "roles: [{ role_id: CLERK }]\n",
    "lanes.yaml":
      "lanes: [{ lane_id: DESK, allowed_callers: { roles: [CLERK] }, allowed_actions: { tools: [note] } }]\n",
    "tool_registry.yaml": "tools: [{ tool_name: note, enabled: true, implementation_status: implemented }]\n",
    "calls.rego": 'package portcullis.ext.call\n\nmust contains "UNNAMED" if not {input.scope.name}\n',
  };
  const [before, after] = [await opened(files), await opened({ ...files, ".manifest": '{"rego_version": 2}' })];
  const call = { role: "CLERK", lane: "DESK", tool: "note", scope: { name: false } };
  expect([before, after].map(({ policy }) => policy.call(call as never).allowed)).toEqual([false, true]);
  const diff = await diffPolicies(before, after);
  if (!diff.ok) throw new Error(diff.problem.message);
  expect(diff.value.found).toMatchObject([{ kind: "newly-allowed", decision: "call" }]);
  expect(diff.value.unseen).toMatchObject([{ path: "data.portcullis.ext.call.must" }, {}]);
});
