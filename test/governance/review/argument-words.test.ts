/** What arguments may be, as people and programs are told it: from the policy's data, by explain, list, hovers and types. */

import { beforeAll, describe, expect, it } from "vitest";
import { nodeHost } from "../../../compiler/documents/node.ts";
import { argumentWords } from "../../../compiler/governance/lower/index.ts";
import { compile } from "../../../compiler/governance/pipeline.ts";
import {
  diffPolicies,
  explain,
  listGrants,
  type OpenedPolicy,
  openBundle,
  policyNames,
} from "../../../compiler/governance/review/index.ts";
import { generateTypes } from "../../../compiler/governance/types.ts";
import { policyOf } from "../library/argument-calls.ts";
import { opened as openedFrom } from "./opened.ts";

let opened: OpenedPolicy;
let types = "";
beforeAll(async () => {
  const { compiled } = await compile({ host: nodeHost, dirs: ["test/governance/incidents/set"] });
  const result = await openBundle("set", compiled?.bundle as Uint8Array);
  if (!result.ok) throw new Error(result.problem.message);
  opened = result.value;
  types = compiled?.types ?? "";
});

const may = (argument: object): string[] => argumentWords(policyOf({ t: { arguments: { a: argument } } }), "t");

describe("words", () => {
  it.each<[object, string]>([
    [{}, "string"],
    [{ type: "any", required: false }, "any, or absent"],
    [{ one_of: ["a", "b"] }, '"a", "b"'],
    [{ pattern: "a|b", max_length: 3 }, "text like a|b, at most 3 long"],
    [{ type: "integer", min: 1, max: { default: 5, CHIEF: 9 } }, "at least 1, at most 5, 9 for CHIEF"],
    [{ paths: { below: [".", "a"], except: ["A/b"] } }, "below the project, a, not below a/b"],
    [{ hosts: ["h.example", "*.i.example:90"], schemes: ["http"] }, "at h.example, *.i.example:90, by http"],
    [{ commands: ["git log -* *", "ls **", "a 'b c'", "git x"] }, "a 'b c', git log -* *, git x, ls **"],
    [{ commands: [] }, "nothing"],
    [{ approval: "required" }, "string, with a person's approval"],
    [{ approval: { one_of: ["a"] } }, `with a person's approval "a"`],
    [{ max_length: 2, approval: { max_length: 4 } }, "at most 2 long, or with a person's approval at most 4 long"],
    [{ type: "list", each: { type: "integer", max: 2 } }, "list, each at most 2"],
    [{ type: "list", max_length: 2, each: { one_of: ["a"] } }, 'list, at most 2 long, each "a"'],
    [{ type: "integer", max: {} }, "at most nothing"],
  ])("%j", (argument, words) => {
    expect(may(argument)).toEqual([`\`a\` may be: ${words}`]);
  });

  it("cut long lists, and tell of others", () => {
    const many = Array.from({ length: 20 }, (_, i) => `v${i}`);
    expect(may({ one_of: many })[0]).toMatch(/"v11", 8 more$/);
    const open = policyOf({ t: { arguments: {}, other_arguments: "allow" } });
    expect(argumentWords(open, "t")).toEqual(["others may be anything"]);
    expect(argumentWords(open, "u")).toEqual([]);
    for (const tool of [{ arguments: {} }, { other_arguments: "deny" }])
      expect(argumentWords(policyOf({ t: tool }), "t")).toEqual(["no arguments"]);
  });
});

it("explain tells what the argument may be", async () => {
  const inputJson = JSON.stringify({ role: "CODER", lane: "CODING", tool: "Bash", args: { command: "git push -f" } });
  const result = await explain(opened, { entrypoint: "portcullis/call/decision", inputJson });
  if (!result.ok) throw new Error(result.problem.message);
  const failed = result.value.steps.filter(({ isGate, status }) => isGate && status === "failed");
  expect(failed.map(({ gate, reason, says }) => [gate, reason, says])).toEqual([
    [
      "ARGUMENTS",
      "argument_not_allowed",
      "argument `command` is not what `commands` of tool Bash allows; `command` may be: cat docs/guide.md, git status, git log --oneline *, git add *, npm test, or with a person's approval git push origin *",
    ],
  ]);
  // A whole rule that is left out allows everything: that is not offered.
  expect(result.value.remedies.policy).toEqual([]);
});

