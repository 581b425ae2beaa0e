/** Findings on what a tool says of its arguments. */

import type { Files } from "../../sources/virtual-host.ts";
import { type Fixture, type Fixtures, HARNESS } from "./fixture.ts";

/** Tool `t`, with members of its argument `a` on line 6; and a second role, where it is named. */
function argument(members: string, role?: string): Files {
  const head = "tools:\n  - tool_name: t\n    enabled: true\n    implementation_status: implemented\n";
  const roles =
    role === undefined ? {} : { "roles.yaml": `${HARNESS["roles.yaml"]}  - { role_id: ${role}, description: d }\n` };
  return { ...HARNESS, ...roles, "tool_registry.yaml": `${head}    arguments:\n      a: { ${members} }\n` };
}

const at = (column: number): string => `tool_registry.yaml:6:${column}`;

/** All of them are fine. */
const SOUND = [
  "type: integer, min: 1, max: { default: 2, R: 3 }",
  "type: list, max_length: 3, each: { pattern: 'a+' }",
  "paths: { below: [., src/a], except: ['src/a b'] }, max_length: 9",
  "hosts: ['*.a.example:8443', 'xn--a.example', 10.0.0.7], schemes: [https, git+ssh]",
  "commands: ['git status', 'git commit -m \"a b\" *', './run'], approval: { commands: ['git push *'] }",
  "type: number, one_of: [1, 2.5], approval: required",
  "type: any, one_of: [a, 1, true, [], {}]",
];

/** Texts of arguments with characters that a reader cannot see; of `model/invalid-id`. */
export const UNSEEN: readonly Fixture[] = [
  {
    files: argument('one_of: [a, b], approval: { one_of: ["a\u200b"] }'),
    at: [at(49)],
    message: "`one_of` of argument `a` is text with an invisible character, U+200B",
  },
  { files: argument('type: list, each: { pattern: "a\u2060.*" }'), at: [at(41)] },
  { files: argument('one_of: [" a", "نمی\u200cخواهم"], pattern: "a "'), at: [] },
  {
    files: argument("required: false }\n      'b ': { required: false"),
    at: ["tool_registry.yaml:7:7"],
    message: "the name of an argument is `b `, with white space around it",
  },
];

