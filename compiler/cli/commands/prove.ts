/** `portcullis prove BUNDLE|DIR`: proofs over all questions that a policy set can be asked, and of an author's own claims. */

import { isProved, prove } from "@portcullis/governance/review";
import { SourceFile } from "@portcullis/rego/diagnostics";
import type { Command } from "commander";
import type { Context } from "../context.ts";
import { EXIT_FINDINGS, EXIT_OK, orFail } from "../exit.ts";
import { openPolicyArgument } from "../policy/policy-argument.ts";
import { progress } from "../progress.ts";
import { printProof } from "../render/proof.ts";
import { findSolver } from "../solver.ts";
import { formatOption, type HumanOrJson, POLICY_FORMAT, wholeNumber } from "./options.ts";
import { readText } from "./read.ts";

interface ProveFlags {
  readonly claims?: string;
  readonly limit: string;
  readonly removals: string;
  readonly solver: boolean;
  readonly format: HumanOrJson;
}

export function registerProve(root: Command, context: Context): void {
  root
    .command("prove")
    .description(
      "prove that a policy denies by default, over every role, lane, tool, agent and agent type, and your own claims",
    )
    .argument("<policy>", "bundle.tar.gz, or a folder of sources, which is compiled first")
    .option("-c, --claims <file>", "YAML file with claims: requests that are never, or always, allowed")
    .option("--limit <count>", "refuse to ask more questions than this for one property", "20000000")
    .option("--removals <count>", "questions to spend on taking grants away; grants are sampled beyond", "2000000")
    .option("--solver", "prove claims about lane, tool and call for all requests, whatever else they say, by z3", false)
    .addOption(formatOption(POLICY_FORMAT))
    .addHelpText(
      "after",
      `
Examples:
  portcullis prove policies
  portcullis prove out/bundle.tar.gz --claims claims.yaml --format json

where claims.yaml is, for example,
  claims:
    - never: { decision: tool, role: WRITER, tool: [article.publish, article.retract] }
    - always: { decision: lane, role: WRITER, lane: DRAFTING }
      because: writers write
    - never: { decision: exec, input: { mode: newsroom, kind: inline } }
    - never: { decision: approval, tool: payout.release, approver: [(unapproved), (unsigned)] }
    - never: { decision: reach, root: DESK, tool: payout.release }
    - never: { decision: tool, gate: INTERNAL_ERROR }
    - never: { decision: tool, grant: roles.WRITER }
    - monotone: { decision: call }
    - never: { decision: limit, tool: payout.release, calls: 3, per: [scope.contributor_id], within: 1h }
      because: no contributor is paid a fourth time in an hour
A claim is about lane (role, lane), tool (role, lane, tool), subagent (persona, subagent), spawn (parent, child), call (role,
lane, tool, agent), where there are manifests, or approval (role, lane, tool, approver); a key that is absent stands for
every id. An approver is one of approvers.yaml with a good approval of the call; (unapproved) means no approval, or one of an agent; of
an approval that is (unsigned), a person is only named, or something about its signature, time, use or policy is wrong.
chain (root, agent) and reach (root, agent, tool) are about chains of agents of any length, the root among them: whether one
comes to the agent, and whether the agent at its end may call the tool in some role and lane. What refutes \`never\` is a
shortest chain, and a request that the policy allows; (unlisted) is an agent type without a manifest. A claim
about limit (role, lane, tool) says what came before: \`calls\` of that number, a \`sum\` of as much, a call \`after\` one of a tool, or
\`without\` one of it. Some limit has to deny the next call then. With \`per\` it counts by no other keys, and with \`within\` it forgets
nothing sooner. With \`input\` it is about one request, of any decision or \`entrypoint\`, and about what its
answer says: a boolean, or the one under \`allowed\` or \`decision\`; no answer is a denial.
A denial by a rule of your own that reads more than ids, or host data, does not show \`never\`: another request may be allowed.

The answers are those of the compiled policy; a bundle's module that is not what its Rego and data make here is not known to have
others. A request has ids and no other members: further values that rules of
your own read are not varied. The inputs of handoff, exec, close, call and of adapters are infinite: these are asked only
with requests that say nothing, and by your claims.

With \`gate\`, a claim about lane, tool or call says that no request is denied by it, or by any of a list: a gate of the library, of a
rule of your own, or INTERNAL_ERROR, which answers where an evaluation fails. With \`grant\`, as in lanes.DRAFTING.tools.publish, that no
request is allowed or denied otherwise without that part of the data; of a list, each is a claim. \`monotone\`, of lane, tool or call,
says that fewer grants allow nothing more: whichever of them are taken away, all subsets and not a sample, no request is allowed
that the whole policy denies. What refutes it names a request, and the grants without which it is allowed. Rows of roles, agents and
manifests stay where calls are asked about: a name that they hold is no person's, who might approve one. These need --solver.

With --solver, z3 on the PATH or the package z3-solver of npm looks for any request at all that refutes a claim about lane, tool
or call: unknown ids, other members of any kind, chains of agents, approvals, what a host found out, and data of the host's among
them. What it reasons about is the Rego in the bundle: equality, members that are there or not, kinds of values, sets, order and
sums of numbers, prefixes and the like, and loops over lists and objects of a request with as many elements as the proof says. Other
builtins may give anything, and are named. A request that exceeds the limits of an evaluation is denied, and no part of a proof. One
that refutes is made as small as it can be, and asked of the module before it is shown. Calls that a claim's ids do not decide are
reasoned about tool by tool: a claim that names its tools takes less time then.

Exit codes: 0 everything holds; 1 something does not, with counter-examples, or is not known, or findings in the sources; 2 wrong usage, a
refused bundle, claims that cannot be read, too many questions.`,
    )
    .action(async (path: string, flags: ProveFlags) => {
      const [limit, removals] = [wholeNumber("--limit", flags.limit), wholeNumber("--removals", flags.removals)];
      const opened = await openPolicyArgument(context.terminal, path, flags);
      if (opened === undefined) return context.finish(EXIT_FINDINGS);
      const claims =
        flags.claims === undefined
          ? undefined
          : new SourceFile(flags.claims, await readText(context.terminal, flags.claims));
      const solver = flags.solver ? await findSolver(process.cwd()) : undefined;
      const bar = progress(context.terminal, "proving");
      const result = await prove(opened, { claims, limit, removals, solver, watch: bar.watch });
      bar.end();
      const proof = orFail(result, {
        help: {
          "no-policy-set": "for Rego of your own, state claims with `--claims`",
          "too-many-questions": "`--limit` raises it; a million questions take about a second",
        },
      });
      printProof(context.terminal, flags.format, proof);
      context.finish(proof.properties.every(isProved) ? EXIT_OK : EXIT_FINDINGS);
    });
}
