/** Findings of the model stage: parts of a policy set that have no meaning, or do not fit together. */

import { type CauseRule, defineCodes, diagnosticsOf } from "@portcullis/rego/diagnostics";
import { adapterCodes } from "./adapter-codes.ts";
import { agentCodes } from "./agent-codes.ts";
import { approverCodes } from "./approver-codes.ts";
import { argumentCodes } from "./argument-codes.ts";
import { handoffCodes } from "./handoff-codes.ts";
import { limitCodes } from "./limit-codes.ts";

/** An id that is written wrong where it is defined is unknown wherever it is used. */
const MISWRITTEN_ID: readonly CauseRule[] = [
  { code: "model/confusable-id", by: "names" },
  { code: "model/invalid-id", by: "names" },
];
/** A role that nothing admits, or that claims what does not admit it: it may be the one that was meant. */
const UNUSED: readonly CauseRule[] = [
  { code: "model/undefined-role", by: "names" },
  ...MISWRITTEN_ID,
  { code: "model/empty-part", by: "entry", entry: "lane" },
];

export const modelCodes = defineCodes({
  ...handoffCodes,

  // Sources that cannot become a model.
  "model/duplicate-id": {
    severity: "error",
    message: "{kind} `{id}` is defined twice",
    explain:
      "Two entries (in one file or in two) have the same id, so the meaning of the id would depend on the order of reading. Remove one, or give it an id of its own.",
  },
  "model/duplicate-agent": {
    severity: "error",
    message: "two instruction files define the agent `{name}`",
    explain:
      "Agent names are compared with `-` as `_`, so `AGENT_A-B.md` and `AGENT_A_B.md` are the same agent, as are files of one name in two folders. Keep one.",
  },
  "model/duplicate-file": {
    severity: "error",
    message: "a second `{file}`",
    explain:
      "A policy set has at most one file of this kind: two would contradict each other without saying which one holds. Merge them.",
  },
  "model/conflicting-version": {
    severity: "error",
    message: "`version` is `{version}` here and `{other}` in another {file}",
    explain:
      "Harness records cite one version of the roles and one of the lanes. Files of the same kind must agree on it, or leave it out.",
  },
  "model/invalid-id": {
    severity: "error",
    message: "{what} is {problem}",
    explain:
      "Ids are compared exactly. One that is empty, has white space around it, or holds control or invisible characters looks like another id to people, and is refused. So is one with U+FFFD, which stands for any text that could not be read.",
  },
  "model/confusable-id": {
    severity: "error",
    message: "`{id}` holds a {character}, which looks like `{ascii}`",
    explain:
      "The id mixes letters of ASCII with one of another alphabet that looks the same. A reader cannot see which of two ids is meant, and a grant to one is not a grant to the other. Type the plain letter; an id all in another alphabet is fine.",
  },
  "model/invalid-agent-file-name": {
    severity: "error",
    message: "`{name}` is not an agent name",
    explain:
      "The <NAME> of AGENT_<NAME>.md begins with a letter or digit and goes on with letters, digits, `_` and `-`. Other names could not be told from paths.",
  },
  "model/invalid-subagent-name": {
    severity: "error",
    message: "`{name}` is not an agent name",
    explain:
      "An entry of `subagents` begins with a letter or digit and goes on with letters, digits, `_` and `-`. Paths, `..` and blanks never name an agent.",
  },
  "model/invalid-subagents": {
    severity: "error",
    message: "`subagents` must be a list of strings or one comma-separated string, found {found}",
    explain:
      'The front matter\'s `subagents` says whom a persona may delegate to. It is a list of strings or one comma-separated string; absent, null, `[]` and `""` mean no agent. Anything else is ambiguous.',
  },
  "model/invalid-front-matter": {
    severity: "error",
    message: "front matter must be a mapping, found {found}",
    explain:
      "The YAML between the `---` lines is a mapping of keys to values, such as `subagents: [WRITER]`. Text or a list there is not front matter.",
  },
  "model/agent-type-contradiction": {
    severity: "error",
    message: "the header says TYPE {line}, the table says TYPE {row}",
    explain:
      "The header line and the Agent Type table declare two types. Which of them holds decides whether the agent may delegate or be delegated to, so the file is refused. Make them agree.",
  },
  "model/repeated-entry": {
    severity: "warning",
    message: "`{name}` is listed twice",
    explain: "A list names the same thing twice. The second entry has no effect; often another name was meant.",
  },
  "model/invalid-mode": {
    severity: "error",
    message: "mode `{mode}` holds a `|`",
    explain:
      "Signed payloads separate their fields with `|`, so a packet for such a mode would always be malformed. Choose a name without it.",
  },
  "model/invalid-staging-root": {
    severity: "error",
    message: "staging root `{path}` {problem}",
    explain:
      "Scripts run only from below the staging root, compared by path segments with canonical paths. It is an absolute path (`/srv/queue`, `C:/queue`) without `.`, `..` or empty segments, and not the root of a file system; `~` and variables are not expanded, as decisions know no environment.",
  },
  "model/invalid-script-extension": {
    severity: "error",
    message: "`{extension}` is not a file extension",
    explain: "An extension begins with a dot, then letters and digits: `.py`, `.tar.gz`.",
  },
  "model/invalid-interpreter": {
    severity: "error",
    message: "the interpreter of `{extension}` scripts {problem}",
    explain:
      "`portcullis exec run` starts a script by the command that `interpreters` gives for its extension: the absolute path of a program, and arguments that come before the script's path, as `.py: [/usr/bin/python3, -I]`. A program by its name alone would be whatever the PATH of the caller leads to.",
  },
  "model/invalid-variable": {
    severity: "error",
    message: "`{name}` is no variable of the environment that a script may have",
    explain:
      "`environment` lists names of variables that `portcullis exec run` passes on to scripts, beside PATH and LANG. Those of Portcullis itself are never passed on: one of them is the session's secret, which signs in the name of people.",
  },
  "model/absent-part": {
    severity: "warning",
    message: "there is no {file}: {consequence}",
    causedBy: [{ code: "sources/misnamed-file", by: "any" }],
    explain:
      "A part of the policy that is absent leaves its decisions in place, and they deny. That is safe, but often not meant: perhaps another folder should have been given too.",
  },
  "model/empty-part": {
    severity: "warning",
    message: "there is no {entry} in {file}: {consequence}",
    explain:
      "The file is there, and its list is empty or `null`. That denies as if there were no file; often all of a list was commented out.",
  },
  "model/nothing-behind-key": {
    severity: "warning",
    message: "`{key}` has nothing behind it, and keeps nothing out",
    explain:
      "What stands behind this key restricts: it demands or forbids something. Nothing is there, or `null`: often all of it was commented out, or is indented as if it stood beside the key. Write `[]` or `{}` where nothing is meant, or leave the key out.",
  },

  // Roles, lanes and tools.
  "model/undefined-role": {
    severity: "error",
    message: "lane `{lane}` admits role `{role}`, which is not defined",
    causedBy: [...MISWRITTEN_ID],
    explain:
      "`allowed_callers.roles` names a role that no roles file defines. Either it is misspelt, or the role has yet to be added to roles.yaml.",
  },
  "model/undefined-tool": {
    severity: "warning",
    message: "lane `{lane}` lists tool `{tool}`, which the registry does not define",
    causedBy: [...MISWRITTEN_ID, { code: "model/empty-part", by: "entry", entry: "tool" }],
    explain:
      "The tool is denied as `tool_not_registered`. Either it is misspelt, or it has yet to be added to tool_registry.yaml.",
  },
  "model/undefined-allowed-lane": {
    severity: "warning",
    message: "tool `{tool}` allows lane `{lane}`, which is not defined",
    causedBy: [...MISWRITTEN_ID, { code: "model/empty-part", by: "entry", entry: "lane" }],
    explain:
      "`allowed_lanes` of a tool names a lane that no lanes file defines. It has no effect: a lane's own list decides which tools it may call.",
  },
  "model/lane-excluded-by-tool": {
    severity: "warning",
    message: "lane `{lane}` lists tool `{tool}`, whose `allowed_lanes` exclude the lane",
    causedBy: [{ code: "model/undefined-allowed-lane", by: "names" }],
    explain:
      "The two lists contradict each other. The tool decision follows the lane's list; the call decision denies the tool there as `lane_not_allowed_for_tool`. Correct one of the two.",
  },
  "model/undefined-claimed-lane": {
    severity: "warning",
    message: "role `{role}` claims lane `{lane}`, which is not defined",
    causedBy: [...MISWRITTEN_ID, { code: "model/empty-part", by: "entry", entry: "lane" }],
    explain:
      "`privileges.lanes` of a role names a lane that no lanes file defines. It has no effect: a lane's `allowed_callers.roles` decides.",
  },
  "model/claim-not-admitted": {
    severity: "warning",
    message: "role `{role}` claims lane `{lane}`, which does not admit it",
    causedBy: [...UNUSED, { code: "model/lane-without-roles", by: "names" }],
    explain:
      "`privileges.lanes` of the role lists the lane, but the lane's `allowed_callers.roles` does not list the role. The lane decides: the role is denied.",
  },
  "model/admitted-without-claim": {
    severity: "warning",
    message: "lane `{lane}` admits role `{role}`, whose privileges do not list the lane",
    causedBy: [...UNUSED],
    explain:
      "The lane's `allowed_callers.roles` lists the role, but the role's `privileges.lanes` does not list the lane. The lane decides: the role is admitted.",
  },
  "model/role-without-lane": {
    severity: "warning",
    message: "no lane admits role `{role}`",
    causedBy: [...UNUSED],
    explain:
      "The role is defined, but whatever it asks for is denied. Remove it, or list it in the `allowed_callers.roles` of a lane.",
  },
  "model/lane-without-roles": {
    severity: "warning",
    message: "lane `{lane}` admits no role",
    explain: "The list `allowed_callers.roles` is empty, so no role can use the lane.",
  },
  "model/lane-without-actions": {
    severity: "warning",
    message: "lane `{lane}` has no tools and no writes",
    explain:
      "Being authorized for the lane allows nothing. Give it `allowed_actions.tools` or `allowed_actions.writes`, or remove it.",
  },
  "model/tool-without-lane": {
    severity: "warning",
    message: "no lane lists tool `{tool}`",
    causedBy: [
      { code: "model/undefined-tool", by: "names" },
      ...MISWRITTEN_ID,
      { code: "model/empty-part", by: "entry", entry: "lane" },
    ],
    explain: "The tool is registered, but no lane's `allowed_actions.tools` has it, so every call of it is denied.",
  },
  "model/tool-without-enabled": {
    severity: "warning",
    message: "tool `{tool}` does not say `enabled`",
    explain:
      "Without `enabled: true` a tool is denied. Write `enabled: false` if that is meant, so that readers need not know the default.",
  },
  "model/tool-without-status": {
    severity: "warning",
    message: "tool `{tool}` does not say `implementation_status`",
    explain:
      "Anything but `implementation_status: implemented`, its absence included, is denied as `tool_not_implemented`.",
  },
  "model/misspelt-status": {
    severity: "warning",
    message: "tool `{tool}` says `{status}`, which is not `implemented`",
    explain:
      "Anything but `implementation_status: implemented` is denied as `tool_not_implemented`. This value is one slip away from it, so it was probably meant.",
  },
  "model/unknown-status": {
    severity: "warning",
    message: "tool `{tool}` has the unknown status `{status}`",
    explain:
      "Anything but `implementation_status: implemented` is denied as `tool_not_implemented`. A tool that is ready says `implemented`; one that is not says `not_implemented`, `unimplemented`, `partial` or `planned`, which deny all the same and tell readers so.",
  },
  "model/misspelt-write-mode": {
    severity: "warning",
    message: "lane `{lane}` allows writes of `{table}` by `{mode}`, which is not `{known}`",
    explain:
      "A call names its mode exactly as the lane does. This one is one slip away from a mode that is in common use, so that was probably meant, and calls that name it are denied.",
  },
  "model/misspelt-class": {
    severity: "warning",
    message: "role `{role}` is of class `{class}`, which is not `{known}`",
    explain:
      "No decision reads the class of a role, but readers and reports do. This one is one slip away from a class that is in common use, so that was probably meant.",
  },
  "model/write-target-of-no-lane": {
    severity: "warning",
    message: "tool `{tool}` has write target `{table}`, which no lane may write",
    causedBy: [{ code: "model/empty-part", by: "entry", entry: "lane" }],
    explain:
      "A call that writes has to be allowed by the tool's `write_targets` and by the lane's `allowed_actions.writes`. Add the table to a lane that lists the tool, or remove it from the tool.",
  },
  "model/lane-write-of-no-tool": {
    severity: "warning",
    message: "lane `{lane}` may write `{table}`, and none of its tools has that as a target",
    explain:
      "A call that writes has to be allowed by the lane's `allowed_actions.writes` and by the tool's `write_targets`, and every tool of this lane names other tables: no call can write this one. Add the table to a tool, or remove it from the lane.",
  },
  "model/prohibited-scope-key": {
    severity: "warning",
    message: "in lane `{lane}`, tool `{tool}` needs scope key `{name}`, which is a prohibited flag",
    explain:
      "A scope that has the key raises the flag, so every call of the tool in this lane is denied as `flag_prohibited`. Lane and tool add up: look at `scope` of the lane, and at `required_scope_keys` and `prohibited_flags` of the tool.",
  },

  ...argumentCodes,
  ...limitCodes,
  ...approverCodes,
  ...agentCodes,

  // Execution.
  "model/exec-without-modes": {
    severity: "warning",
    message: "`exec.yaml` names no modes",
    explain: "Every execution is denied as `unknown_mode`. List the agent modes in `modes`.",
  },
  "model/exec-without-staging-root": {
    severity: "warning",
    message: "`exec.yaml` names no staging root",
    explain: "Every script is denied as `script_outside_staging`. Say where scripts are staged in `staging_root`.",
  },
  "model/inline-in-other-mode": {
    severity: "warning",
    message: "inline code may run in mode `{mode}`, which is neither `mode-init` nor `break-glass`",
    explain:
      "Inline code has no file that a person could sign: nothing is checked of it but the mode. The contract of execution allows it in `mode-init` and `break-glass` alone; in every other mode code is a staged script. Remove the mode from `inline_modes`.",
  },
  "model/undefined-inline-mode": {
    severity: "warning",
    message: "inline mode `{mode}` is not one of `modes`",
    explain:
      "Execution in a mode that `modes` does not list is denied as `unknown_mode`, inline or not. Add the mode, or remove it from `inline_modes`.",
  },

  ...adapterCodes,

  // What servers offer beside tools.
  "model/unknown-offers": {
    severity: "error",
    message: "`mcp.{key}` is `{text}`, which is neither `pass` nor a list",
    explain:
      '`mcp.resources` and `mcp.prompts` in portcullis.yaml list by lane what may be read: `[{ lane: DRAFTING, names: ["memo://style"] }]`. The word `pass` opens everything in every lane.',
  },
  "model/undefined-offer-lane": {
    severity: "warning",
    message: "`mcp` lists what lane `{lane}` may read, which is not defined",
    explain:
      "What stands there is read by no lane: the request is denied as `lane_not_authorized`. Either the id is misspelt, or lanes.yaml lacks the lane.",
  },
  "model/offers-open": {
    severity: "warning",
    message: "all {key} of a server may be read, in every lane",
    explain:
      '`pass` opens whatever the server behind `portcullis mcp` offers, now and after its next release, to everybody who may be in some lane. List what each lane needs: `[{ lane: DRAFTING, names: ["memo://style"] }]`.',
  },

  // Decision tests.
  "model/test-without-decision": {
    severity: "error",
    message: "`{name}` does not say which decision it tests",
    explain:
      "Give the case (or matrix) or its whole file a `decision`: lane, tool, subagent, lineage, handoff, exec, close or call.",
  },
  "model/test-name-repeated": {
    severity: "error",
    message: "two tests are named `{name}`",
    explain: "Reports identify tests by file and name, so names must differ within a file.",
  },
  "model/test-of-nothing": {
    severity: "error",
    message: "{problem}",
    explain:
      "What is in `expect` must be in the decision, and an empty mapping is in every one. Write what the decision must say. A file without a " +
      "case and without a matrix asks nothing either: write some, or remove it.",
  },
  "model/invalid-test-axis": {
    severity: "error",
    message: "axis `{axis}` {problem}",
    causedBy: [
      ...MISWRITTEN_ID,
      { code: "model/empty-part", by: "entry", entry: "role" },
      { code: "model/empty-part", by: "entry", entry: "lane" },
      { code: "model/empty-part", by: "entry", entry: "tool" },
      { code: "model/absent-part", by: "absent", file: "roles.yaml" },
      { code: "model/absent-part", by: "absent", file: "lanes.yaml" },
      { code: "model/absent-part", by: "absent", file: "tool_registry.yaml" },
      { code: "sources/misnamed-file", by: "any" }, // Ids that were not read cannot be known to tests.
      { by: "unread", stage: "sources", file: /(?:^|\/)(?:roles|lanes|tool_registry)\.ya?ml$/ },
    ],
    explain:
      "An axis is a list of values, or `{ every: roles }` (or lanes, tools, agents, agent_types) for every id of the policy, with `also: [...]` for further values such as ids that do not exist. An `allow` entry gives each axis one value or a list of values, all of them on the axis.",
  },
  "model/test-matrix-too-large": {
    severity: "error",
    message: "`{name}` has {count} combinations, more than {limit}",
    explain:
      "The axes multiply to more combinations than a test run should hold. Split the matrix, or list fewer values.",
  },
});

export const modelDiagnostic = diagnosticsOf(modelCodes);