export const ARGUMENTS: Fixtures = {
  "model/member-of-other-type": [
    ...SOUND.map((members) => ({ files: argument(members), at: [] })),
    {
      files: argument("type: integer, paths: { below: [src] }"),
      at: [at(27)],
      message: "argument `a` is of type `integer`, and `paths` is for string",
    },
    { files: argument("type: any, pattern: a"), at: [at(23)] },
    { files: argument("type: list, commands: [ls]"), at: [at(24)] },
    { files: argument("min: 1"), at: [at(12)] },
    { files: argument("each: {}"), at: [at(12)] },
    { files: argument("type: object, max_length: 1"), at: [at(26)] },
    { files: argument("type: list, each: { max: 1 }"), at: [at(32)] },
    { files: argument("approval: { min: 1 }"), at: [at(24)] },
  ],
  "model/schemes-without-hosts": [
    { files: argument("schemes: [https]"), at: [at(12)], message: "argument `a` has `schemes` and no `hosts`" },
    { files: argument("approval: { schemes: [http] }"), at: [at(12)] },
    { files: argument("hosts: [a.example], approval: { schemes: [http] }"), at: [] },
  ],
  "model/limits-at-odds": [
    {
      files: argument("type: integer, min: 2, max: 1"),
      at: [at(35)],
      message: "argument `a` has a `min` of 2 above its `max` of 1",
    },
    {
      files: argument("type: integer, min: 2, max: { default: 3, R: 1.5 }"),
      at: [at(35)],
      message: "argument `a` has a `min` of 2 above its `max` of 1.5 for role `R`",
    },
    { files: argument("type: integer, min: { R: 5 }, max: { default: 3 }"), at: [at(42)] },
    { files: argument("type: integer, min: 5, approval: { max: 4 }"), at: [at(47)] },
    { files: argument("type: integer, min: 2, max: 2"), at: [] },
  ],
  "model/undefined-role-of-limit": [
    {
      files: argument("type: integer, max: { default: 1, r: 2 }"),
      at: [at(46)],
      message: "`max` of argument `a` has a row for role `r`, which is not defined",
      help: "did you mean `R`?",
    },
    { files: argument("type: list, each: { type: integer, min: { Q: 2 } }"), at: [at(54)] },
    { files: argument("type: integer, approval: { max: { Q: 2 } }"), at: [at(46)] },
  ],
  "model/role-named-default": [
    {
      files: argument("type: integer, max: { default: 1, R: 2 }", "default"),
      at: [at(34)],
      message: "`default` in `max` of argument `a` is for roles without a row, and a role has this id",
      help: "give the role another id",
    },
    { files: argument("type: list, each: { type: integer, min: { default: 2 } }", "default"), at: [at(54)] },
    { files: argument("type: integer, approval: { max: { default: 2 } }", "default"), at: [at(46)] },
    { files: argument("type: integer, min: 1, max: { R: 2 }", "default"), at: [] },
    { files: argument("type: integer, max: { default: 1, R: 2 }", "Default"), at: [] },
  ],
  "model/approval-without-role": [
    {
      files: argument("type: integer, max: 9, min: 0, approval: { min: { Q: 5 } }", "Q"),
      at: ["tool_registry.yaml:6:7"],
      message: "role `R` needs no person for argument `a`: `min` of its `approval` has no row for it",
      help: "add `default` to the table, for roles without a row",
    },
    {
      files: argument("type: list, each: { type: integer, max: 9, approval: { max: { Q: 12 } } }", "Q"),
      at: ["tool_registry.yaml:6:7"],
    },
    { files: argument("type: integer, min: 0, approval: { min: { Q: 5, default: 3 } }", "Q"), at: [] },
    { files: argument("type: integer, min: 0, approval: { min: { R: 5 } }", "Q"), at: [] },
    // Without a row of `min` the role is denied anyway.
    { files: argument("type: integer, min: { Q: 0 }, approval: { min: { Q: 5 } }", "Q"), at: [] },
    { files: argument("type: integer, approval: { min: { Q: 5 } }", "Q"), at: [] },
  ],
  "model/approval-by-exact-path": [
    {
      files: argument("paths: { below: [.] }, approval: { paths: { below: [infra, src/keys] } }"),
      at: ["tool_registry.yaml:6:7"],
      message: "in another case, `infra`, `src/keys` of argument `a` need no person",
      help: "name them in `paths` of the argument, too: `except: [infra, src/keys]`",
    },
    {
      files: argument("paths: { below: [src], except: [src/a] }, approval: { paths: { below: [src/b] } }"),
      at: ["tool_registry.yaml:6:7"],
    },
    {
      files: argument("type: list, each: { paths: { below: [src] }, approval: { paths: { below: [src] } } }"),
      at: ["tool_registry.yaml:6:7"],
    },
    {
      files: argument("paths: { below: [.], except: [infra] }, approval: { paths: { below: [infra, infra/a] } }"),
      at: [],
    },
    { files: argument("paths: { below: [src] }, approval: { paths: { below: [infra, srcs] } }"), at: [] },
    { files: argument("paths: { below: [src] }, approval: { paths: { below: [.] } }"), at: [] },
    { files: argument("approval: { paths: { below: [infra] } }"), at: [] },
    { files: argument("paths: { below: [.] }, approval: required"), at: [] },
  ],
  "model/malformed-pattern": [
    { files: argument("pattern: 'a)(b'"), at: [at(21)] },
    { files: argument("pattern: '(?=a)'"), at: [at(21)] },
    { files: argument("pattern: '\\Qa)'"), at: [] },
  ],
  "model/malformed-command-pattern": [
    {
      files: argument("commands: ['* status']"),
      at: [at(23)],
      message: "command `* status` of argument `a` begins with no word that stands for itself",
    },
    { files: argument("commands: ['', '*', '-* x']"), at: [at(23), at(27), at(32)] },
    { files: argument("commands: ['git  x', ' git', 'git ']"), at: [at(23), at(33), at(41)] },
    {
      files: argument("commands: ['git ** x']"),
      at: [at(23)],
      message: "command `git ** x` of argument `a` has `**` before its end",
    },
    {
      files: argument("commands: ['git x*']"),
      at: [at(23)],
      message: "command `git x*` of argument `a` has `x*`, which shells would not read as one word",
    },
    { files: argument("commands: ['A=1 git', 'git $x', 'git \"a$\"']"), at: [at(23), at(34), at(44)] },
  ],
  "model/malformed-policy-path": [
    { files: argument("paths: { below: [/src, src/, a//b, ../x, a.] }"), at: [at(29), at(35), at(41), at(47), at(53)] },
    { files: argument("paths: { below: ['a:b', 'a\\b', 'A~1'], except: [.] }"), at: [at(29), at(36), at(43), at(60)] },
  ],
  "model/pattern-as-path": [
    {
      files: argument("paths: { below: [src], except: ['src/*.env', 'src/{a,b}', src/c?] }"),
      at: [at(44), at(57), at(70)],
      message: "`src/*.env` of argument `a` is taken as the name of a file, not as a pattern",
    },
    { files: argument("paths: { below: [src, '**/x'], except: ['~/keys'] }"), at: [at(34), at(52)] },
    { files: argument("paths: { below: [.], except: ['src/[id]', 'a~', 'src/{id}', '~a/$b'] }"), at: [] },
  ],
  "model/except-outside-below": [
    {
      files: argument("paths: { below: [src, docs], except: [secrets, src/a, srcs/b] }"),
      at: ["tool_registry.yaml:6:7"],
      message:
        "`secrets`, `srcs/b` of argument `a` are in no place of `below`, so that `except` takes nothing away there",
      help: "both name places from the project's root: `src/secrets`, not `secrets`",
    },
    {
      files: argument("type: list, each: { approval: { paths: { below: [src], except: [keys] } } }"),
      at: ["tool_registry.yaml:6:7"],
    },
    // In any case, and around a whole place of `below`.
    { files: argument("paths: { below: [src, docs/a], except: [SRC/b, docs] }"), at: [] },
    { files: argument("paths: { below: [.], except: [keys] }"), at: [] },
  ],
  "model/approval-resolves-otherwise": [
    {
      files: argument("paths: { below: [src], resolve: text }, approval: { paths: { below: [src/a] } }"),
      at: [at(64)],
      message: "`approval.paths` of argument `a` is resolved otherwise than `paths`",
    },
    {
      files: argument(
        "type: list, each: { paths: { below: [src] }, approval: { paths: { below: [src/a], resolve: text } } }",
      ),
      at: [at(69)],
    },
    {
      files: argument(
        "paths: { below: [src], except: [src/a], resolve: text }, approval: { paths: { below: [src/a], resolve: text } }",
      ),
      at: [],
    },
    { files: argument("approval: { paths: { below: [src/a], resolve: text } }"), at: [] },
  ],
  "model/malformed-host-entry": [
    {
      files: argument("hosts: ['*.example']"),
      at: [at(20)],
      message: "host `*.example` of argument `a` has `*.` before a single label, which stands for whole domains",
    },
    {
      files: argument("hosts: [A.example, 'a.*', 'https://a.example', 'a.example:', 'a.example:01']"),
      at: [at(20), at(31), at(38), at(59), at(73)],
    },
    { files: argument("hosts: ['*.0.7', '*.a.0x7', '*.xn--a.example']"), at: [at(20), at(29), at(40)] },
  ],
  "model/malformed-scheme": { files: argument("hosts: [a.example], schemes: [HTTPS, 'https:']"), at: [at(42), at(49)] },
  "model/unknown-approval": [
    {
      files: argument("approval: Bound"),
      at: [at(22)],
      message: "`approval` of argument `a` is `Bound`: it can be `required`, `bound`, or members that match values",
    },
    { files: argument("approval: bound"), at: [] },
    { files: argument("approval: none"), at: [at(22)] },
  ],
  "model/approval-without-members": [
    { files: argument("approval: {}"), at: [at(12)] },
    { files: argument("approval: { bound: true }"), at: [at(12)] },
  ],
  "model/value-of-other-type": [
    {
      files: argument("one_of: [a, 1, true, null, []]"),
      at: [at(24), at(27), at(33), at(39)],
      message: "`one_of` of argument `a` has a number, and the argument is of type `string`",
    },
    { files: argument("type: integer, one_of: [1, 1.5, 2.0]"), at: [at(39)] },
  ],
  "model/wide-command": [
    {
      files: argument("commands: ['git show **']"),
      at: [at(23)],
      help: "a command means what the folder that it runs in makes of it; name the options and words that are meant",
    },
    {
      files: argument("commands: ['git log -*', 'sh *', '/bin/sh x *', 'npm run *', '. *']"),
      at: [at(23), at(37), at(45), at(60), at(73)],
    },
    {
      files: argument("commands: ['npm *', 'npm * x', 'npm x * y', 'docker **']"),
      at: [at(23), at(32), at(43), at(56)],
    },
    { files: argument("commands: ['git log *', 'npm run test', 'sh run', 'npm test', 'npm', 'npm test *']"), at: [] },
  ],
};
