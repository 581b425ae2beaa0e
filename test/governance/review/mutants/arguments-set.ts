/** What calls may say: arguments of every type and member, and which of their values a person has to approve. */

import { by, type Documents, each, flip, gone, less, more, type Place, to } from "./edits.ts";
import { OWN, type World } from "./requests.ts";

const ON = { enabled: true, implementation_status: "implemented", approval: "none" };

const DOCUMENTS: Documents = {
  "roles.yaml": { roles: [{ role_id: "CLERK" }, { role_id: "CHIEF" }] },
  "lanes.yaml": {
    lanes: [
      {
        lane_id: "DESK",
        allowed_callers: { roles: ["CLERK", "CHIEF"] },
        allowed_actions: { tools: ["pay", "mail", "shell", "write", "get"] },
      },
    ],
  },
  "tool_registry.yaml": {
    tools: [
      {
        ...{ tool_name: "pay", ...ON },
        arguments: {
          cents: { type: "integer", min: 1, max: { default: 100, CHIEF: 500 } },
          to: { one_of: ["alpha", "beta"] },
          note: { required: false, max_length: 20 },
        },
      },
      {
        ...{ tool_name: "mail", ...ON },
        arguments: {
          to: { pattern: "[a-z]+@example[.]org", approval: { bound: true, pattern: "[a-z]+@other[.]org" } },
          names: { required: false, type: "list", max_length: 3, each: { one_of: ["x", "y"] } },
        },
      },
      {
        ...{ tool_name: "shell", ...ON },
        arguments: { command: { commands: ["git status", "git log *"], approval: { commands: ["git push *"] } } },
      },
      {
        ...{ tool_name: "write", ...ON },
        arguments: { file: { paths: { below: ["src", "docs"], except: ["src/secrets"] } } },
        other_arguments: "allow",
      },
      {
        ...{ tool_name: "get", ...ON },
        arguments: {
          url: { hosts: ["api.example.com", "*.example.org"], schemes: ["https"] },
          depth: { type: "integer", approval: "required", required: false },
        },
      },
    ],
  },
  "approvers.yaml": {
    approvers: [
      {
        name: "ann",
        key: { kty: "OKP", crv: "Ed25519", x: "eKUm-B4tPDFiEOn3Y8SRglijfXlgz05XGtD99Upcf6w" },
      },
    ],
  },
};

const args = (tool: string, path: string, edit: Place["edit"]): Place => ({
  kind: "argument",
  file: "tool_registry.yaml",
  path: `tools/${["pay", "mail", "shell", "write", "get"].indexOf(tool)}/${path}`,
  edit,
});

const PLACES: readonly Place[] = [
  args("pay", "arguments/cents/type", to("number")),
  args("pay", "arguments/cents/min", each(by(1, -1), gone)),
  args("pay", "arguments/cents/max", each(to(100, { CHIEF: 500 }), gone)),
  args("pay", "arguments/cents/max/*", by(1, -1)),
  args("pay", "arguments/cents/max/CLERK", to(4, 400)),
  args("pay", "arguments/cents/max/CHIEF", gone),
  args("pay", "arguments/*/required", each(flip, to(true, false), gone)),
  args("pay", "arguments/to/one_of", each(more("gamma"), less, gone)),
  args("pay", "arguments/to/approval", to({ one_of: ["gamma"] }, "required", "bound")),
  args("pay", "arguments/note/max_length", each(by(1, -1), gone)),
  args("pay", "arguments/note/pattern", to("[a-z]*")),
  args("pay", "arguments/note", gone),
  args("pay", "arguments/more", to({}, { required: false })),
  args("pay", "other_arguments", to("allow")),
  args("pay", "arguments", gone),
  args("mail", "arguments/to/pattern", each(to("[a-z]+@exampl.*[.]org", "[a-z]{2}@example[.]org"), gone)),
  args("mail", "arguments/to/approval", each(to("required", "bound"), gone)),
  args("mail", "arguments/to/approval/bound", each(flip, gone)),
  args("mail", "arguments/to/approval/pattern", to("[a-z]+@(other|third)[.]org", "b+@other[.]org")),
  args("mail", "arguments/names/max_length", each(by(1, -1), gone)),
  args("mail", "arguments/names/each/one_of", each(more("z"), less, gone)),
  args("mail", "arguments/names/each", each(gone, to({ type: "integer" }))),
  args("mail", "arguments/names", gone),
  args("shell", "arguments/command/commands", each(more("git diff *", "git *", "git log"), less)),
  args("shell", "arguments/command/approval", each(to("required", "bound"), gone)),
  args("shell", "arguments/command/approval/commands", each(more("git fetch *", "git log *"), to(["git push"]))),
  args("shell", "arguments/command/approval/bound", to(true)),
  args("write", "arguments/file/paths/below", each(more("etc"), less)),
  args("write", "arguments/file/paths/except", each(more("docs/private"), less, gone)),
  args("write", "arguments/file/paths/resolve", to("text")),
  args("write", "other_arguments", each(to("deny"), gone)),
  args("write", "arguments/file/required", to(false)),
  args("get", "arguments/url/hosts", each(more("other.example.com", "*.example.com", "api.example.com:8443"), less)),
  args("get", "arguments/url/schemes", each(more("http"), to(["http"]))),
  args("get", "arguments/depth/approval", each(to("bound"), gone)),
  args("get", "arguments/depth/type", to("number", "any")),
  args("get", "arguments/depth/max", to(5)),
  args("get", "arguments/depth/required", to(true)),
  args("get", "arguments/depth", gone),
  args("pay", "approval", to("required", "bound")),
  args("get", "approval", to("required", "bound")),
];

