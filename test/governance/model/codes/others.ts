/** Findings in execution, decision tests and data. */

import { type Fixtures, HARNESS, matrix } from "./fixture.ts";

const APPROVERS = "subagents: { approvers: human }\n";

export const OTHERS: Fixtures = {
  "model/exec-without-modes": { files: { "exec.yaml": "staging_root: /q\n" }, at: ["exec.yaml:1:1"] },
  "model/exec-without-staging-root": { files: { "exec.yaml": "modes: [a]\n" }, at: ["exec.yaml:1:1"] },
  "model/undefined-inline-mode": [
    {
      files: { "exec.yaml": "modes: [normal]\ninline_modes: [norml]\nstaging_root: /q\n" },
      at: ["exec.yaml:2:16"],
      help: "did you mean `normal`?",
    },
    { files: { "exec.yaml": "modes: [normal]\nstaging_root: /q\n" }, at: [] },
  ],

  "model/inline-in-other-mode": [
    {
      files: { "exec.yaml": "modes: [dev, mode-init]\ninline_modes: [mode-init, dev]\nstaging_root: /q\n" },
      at: ["exec.yaml:2:27"],
      message: "inline code may run in mode `dev`, which is neither `mode-init` nor `break-glass`",
    },
    { files: { "exec.yaml": "modes: [mode-init, break-glass]\nstaging_root: /q\n" }, at: [] },
  ],
  "model/invalid-interpreter": [
    {
      files: { "exec.yaml": "modes: [a]\nstaging_root: /q\ninterpreters: { .py: [python3] }\n" },
      at: ["exec.yaml:3:17"],
      message: "the interpreter of `.py` scripts names the program `python3`, which is not absolute",
    },
    {
      files: { "exec.yaml": "modes: [a]\nstaging_root: /q\ninterpreters: { .sh: [/bin/sh], .py: [] }\n" },
      at: ["exec.yaml:3:17", "exec.yaml:3:33"],
    },
    {
      files: { "exec.yaml": "modes: [a]\nstaging_root: /q\ninterpreters: { .py: ['/usr/bin/python3 -I'] }\n" },
      at: ["exec.yaml:3:17"],
      message:
        "the interpreter of `.py` scripts names the program `/usr/bin/python3 -I`; write its arguments as items of their own",
    },
    {
      files: { "exec.yaml": "modes: [a]\nstaging_root: /q\ninterpreters: { .py: ['/opt/My Python/py-3', '-I -B'] }\n" },
      at: [],
    },
  ],
  "model/invalid-variable": {
    files: { "exec.yaml": "modes: [a]\nstaging_root: /q\nenvironment: [TZ, PORTCULLIS_SESSION_SECRET, A=B]\n" },
    at: ["exec.yaml:3:19", "exec.yaml:3:46"],
  },

  "lower/name-apart": [
    {
      files: { "portcullis.yaml": APPROVERS, "roles.yaml": "roles: [{ role_id: \u1100\u1161 }, { role_id: OſLO }]\n" },
      at: ["roles.yaml:1:20", "roles.yaml:1:37"],
      message: "the agent's name `\u1100\u1161` holds U+1100, with which no name can be compared",
      help: "write `가`, which is composed",
    },
    {
      files: { "portcullis.yaml": APPROVERS, "handoff.yaml": "agents: { master: [ㄱ], sub: [가] }\n" },
      at: ["handoff.yaml:1:20"],
    },
    { files: { "roles.yaml": "roles: [{ role_id: \u1100\u1161 }]\n" }, at: [] },
  ],
  "model/test-without-decision": {
    files: { "tests/a.yaml": "cases:\n  - { name: n, input: {}, expect: { allowed: true } }\n" },
    at: ["tests/a.yaml:2:13"],
  },
  "model/test-name-repeated": {
    files: {
      "tests/a.yaml":
        "decision: lane\ncases:\n  - { name: n, input: {}, expect: { allowed: true } }\n  - { name: n, input: {}, expect: { allowed: true } }\n",
    },
    at: ["tests/a.yaml:4:13"],
  },
  "model/test-of-nothing": [
    {
      files: {
        "tests/a.yaml": "decision: lane\ncases: [{ name: n, input: {}, expect: {} }]\n",
      },
      at: ["tests/a.yaml:2:39"],
      message: "`n` expects nothing of the decision: it cannot fail",
    },
    { files: { "tests/a.yaml": "" }, at: ["tests/a.yaml:1:1"], message: "the file holds no test: nothing is asked" },
    { files: { "tests/a.yaml": "# later\ndecision: lane\ncases:\n" }, at: ["tests/a.yaml:2:1"] },
    { files: { "tests/a.yaml": "decision: lane\ncases: []\nmatrices: []\n" }, at: ["tests/a.yaml:1:1"] },
    { files: { "tests/a.yaml": "decision: lane\ncase: []\n" }, at: [] },
    {
      files: { "tests/a.yaml": "decision: lane\ncases: []\nmatrices: [{ name: n, axes: { role: [R] }, allow: [] }]\n" },
      at: [],
    },
    {
      files: {
        "tests/a.yaml": "decision: lane\nmatrices: [{ name: n, axes: { role: [R] }, allow: [], expect: {} }]\n",
      },
      at: [],
    },
  ],
  "model/invalid-test-axis": [
    {
      files: matrix("role: R", "role: R"),
      at: ["tests/a.yaml:4:19"],
      message: "axis `role` must be a list, or `{ every: … }`",
    },
    { files: matrix("role: { every: rolls }", "role: R"), at: ["tests/a.yaml:4:28"] },
    { files: matrix("role: { every: roles, more: [] }", "role: R"), at: ["tests/a.yaml:4:35"] },
    { files: matrix("role: { every: roles, also: X }", "role: R"), at: ["tests/a.yaml:4:41"] },
    { files: matrix("role: []", "{}"), at: ["tests/a.yaml:4:13", "tests/a.yaml:5:14"] },
    {
      files: matrix("role: [A, B]", "role: [A, C]"),
      at: ["tests/a.yaml:5:26"],
      message: 'axis `role` has no value "C"',
    },
    {
      files: matrix("role: [A, B]", "role: A, lane: L"),
      at: ["tests/a.yaml:5:25"],
      message: "axis `lane` is not an axis of the matrix",
    },
    {
      files: matrix("role: [A, B], lane: [L]", "role: A"),
      at: ["tests/a.yaml:5:14"],
      message: "axis `lane` is missing in the `allow` entry",
    },
    {
      files: matrix("role: [A, B], lane: [L]", "role: [], lane: L"),
      at: ["tests/a.yaml:5:22"],
      message: "axis `role` has no values in the `allow` entry",
    },
    {
      files: matrix("scope.a: [1], role: [A], scope: [{}]", "scope.a: 1, role: A, scope: {}"),
      at: ["tests/a.yaml:4:38"],
      message: "axis `scope` is about the same member as `scope.a`",
    },
    {
      files: matrix("scope: [{}], scope.a.b: [1], scopes: [1]", "scope.a.b: 1, scope: {}, scopes: 1"),
      at: ["tests/a.yaml:4:26"],
    },
    {
      files: matrix("n: [9007199254740992, 9007199254740993]", "n: 9007199254740994"),
      at: ["tests/a.yaml:5:19"],
      message: "axis `n` has no value 9007199254740994",
    },
  ],
  "model/test-matrix-too-large": {
    files: {
      "tests/a.yaml": `decision: lane\nmatrices:\n  - name: n\n    axes: { ${["a", "b", "c"].map((a) => `${a}: [${Array.from({ length: 60 }, (_, i) => i).join(", ")}]`).join(", ")} }\n    allow: []\n`,
    },
    at: ["tests/a.yaml:3:11"],
    message: "`n` has 216000 combinations, more than 200000",
  },

  "lower/word-for-boolean": [
    {
      files: { "data.yaml": "a: off\n" },
      at: ["data.yaml:1:4"],
      message: "`off` is a text here, and a text is never false",
    },
    { files: { "b/data.yaml": "a: [1, Yes, 'no']\n" }, at: ["b/data.yaml:1:8"] },
  ],
  "lower/host-data-in-bundle": [
    {
      files: { "portcullis.yaml": "rego: { host_data: [desk.shifts, other] }\n", "desk/data.yaml": "latest: 22\n" },
      at: ["portcullis.yaml:1:21"],
      message: "the host cannot supply `data.desk.shifts`: `data.desk` is the bundle's own",
    },
    {
      files: { "portcullis.yaml": "rego: { host_data: [data.desk] }\n", "data.json": '{"desk": 1}' },
      at: ["portcullis.yaml:1:21"],
    },
    { files: { ...HARNESS, "portcullis.yaml": "rego: { host_data: [portcullis.x] }\n" }, at: ["portcullis.yaml:1:21"] },
    { files: { "portcullis.yaml": "rego: { host_data: [desks] }\n", "desk/data.yaml": "latest: 22\n" }, at: [] },
  ],
  "lower/data-conflict": [
    {
      files: { "data.json": '{"a": {"b": 1, "c": 2}}', "data.yaml": "a:\n  b: 1\n  d: 3\n" },
      at: ["data.yaml:2:3"],
      message: "`data.a.b` is given twice",
    },
    { files: { "data.json": '{"a": {"b": 1}}', "a/data.yaml": "b: { c: 1 }\n" }, at: ["data.json:1:8"] },
    { files: { "a/data.json": '{"b": [1]}', "a/b/data.json": '{"c": 1}' }, at: ["a/data.json:1:2"] },
    { files: { "data.json": '{"a": 1}', "a/data.json": "{}" }, at: ["data.json:1:2"] },
  ],
  "lower/data-reserved": [
    { files: { ...HARNESS, "data.yaml": "portcullis: { policy: {} }\n" }, at: ["data.yaml:1:1"] },
    { files: { ...HARNESS, "portcullis/policy/data.json": "{}" }, at: ["portcullis/policy/data.json:1:1"] },
    { files: { "a.rego": "package a", "data.yaml": "portcullis: { policy: {} }\n" }, at: [] },
  ],
  "lower/data-not-object": [
    {
      files: { "data.json": "[1]" },
      at: ["data.json:1:1"],
      message: "a data file at the root must hold an object, found a list",
    },
    { files: { "data.yaml": "text\n" }, at: ["data.yaml:1:1"] },
    { files: { "a.rego": "package a", "x/y/data.json": "[1]", "x/z/data.yaml": "text\n" }, at: [] },
    { files: { "data.yaml": "# nothing\n" }, at: [] },
  ],
};