it("list tells it of every granted tool that says it", () => {
  const result = listGrants(opened, { role: "CODER", tool: "Pay" });
  if (!result.ok) throw new Error(result.problem.message);
  expect(result.value.arguments).toEqual([
    {
      tool: "Pay",
      may: ["`cents` may be: at least 1, at most 1000 for CODER, 250000 for LEAD", '`currency` may be: "EUR", "USD"'],
    },
  ]);
});

it("have every digit that decides, in lists, explanations and differences", async () => {
  const set = (most: string) =>
    openedFrom({
      "roles.yaml": "roles: [{ role_id: CLERK }]",
      "lanes.yaml":
        "lanes: [{ lane_id: DESK, allowed_callers: { roles: [CLERK] }, allowed_actions: { tools: [pay] } }]",
      "tool_registry.yaml": `tools:
  - tool_name: pay
    enabled: true
    implementation_status: implemented
    arguments:
      n: { type: integer, min: 1, max: { default: 5, CLERK: ${most} } }
      one: { type: any, one_of: [${most}, { a: [${most}] }, 0.5], required: false }
`,
    });
  const most = "9007199254740995";
  const before = await set(most);
  const result = listGrants(before);
  if (!result.ok) throw new Error(result.problem.message);
  const says = `\`n\` may be: at least 1, at most 5, ${most} for CLERK`;
  expect(result.value.arguments[0]?.may).toEqual([says, `\`one\` may be: ${most}, {"a":[${most}]}, 0.5, or absent`]);
  // As doubles they would be equal.
  for (const n of ["9007199254740996", "9007199254740997"]) {
    const inputJson = `{"role":"CLERK","lane":"DESK","tool":"pay","args":{"n":${n}}}`;
    const explained = await explain(before, { entrypoint: "portcullis/call/decision", inputJson });
    if (!explained.ok) throw new Error(explained.problem.message);
    const failed = explained.value.steps.filter(({ status, says: said }) => status === "failed" && said !== undefined);
    expect(failed.map((step) => step.says)).toEqual([expect.stringContaining(says)]);
  }
  const diff = await diffPolicies(before, await set("9007199254740996"));
  if (!diff.ok) throw new Error(diff.problem.message);
  expect(diff.value.rules).toMatchObject([
    { before: expect.stringContaining(most), after: expect.stringContaining("9007199254740996") },
  ]);
});

it("a difference tells what stands far behind in a long list", async () => {
  const set = (last: string) =>
    openedFrom({
      "roles.yaml": "roles: [{ role_id: CLERK }]",
      "lanes.yaml":
        "lanes: [{ lane_id: DESK, allowed_callers: { roles: [CLERK] }, allowed_actions: { tools: [send] } }]",
      "tool_registry.yaml": `tools:
  - tool_name: send
    enabled: true
    implementation_status: implemented
    arguments: { to: { one_of: [${Array.from({ length: 40 }, (_, i) => `v${i}`)}, ${last}] } }
`,
    });
  const diff = await diffPolicies(await set("old"), await set("new"));
  if (!diff.ok) throw new Error(diff.problem.message);
  expect(diff.value.rules).toMatchObject([
    { before: expect.stringContaining('"v39", "old"'), after: expect.stringContaining('"v39", "new"') },
  ]);
  const [list] = diff.value.contents.filter(({ path }) => path.endsWith("one_of"));
  expect(list).toMatchObject({
    before: expect.stringContaining('"v39","old"]'),
    after: expect.stringContaining('"v39","new"]'),
  });
});

it("types have the arguments of each tool, of sources and of a bundle alike", () => {
  expect(types).toContain('  readonly "Bash": { readonly command: string; readonly description?: string | null };');
  expect(types).toContain('  readonly "Patch": { readonly files: readonly string[] };');
  expect(types).toContain('  readonly "Pay": { readonly cents: number; readonly currency: "EUR" | "USD" };');
  const names = policyNames(opened);
  const none = { denials: new Map(), scope: new Set<string>(), args: new Set<string>(), entrypoints: [] };
  expect(names && generateTypes(names, none as never)).toBe(types);
});
