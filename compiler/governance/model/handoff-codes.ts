/** Findings in `handoff.yaml`, and between it and the spawn manifests. */

import { defineCodes } from "@portcullis/rego/diagnostics";

export const handoffCodes = defineCodes({
  "model/invalid-placeholder": {
    severity: "error",
    message: "`{word}` can never be the first word of a next action",
    explain:
      "A placeholder is compared with the first word of the text: a run of letters, digits and `/`. One that holds other characters would never match, and the gate would look stricter than it is.",
  },
  "model/invalid-mutation": {
    severity: "error",
    message: "`{name}` names no top-level contract",
    explain:
      "Names of contracts are compared trimmed, in lower case, without a leading `/` and without everything from the first `.`, `/` or `[` on. Nothing is left of this one, or a pattern or a list in one text, so it would forbid nothing.",
  },
  "model/invalid-forbidden-path": {
    severity: "error",
    message: "forbidden path `{path}` {problem}",
    explain:
      "A path of `forbidden_paths` is a file or a folder, with `/` between segments, from the root that artifacts are looked for in. A folder stands for all that lies in it. One that is written otherwise would forbid nothing.",
  },
  "model/forbidden-path-without-agents": {
    severity: "error",
    message: "`forbidden_paths` forbids nothing without `agents`",
    explain:
      "The paths are forbidden to subs, and only `agents: { master: [...], sub: [...] }` says who is one. Name the agents, or remove the paths.",
  },
  "model/handoff-agent-of-both-roles": {
    severity: "error",
    message: "`{agent}` is both master and sub",
    explain:
      "A master routes work and accepts it, a sub carries it out; a sub may not touch what is forbidden to it. One agent in both lists of `agents` could do either. Keep it in one.",
  },
  "model/handoff-role-without-agents": {
    severity: "warning",
    message: "no agent is {role}: every handoff is denied",
    explain:
      "With `agents`, a handoff goes between a master and a sub. One of the two lists is empty, so no record can be accepted.",
  },
  "model/handoff-agent-undefined": {
    severity: "warning",
    message: "`{agent}` is neither an agent type nor an instruction file",
    explain:
      "`agents` of handoff.yaml names an agent that no spawn manifest and no AGENT_<NAME>.md defines. Records compare names exactly: either it is misspelt, or it has yet to be added.",
  },
  "model/handoff-agent-not-spawned": {
    severity: "warning",
    message: "no master can spawn sub `{agent}`, directly or through others",
    explain:
      "By the spawn manifests no chain leads from a master of handoff.yaml to this sub, so no master could have handed anything to it. Correct `can_spawn`, or the roles.",
  },
  "model/handoff-agent-spawns-master": {
    severity: "warning",
    message: "sub `{agent}` can spawn master `{master}`",
    explain:
      "A master routes work to subs. By its spawn manifest this sub can start a master itself, and would then be what the master reports to. Correct `can_spawn`, or the roles.",
  },
});
