/** portcullis.yaml: settings of the whole set. */

import { ADAPTERS } from "./adapters.ts";
import {
  choice,
  FILE_FIELDS,
  named,
  namedChoice,
  names,
  rows,
  section,
  text,
  textOrRows,
  truth,
  whole,
} from "./field.ts";

const offers = (what: string, name: string) =>
  textOrRows(
    `Decides: by lane, the ${what} that may be read; \`pass\` in place of the list opens all of them; default: none.`,
    {
      lane: named("Decides: the lane that may read these.", { required: true }),
      names: names(
        `Decides: each ${name}, whole. One that ends in \`*\` stands for all that go on in plain segments: letters, digits and \`-._~:@\`, with \`/\` between them.`,
        { required: true },
      ),
    },
  );

export const SETTINGS = {
  ...FILE_FIELDS,
  lineage: section(
    "Chains of agents that started each other.",
    {
      depth: choice(
        ["positional", "reported"],
        "Decides: whether an agent's `spawn_depth` must be its place in the chain; default `positional`.",
        { data: "depth", otherwise: "positional" },
      ),
      max_chain: whole({ minimum: 1, maximum: 65536 }, "Decides: longer chains are malformed; default 64.", {
        data: "max_chain",
        otherwise: 64,
      }),
      roots: names("Checked: agent types that start chains, which nothing needs to spawn.", {
        model: "roots",
        otherwise: [],
      }),
      require: truth("Decides: whether a request without a lineage is denied; default `false`.", { data: "require" }),
    },
    { data: "lineage", nullable: true, restricts: true },
  ),
  call: section(
    "The call decision.",
    {
      lineage: choice(
        ["required", "optional"],
        "Decides: whether a call needs a lineage; default: required where there are spawn manifests, else optional.",
        { data: "lineage" },
      ),
      unknown_agents: namedChoice(
        ["deny", "allow"],
        "Decides: whether agents of the chain that have no manifest may call; default: `deny` where there are spawn manifests, else `allow`.",
        { data: "unknown_agents" },
      ),
      host_scope: names(
        "Checked: keys of a call's scope that the host sets itself and never takes from arguments: those that limits may count by.",
        { model: "host_scope", otherwise: [], nullable: true },
      ),
    },
    { data: "call", nullable: true, restricts: true },
  ),
  subagents: section(
    "Delegation between agents.",
    {
      unresolved: choice(
        ["error", "drop"],
        "Checked: an allowlisted subagent without an instruction file, or that is not TYPE 2, is an error; `drop` leaves it out.",
        { model: "unresolved", otherwise: "error" },
      ),
      approvers: choice(
        ["any", "human"],
        "Decides: whether `approvedBy` may name an agent of this policy (`any`, the default) or people alone (`human`).",
        { data: "approvers", otherwise: "any" },
      ),
    },
    { data: "subagents", nullable: true, restricts: true },
  ),
  adapters: ADAPTERS,
  mcp: section(
    "What servers behind `portcullis mcp` offer beside tools: `portcullis/offer/mcp` is in the bundle where this is.",
    { resources: offers("resources", "address"), prompts: offers("prompts", "name") },
    { nullable: true },
  ),
  rego: section(
    "Authors' own Rego.",
    {
      allow_builtins: names(
        "Builds: non-deterministic builtins that the author's rules may call, if the host supplies them.",
        { model: "allow_builtins", otherwise: [] },
      ),
      host_data: names(
        "Builds: paths below `data` that the host supplies with `setData`, such as `shifts`: rules that read them are no finding, and the module denies everything until they are there. The bundle has no data of the same first name.",
        { model: "host_data", otherwise: [] },
      ),
    },
    { model: "rego", nullable: true },
  ),
  waive: rows(
    "Warnings that the set lives with. One that hides nothing, or whose last day has passed, is a finding.",
    {
      code: named("Checked: the code of the warning; errors cannot be waived.", { required: true, model: "code" }),
      at: named(
        "Checked: the file in which it is found, or `FILE#NAME` for a finding that names `NAME`; `.` for one of the set as a whole.",
        { required: true, model: "at" },
      ),
      reason: named("Checked: why the set lives with it; not blank.", { required: true, model: "reason" }),
      until: named("Checked: the last day of the waiver, as `YYYY-MM-DD`.", { model: "until" }),
    },
    { model: "waive" },
  ),
  bundle: section(
    "The bundle that build writes.",
    {
      revision: text("Builds: what the bundle calls itself; default: a hash of its content.", { model: "revision" }),
      name: text(
        "Builds: the name of the policy set, under which hosts keep the history of its limits; it stays when the policy changes. Default: `policy`.",
        { model: "name", otherwise: "policy" },
      ),
    },
    { model: "bundle", nullable: true },
  ),
};