const NOW = Date.UTC(2026, 5, 1, 12);
const DIGEST = "0".repeat(64);
const BOUND = {
  ...{ ref: "A-1", by: "ann", type: "portcullis-approval/1", decision: "approve", call_sha256: DIGEST },
  ...{ policy_revision: OWN, expires_at: NOW + 3_600_000, nonce: "n-1", signature: "s" },
};
const FACTS = {
  ...{ now: NOW, session: "s-1", call_sha256: DIGEST },
  approval: { signature_valid: true, key_of: "ann", used: false, refused: false },
};
const file = (path: string) => ({ args: { file: path }, facts: { ...FACTS, paths: { file: path } } });

export const ARGUMENTS: World = {
  pairs: true,
  documents: DOCUMENTS,
  places: PLACES,
  roles: ["CLERK", "CHIEF"],
  lanes: ["DESK"],
  tools: ["pay", "mail", "shell", "write", "get"],
  call: { scope: {}, facts: FACTS },
  others: { approval: [{ ref: "A-1", by: "zoe" }, BOUND], args: [null, {}] },
  byTool: {
    pay: {
      call: { args: { cents: 50, to: "alpha" } },
      others: {
        "args.cents": [0, 1, 2, 3, 4, 5, 99, 100, 101, 400, 401, 499, 500, 501, 1.5, "a", null],
        "args.to": ["beta", "gamma", "delta", 1, null],
        "args.note": ["", "abc", "ABC", ...[18, 19, 20, 21, 22].map((n) => "a".repeat(n)), 7],
        "args.more": ["a"],
      },
    },
    mail: {
      call: { args: { to: "bo@example.org" } },
      others: {
        "args.to": ["b@example.org", "bo@examples.org", "bo@other.org", "b@other.org", "bo@third.org", "x", 1, null],
        "args.names": [[], ["x"], ["y"], ["z"], [1], ["x", "x"], Array(3).fill("x"), Array(4).fill("x"), "x", null],
      },
    },
    shell: {
      call: { args: { command: "git status" } },
      others: {
        "args.command": [
          ...["git log", "git log -a", "git log a", "git status -a", "git diff", "git diff a", "git push"],
          ...["git push a", "git fetch", "git fetch a", "rm a", "git status; rm a", "", 1],
        ],
      },
    },
    write: {
      call: file("src/a"),
      others: {
        "args.file": [
          ...["src/a", "docs/a", "docs/private/a", "src/secrets/a", "src/SECRETS/a", "etc/a", "src", "src/../etc/a"],
          ...[1, null],
        ],
        "facts.paths": [
          ...["src/a", "docs/a", "docs/private/a", "src/secrets/a", "etc/a"].map((path) => ({ file: path })),
          ...[null, {}],
        ],
        "args.other": ["a"],
      },
    },
    get: {
      call: { args: { url: "https://api.example.com/" } },
      others: {
        "args.url": [
          ...["https://a.example.org/", "https://example.org/", "https://other.example.com/"],
          ...[
            "https://api.example.com:8443/",
            "http://api.example.com/",
            "https://a.example.com/",
            "https://evil.org/",
          ],
        ],
        "args.depth": [0, 1, 5, 6, 1.5, "a", null],
      },
    },
  },
  types: [],
  chains: 0,
  personas: [],
  more: [],
};
