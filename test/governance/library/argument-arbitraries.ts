/** Any policies with a tool that says what its arguments may be, and any calls of that tool. */

import fc from "fast-check";
import type { WrittenArgument, WrittenMembers, WrittenRule } from "../../statements/arguments.ts";
import type { PolicyData } from "../../statements/policy.ts";
import { approval, policyOf } from "./argument-calls.ts";
import { PATHS } from "./argument-kinds.ts";

const member = <K extends keyof WrittenMembers>(key: K, values: readonly WrittenMembers[K][]) =>
  fc.constantFrom(...values).map((value) => ({ [key]: value }) as WrittenMembers);

const TEXT_MEMBERS = [
  member("one_of", [
    ["a", "git status"],
    ["src/a", "https://h.example"],
  ]),
  member("pattern", ["[a-z ]*", "a|git.*", ".*"]),
  member("max_length", [0, 3, 12]),
  member("paths", [{ below: ["src"] }, { below: ["."], except: ["src/keys"] }, { below: ["a"], resolve: "text" }]),
  member("hosts", [["h.example"], ["*.b.example", "h.example:80"]]),
  member("commands", [["git status", "git diff *"], ["ls **"], ["a -* b"]]),
];
const NUMBER_MEMBERS = [
  member("one_of", [[1, 5], [0.5]]),
  member("min", [0, { default: 1 }, { CHIEF: 2 }]),
  member("max", [10, { default: 10, CHIEF: 20 }, { R: 5 }]),
];

function membersOf(some: readonly fc.Arbitrary<WrittenMembers>[], most: number): fc.Arbitrary<WrittenMembers> {
  return fc
    .subarray([...some], { minLength: 0, maxLength: most })
    .chain((chosen) =>
      chosen.length === 0
        ? fc.constant({})
        : fc.tuple(...chosen).map((all) => Object.assign({}, ...all) as WrittenMembers),
    );
}

function ruleOf(type: string, some: readonly fc.Arbitrary<WrittenMembers>[]): fc.Arbitrary<WrittenRule> {
  const matching = membersOf(some, 2).map((members) =>
    Object.keys(members).length === 0 ? ("required" as const) : members,
  );
  const asking = fc.option(fc.oneof(fc.constant("required" as const), matching), { nil: undefined, freq: 2 });
  return fc.tuple(membersOf(some, 2), asking).map(([members, approving]) => ({
    ...{ type, ...members },
    ...(approving === undefined ? {} : { approval: approving }),
  }));
}

const texts = ruleOf("string", TEXT_MEMBERS);
const numbers = fc.constantFrom("integer", "number").chain((type) => ruleOf(type, NUMBER_MEMBERS));
const others = fc.constantFrom<WrittenRule>(
  { type: "boolean" },
  { type: "object" },
  { type: "any" },
  { type: "list", max_length: 1 },
);
const lists = fc.oneof(texts, numbers).map((each): WrittenArgument => ({ type: "list", each }));

const argument = fc
  .tuple(
    fc.oneof<fc.Arbitrary<WrittenArgument>[]>(texts, texts, numbers, lists, others),
    fc.option(fc.boolean(), { nil: undefined }),
  )
  .map(([rule, required]): WrittenArgument => (required === undefined ? rule : { ...rule, required }));

const NAMES = ["a", "b", "constructor"];

/** Policies with one tool `t`; of those that do not compile none is tried. */
export const argumentPolicies: fc.Arbitrary<PolicyData> = fc
  .tuple(
    fc.dictionary(fc.constantFrom(...NAMES), argument, { noNullPrototype: true }),
    fc.constantFrom(undefined, "allow", "deny"),
    fc.constantFrom("none", "none", "required"),
  )
  .map(([said, other_arguments, approving]) => ({
    t: { arguments: said, approval: approving, ...(other_arguments === undefined ? {} : { other_arguments }) },
  }))
  .filter((one) => {
    try {
      policyOf(one);
      return true;
    } catch {
      return false;
    }
  })
  .map(policyOf);

const WORDS = ["git", "status", "diff", "ls", "a", "b", "-p", "'x y'", "+z", "@q", ";", "$x", "é", ""];
const commandLine = fc.array(fc.constantFrom(...WORDS), { maxLength: 4 }).map((words) => words.join(" "));
const value = fc.oneof(
  commandLine,
  fc.constantFrom<unknown>(
    ...PATHS,
    "https://h.example",
    "https://x.b.example/",
    "http://h.example",
    "a",
    "git status",
  ),
  fc.constantFrom<unknown>(0, 1, 2, 5, 10, 11, 20, 0.5, 1.5, -1),
  fc.constantFrom<unknown>(null, true, false, [], {}, [1], ["a"], ["src/a", "b"], [5, 6], [null], ["git status", "ls"]),
);
const path = fc.oneof(
  fc.constantFrom<unknown>(...PATHS, null, 7),
  fc.array(fc.constantFrom<unknown>("src/a", "src/keys", "x", null), { maxLength: 2 }),
);

/** Calls of the tool `t`. */
export const argumentRequests: fc.Arbitrary<unknown> = fc.record({
  role: fc.constantFrom("R", "R", "CHIEF"),
  lane: fc.constant("L"),
  tool: fc.constant("t"),
  args: fc.oneof(
    { weight: 12, arbitrary: fc.dictionary(fc.constantFrom(...NAMES), value, { noNullPrototype: true }) },
    { weight: 1, arbitrary: fc.constantFrom<unknown>(null, [], "x") },
  ),
  facts: fc.oneof(
    {
      weight: 6,
      arbitrary: fc.record({ paths: fc.dictionary(fc.constantFrom(...NAMES), path, { noNullPrototype: true }) }),
    },
    { weight: 1, arbitrary: fc.constantFrom<unknown>(null, {}, { paths: null }) },
  ),
  approval: fc.constantFrom<unknown>(null, approval, { ref: "AP-1", by: "CHIEF" }),
});
