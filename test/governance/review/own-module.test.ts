/** A bundle of which the module is another than its Rego and data make: no review takes the one for the others. */

import { expect, it } from "vitest";
import { SCAFFOLD } from "../../../compiler/cli/init/scaffold.ts";
import {
  diffPolicies,
  isProved,
  type OpenedPolicy,
  prove,
  proveNoMore,
} from "../../../compiler/governance/review/index.ts";
import { isOwnModule, NOT_OWN } from "../../../compiler/governance/review/own-module.ts";
import { opened } from "./opened.ts";

const FILES = {
  "roles.yaml": "roles: [{ role_id: WRITER }]\n",
  "lanes.yaml": `lanes:
  - { lane_id: DESK, allowed_callers: { roles: [WRITER] }, allowed_actions: { tools: [draft] } }
`,
  "tool_registry.yaml": "tools: [{ tool_name: draft, enabled: true, implementation_status: implemented }]\n",
  "ext/tool.rego": `package portcullis.ext.tool

deny contains {"gate": "HOUSE", "reason": "secret"} if input.scope.word == "open sesame"

deny contains {"gate": "HOUSE", "reason": "large"} if {
	is_number(input.scope.size)
	data.house.limit < input.scope.size
}
`,
  "house/data.yaml": 'limit: 9007199254740993\nsmall: 1e2\nlist: [1.0, {"k": "\\u00e9"}]\n',
};
const OPEN = { ...FILES, "ext/tool.rego": FILES["ext/tool.rego"].replace("open sesame", "another word") };

/** Read from a file, and not built by this process. */
const read = (policy: OpenedPolicy): OpenedPolicy => ({ ...policy, bundle: Uint8Array.from(policy.bundle) });

/** The policy by its files, which decides by the module of another. */
function forged(policy: OpenedPolicy, other: OpenedPolicy): OpenedPolicy {
  const files = new Map(policy.files).set("policy.wasm", other.files.get("policy.wasm") as Uint8Array);
  return { ...policy, policy: other.policy, files };
}

const [honest, open] = [read(await opened(FILES)), await opened(OPEN)];
const fake = forged(honest, open);

it.each<[string, Record<string, string>]>([
  ["with data of all kinds of numbers", FILES],
  [
    "with rules in a package of its own",
    { ...FILES, "house/rules.rego": "package house.rules\n\nok if input.args.a\n" },
  ],
  ["as `init` writes it, whose tables share parts", Object.fromEntries(SCAFFOLD.map(({ path, text }) => [path, text]))],
  ["without rules", Object.fromEntries(Object.entries(FILES).filter(([name]) => !name.startsWith("ext/")))],
  [
    "of Rego alone",
    {
      "a.rego": "# METADATA\n# entrypoint: true\npackage a\n\np := {x | some x in data.b.c}\n",
      "b/data.json": '{"c": [1.50]}',
    },
  ],
])("a module that was built is its bundle's own: %s", async (_, files) => {
  expect(await isOwnModule(read(await opened(files)))).toBe(true);
});

it("a bundle that this process built has its own module", async () => {
  expect(await isOwnModule(await opened(FILES))).toBe(true);
});

it("a module of other Rego is not, however little it differs", async () => {
  expect(await isOwnModule(fake)).toBe(false);
});

it.each([-1, 40, 9])("nor is one with another byte at %d", async (at) => {
  const module = Uint8Array.from(honest.files.get("policy.wasm") as Uint8Array);
  const place = at < 0 ? module.length + at : at;
  module[place] = (module[place] as number) ^ 1;
  expect(await isOwnModule({ ...honest, files: new Map(honest.files).set("policy.wasm", module) })).toBe(false);
});

it("`diff` says that what such a module allows is unknown, where nothing else differs", async () => {
  const unseen = { part: "module", path: "policy.wasm", why: NOT_OWN };
  expect(await diffPolicies(honest, fake)).toMatchObject({
    value: { changes: [], found: [], contents: [], unseen: [unseen] },
  });
  expect(await diffPolicies(honest, honest)).toMatchObject({ value: { unseen: [] } });
});

it("`diff` compares with an older module as it decides", async () => {
  expect(await diffPolicies(fake, honest)).toMatchObject({ value: { unseen: [] } });
});

it("`prove` proves nothing of what such a module does beyond the questions", async () => {
  const unproved = async (policy: OpenedPolicy): Promise<unknown> => {
    const result = await prove(policy);
    return result.ok && result.value.properties.filter((p) => !isProved(p)).map(({ name, unknown }) => [name, unknown]);
  };
  const why = { request: "policy.wasm", answer: undefined, why: NOT_OWN };
  expect(await unproved(fake)).toEqual([["the module answers as the Rego and data in the bundle do", [why]]]);
  expect(await unproved(honest)).toEqual([]);
});

it("`diff --prove` proves nothing of such modules", async () => {
  const solver = (): Promise<string> => Promise.resolve("unsat\n");
  for (const [before, after] of [
    [honest, fake],
    [fake, honest],
  ] as const) {
    const result = await proveNoMore(before, after, solver);
    expect(result.ok && result.value.map(isProved)).not.toContain(true);
  }
});
