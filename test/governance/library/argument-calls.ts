/** A policy whose tools say what their arguments may be, and calls of these tools: near misses of each member. */

import type { WrittenTool } from "../../statements/arguments.ts";
import type { PolicyData } from "../../statements/policy.ts";
import { KINDS, PATH_RULES, PATHS } from "./argument-kinds.ts";
import { lowered } from "./case-files.ts";

const ROLES = ["R", "CHIEF"];

type RegisteredTool = WrittenTool & { readonly approval?: string; readonly prohibited_flags?: readonly string[] };

/** The tables of a policy with these tools, in a lane that has them all. Throws for tools that do not compile. */
export function policyOf(tools: Readonly<Record<string, RegisteredTool>>): PolicyData {
  const names = Object.keys(tools);
  const result = lowered({
    "roles.yaml": JSON.stringify({ roles: ROLES.map((role_id) => ({ role_id })) }),
    "lanes.yaml": JSON.stringify({
      lanes: [{ lane_id: "L", allowed_callers: { roles: ROLES }, allowed_actions: { tools: names } }],
    }),
    "tool_registry.yaml": JSON.stringify({
      tools: names.map((tool_name) => ({
        ...{ tool_name, enabled: true, implementation_status: "implemented" },
        ...tools[tool_name],
      })),
    }),
  });
  if ("errors" in result) throw new Error(`${result.errors.join(", ")}: ${JSON.stringify(tools)}`);
  return result.policy;
}

const tools: Readonly<Record<string, RegisteredTool>> = {
  ...Object.fromEntries(Object.entries(KINDS).map(([name, { rule }]) => [name, { arguments: { a: rule } }])),
  ...Object.fromEntries(Object.entries(PATH_RULES).map(([name, rule]) => [name, { arguments: { a: rule } }])),
  open: { arguments: { b: { required: false } }, other_arguments: "allow" },
  closed: { other_arguments: "deny" },
  free: {},
  several: { arguments: { b: {}, "\u{10000}": {}, "\uffff": {}, Z: { type: "any" } } },
  flagged: { prohibited_flags: ["loud"], arguments: { n: { type: "integer" } } },
  signedTool: { approval: "required", arguments: { a: { approval: { one_of: ["x"] }, one_of: ["y"] } } },
};

export const argumentPolicy: PolicyData = policyOf(tools);

export const approval = { ref: "AP-1", by: "m.ortiz" };
const call = (tool: string, args: unknown, more: object = {}): object => ({
  role: "R",
  lane: "L",
  tool,
  args,
  ...more,
});

/** Calls of every tool. */
export function argumentCalls(): object[] {
  const valued = Object.entries(KINDS).flatMap(([tool, { values }]) =>
    values.flatMap((a) => [call(tool, { a }), call(tool, { a }, { role: "CHIEF" }), call(tool, { a }, { approval })]),
  );
  const located = Object.keys(PATH_RULES).flatMap((tool) =>
    PATHS.flatMap((path) => [
      call(tool, { a: path }, { facts: { paths: { a: path } } }),
      call(tool, { a: path }, { facts: { paths: { a: path } }, approval }),
    ]),
  );
  const facts: unknown[] = [
    undefined,
    null,
    7,
    {},
    { paths: null },
    { paths: [] },
    { paths: {} },
    { paths: { a: null } },
  ];
  const unlocated = [
    ...facts,
    { paths: { a: 7 } },
    { paths: { a: ["src"] } },
    { paths: { b: "src" } },
    { paths: { a: false } },
  ];
  const listed = [
    ["src/a", "src/b"],
    ["src/a"],
    ["src/a", "src/b", "src/c"],
    ["src/a", null],
    ["src/a", "docs"],
    ["src/a", "src/keys"],
    "src",
  ];
  const odd: unknown[] = [
    undefined,
    null,
    {},
    [],
    "x",
    7,
    false,
    { b: 1 },
    { a: null },
    { b: null },
    { constructor: 1 },
    { a: "x", b: "x" },
  ];
  return [
    ...valued,
    ...located,
    ...unlocated.flatMap((given) =>
      ["file", "files", "text"].map((tool) => call(tool, { a: "src/a" }, { facts: given })),
    ),
    ...listed.map((a) => call("files", { a: ["x", "y"] }, { facts: { paths: { a } } })),
    call("files", { a: [] }),
    call("files", { a: ["x"] }, { facts: { paths: { a: { 0: "src/a" } } } }),
    ...Object.keys(tools).flatMap((tool) => odd.map((args) => call(tool, args))),
    call("several", { b: "x", "\u{10000}": "x", "\uffff": "x", Z: 0 }),
    call("several", { b: "x", "\u{10000}": 1, "\uffff": 1, Z: 0 }),
    call("several", { b: "x", "\u{10000}": 1, "\uffff": 1 }),
    call("several", { b: 1, a: 1, "\u{10000}": 1 }),
    // Each is denied by two gates, of which the earlier one tells.
    call("flagged", { n: "x" }, { flags: ["loud"] }),
    call("flagged", { n: "x" }, { writes: "log" }),
    call("signedTool", { a: "y" }),
    call("signedTool", { a: "x" }, { approval }),
    call("every", { a: "x" }, { approval: { ref: "AP-1", by: "CHIEF" } }),
  ];
}
