/** Policies whose tools say what their arguments may be, and calls of these tools: near misses of each member, and any at all. */

import fc from "fast-check";
import type { WrittenArgument, WrittenMembers, WrittenRule, WrittenTool } from "../../statements/arguments.ts";
import type { PolicyData } from "../../statements/policy.ts";
import { lowered } from "./case-files.ts";

const ROLES = ["R", "CHIEF"];

/** The tables of a policy with these tools, in a lane that has them all. Throws for tools that do not compile. */
export function policyOf(tools: { readonly [name: string]: WrittenTool & { readonly approval?: string } }): PolicyData {
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

const COMMANDS = ["git status", "git diff *", "git * --short", "git log -* *", "ls **", "a 'b c' -*", "git -* x"];

/** By name: what a value may be, values of which some are allowed, and what a host may say of it. */
const KINDS: { readonly [name: string]: { readonly rule: WrittenArgument; readonly values: readonly unknown[] } } = {
  plain: { rule: {}, values: ["", "x", 1, true, [], {}] },
  optional: { rule: { required: false }, values: ["x", null, 0] },
  integer: {
    rule: { type: "integer", min: 1, max: { default: 10, CHIEF: 20 } },
    values: [0, 1, 10, 11, 20, 21, 1.5, 2.0, -1, "1", 1e3],
  },
  number: { rule: { type: "number", min: { CHIEF: 0.5 }, max: 1 }, values: [0.5, 0.49, 1, 1.01, "1"] },
  boolean: { rule: { type: "boolean" }, values: [true, false, "true", 1] },
  object: { rule: { type: "object", one_of: [{}, { a: [1] }] }, values: [{}, { a: [1] }, { a: [2] }, []] },
  any: { rule: { type: "any", one_of: [1, "1", false, null, []] }, values: [1, "1", false, null, [], 0, {}] },
  mode: { rule: { one_of: ["draft", "final"] }, values: ["draft", "Draft", "final ", ""] },
  pattern: { rule: { pattern: "a|bc" }, values: ["a", "bc", "abc", "ac", "a\n", "xa", ""] },
  literal: { rule: { pattern: "\\Qa.b" }, values: ["a.b", "axb", "a.b\\E"] },
  long: { rule: { max_length: 2 }, values: ["", "ab", "abc", "🙂🙂", "🙂🙂🙂", "e\u0301"] },
  list: { rule: { type: "list", max_length: 2 }, values: [[], [1, 2], [1, 2, 3], "ab"] },
  command: {
    rule: { commands: COMMANDS },
    values: [
      ...[
        "git status",
        "git status ",
        " git status",
        "git  status",
        "git",
        "git status x",
        "GIT status",
        "'git' status",
      ],
      ...["git diff", "git diff a b", "git diff -p", "git diff '-p'", 'git diff "a b"', "git diff ''", "git diff +x"],
      ...[
        "git diff @x",
        "git diff a=b",
        "git diff =b",
        "git x --short",
        "git -x --short",
        "git log -p",
        "git log -p a -b",
      ],
      ...[
        "git log p",
        "ls",
        "ls -la /",
        "ls @x +y",
        "a 'b c' -x",
        'a "b c" -',
        "a b c -x",
        "a ' b c' -x",
        "a 'b c ' -x",
        'a " b c" -x',
        "git diff a =b",
        "git diff a  b",
        "git diff a ",
        "git diff =",
        "=",
        " ",
        "git -p x",
        "git - x",
        "git p x",
      ],
      ...[
        "git diff a;b",
        "git diff a&b",
        "git diff a|b",
        "git diff a\nb",
        "git diff $a",
        "git diff `a`",
        "git diff 'a$b'",
      ],
      ...[
        "git diff 'a`b'",
        "git diff 'a\\b'",
        "git diff 'a!b'",
        "git diff '!'",
        'git diff "\'"',
        "git diff '\"'",
        "git d'i'ff",
      ],
      ...[
        "git diff a\\b",
        "git diff (a)",
        "git diff {a}",
        "git diff a*",
        "git diff [a]",
        "git diff a?",
        "git diff ~",
        "git diff #a",
      ],
      ...[
        "git diff %a",
        "git diff ^a",
        "git diff 'a",
        "git diff é",
        "git diff 'é'",
        "git\tdiff",
        "git diff '\t'",
        "A=b git status",
      ],
      ...[
        "'A=b' git",
        '"A=b" git',
        "git diff A=b",
        "=git",
        "git diff 'a'b",
        "git diff a'b'",
        "git diff '' ''",
        "",
        "''",
        "' '",
        "git diff '~%^&*()[]{}<>?;|#='",
      ],
      ...[
        'git diff "~%^&*()[]{}<>?;|#="',
        'git diff "$"',
        'git diff "`"',
        'git diff "\\"',
        'git diff "!"',
        "git diff '\u007f'",
        "git diff ~a",
      ],
    ],
  },
  approved: {
    rule: { commands: ["git push"], approval: { commands: ["git *", "rm x"] } },
    values: ["git push", "git pull", "rm x", "rm y", "rm;"],
  },
  signed: { rule: { approval: { one_of: ["a"] } }, values: ["a", "b"] },
  every: { rule: { approval: "required" }, values: ["", "a", 7] },
  asked_if_there: { rule: { required: false, approval: "required" }, values: ["", null] },
  any_of: { rule: { type: "list", each: { type: "any" } }, values: [[], [0, false, {}], [1, null]] },
  optional_member: { rule: { required: false, pattern: "x" }, values: [null, "x", "y"] },
  // Two members refuse, and the first of them is told.
  both: {
    rule: { one_of: ["a", "bcd"], pattern: "b*", max_length: 2 },
    values: ["a", "bb", "c", "ccc", "bbb", "bcd"],
  },
  long_pattern: { rule: { pattern: "b*", max_length: 2 }, values: ["bb", "bbb", "ccc", "c"] },
  placed_url: {
    rule: { paths: { below: ["src"], resolve: "text" }, hosts: ["h.example"], approval: { hosts: ["i.example"] } },
    values: ["src", "docs", "https://h.example"],
  },
  url_command: {
    rule: { hosts: ["h.example"], commands: ["https://h.example"] },
    values: ["https://h.example", "https://h.example?", "ftp://h.example?", "ftp://h.example", "https://i.example?"],
  },
  mixed: {
    rule: { max_length: 2, pattern: "a*", approval: { max_length: 4, pattern: "[ab]*" } },
    values: ["a", "aa", "aaa", "b", "bbb", "aaaaa", "c", "aaab"],
  },
  amount: { rule: { type: "integer", max: 10, approval: { min: 5, max: 100 } }, values: [4, 5, 10, 11, 100, 101] },
  url: {
    rule: { hosts: ["h.example", "*.b.example", "p.example:8443", "10.0.0.7", "*.q.example:90", "*.xn.example"] },
    values: [
      ...[
        "https://h.example",
        "https://h.example/",
        "https://h.example:443/x",
        "https://h.example:0443",
        "https://h.example:80",
      ],
      ...[
        "http://h.example/",
        "http://h.example:80/",
        "http://h.example:443/",
        "https://b.example",
        "https://a.b.example",
        "https://c.a.b.example?x",
      ],
      ...[
        "https://ab.example",
        "https://xn--a.b.example",
        "https://a.xn--b.b.example",
        "https://axn--a.b.example",
        "https://p.example",
      ],
      ...[
        "https://p.example:8443",
        "https://p.example:443",
        "https://x.q.example",
        "https://x.q.example:90",
        "https://10.0.0.7#a",
        "https://10.0.0.8",
      ],
      ...[
        "https://u@h.example",
        "https://h.example@x.example",
        "https://h.example:x",
        "https://h.example:",
        "https://h.example:123456",
      ],
      ...[
        "https://h.example:00443",
        "https://h.example:99999",
        "https://h.example.",
        "https://.h.example",
        "https://H.example",
        "https://h_.b.example",
      ],
      ...[
        "https:/h.example",
        "https:h.example",
        "//h.example",
        "h.example",
        "ftp://h.example",
        "ftp://h.example:443",
        "HTTPS://h.example",
      ],
      ...[
        "https://h.example/\\",
        "https://h.example\\x",
        "https://h.example/é",
        "https://h.example/ x",
        "https://h.example/\u007f",
        "https://h.example/~",
      ],
      ...[
        "https://h.example/\n",
        "\nhttps://h.example",
        "https://h.example!",
        "https://",
        "https:///x",
        "1https://h.example",
        "https://a..b.example",
        "https://x.b.example:443",
      ],
    ],
  },
  schemed: {
    rule: { hosts: ["h.example", "k.example:80"], schemes: ["http", "git+ssh"] },
    values: [
      ...[
        "http://h.example",
        "http://h.example:80",
        "http://h.example:443",
        "https://h.example",
        "git+ssh://h.example",
        "git+ssh://h.example:80",
      ],
      ...["http://k.example", "git+ssh://k.example", "git+ssh://k.example:80", "http://k.example:81"],
    ],
  },
  asked: {
    rule: { hosts: ["h.example"], approval: { hosts: ["*.i.example"], schemes: ["http", "https"] } },
    values: ["https://h.example", "http://h.example", "https://a.i.example", "http://a.i.example", "ftp://a.i.example"],
  },
  reached: {
    rule: { hosts: ["h.example"], approval: { schemes: ["http"] } },
    values: ["https://h.example", "http://h.example", "ftp://h.example", "http://i.example"],
  },
  list_of: {
    rule: { type: "list", each: { type: "integer", max: 2, approval: { max: 4 } }, max_length: 3 },
    values: [[], [1], [1, 2], [3], [1, 5], [1, null], [1, "1"], [1, 1, 1, 1], [1, 1, 1, 9], 1, {}, { x: "1" }],
  },
  texts: {
    rule: { type: "list", each: { pattern: "a+", approval: "required" } },
    values: [[], ["a"], ["b"], ["a", "b"], [1]],
  },
};

const PATHS = [
  ...[
    "src",
    "src/a",
    "srcx",
    "src/keys",
    "src/keys/a",
    "src/KEYS",
    "src/keysx",
    "src/k\u0301eys",
    "src/\u212aeys",
    "src/ke\u200dys",
  ],
  ...[
    "docs/a.md",
    "docs/a.md/b",
    "docs/a.mdx",
    "docs",
    "docs/stra\u00dfe",
    "docs/STRASSE/x",
    "docs/strasse",
    "docs/straBe",
    "src/ss",
  ],
  ...[
    "",
    "/",
    "/src",
    "src/",
    "src//a",
    ".",
    "..",
    "src/.",
    "src/..",
    "src/../a",
    "src/a.",
    "src/a ",
    "src/ a",
    "src/.a",
    "src/...",
    "src/a:b",
  ],
  ...[
    "src\\a",
    "src/\u0000",
    "src/\u001f",
    "src/\u007f",
    "src/\u009f",
    "src/\u00a0",
    "src/~1",
    "src/a~9b",
    "src/~a",
    "src/\u0020",
    "\u4e2d",
  ],
];
const PATH_RULES: { readonly [name: string]: WrittenArgument } = {
  file: { paths: { below: ["src", "docs/a.md", "docs/straße"], except: ["src/Keys", "docs/strasse"] } },
  all: { paths: { below: ["."] } },
  text: { paths: { below: ["src"], resolve: "text" } },
  kept: { paths: { below: ["src"] }, approval: { paths: { below: ["docs"], except: ["docs/Ä"] } } },
  files: { type: "list", each: { paths: { below: ["src"], except: ["src/keys"] } } },
};

const tools: { [name: string]: WrittenTool & { approval?: string } } = {
  ...Object.fromEntries(Object.entries(KINDS).map(([name, { rule }]) => [name, { arguments: { a: rule } }])),
  ...Object.fromEntries(Object.entries(PATH_RULES).map(([name, rule]) => [name, { arguments: { a: rule } }])),
  open: { arguments: { b: { required: false } }, other_arguments: "allow" },
  closed: { other_arguments: "deny" },
  free: {},
  several: { arguments: { b: {}, "\u{10000}": {}, "\uffff": {}, Z: { type: "any" } } },
  signedTool: { approval: "required", arguments: { a: { approval: { one_of: ["x"] }, one_of: ["y"] } } },
};

export const argumentPolicy: PolicyData = policyOf(tools);

const approval = { ref: "AP-1", by: "m.ortiz" };
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
    call("signedTool", { a: "y" }),
    call("signedTool", { a: "x" }, { approval }),
    call("every", { a: "x" }, { approval: { ref: "AP-1", by: "CHIEF" } }),
  ];
}

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
