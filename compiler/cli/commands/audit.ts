/** `portcullis audit verify FILE`: is a ledger of decisions whole, and does the policy still decide so? */

import { ALGORITHMS, jwsHolds } from "@portcullis/rego/signing";
import { type LedgerVerification, type Policy, verifyLedger } from "@portcullis/runtime";
import { type Command, Option } from "commander";
import type { Context } from "../context.ts";
import { CliError, EXIT_FINDINGS, EXIT_OK, EXIT_USAGE } from "../exit.ts";
import { DATA_FLAG } from "../host-data.ts";
import { logChunks } from "../log-chunks.ts";
import { loadPolicyArgument } from "../policy/policy-argument.ts";
import { printableLine } from "../printer.ts";
import { readVerificationKey, type SigningFlags, VERIFICATION_KEY } from "../signing-options.ts";
import type { Terminal } from "../terminal.ts";
import { collect, count, formatOption, type HumanOrJson, POLICY_FORMAT } from "./options.ts";

interface AuditFlags extends Pick<SigningFlags, "signingAlg"> {
  readonly policy: string[];
  readonly data?: string;
  readonly verificationKey?: string;
  readonly head?: string;
  readonly closed: boolean;
  readonly unchained: boolean;
  readonly format: HumanOrJson;
}

export function registerAudit(root: Command, context: Context): void {
  const audit = root.command("audit").description("check a ledger of decisions, as `auditLedger` writes it");
  audit
    .command("verify")
    .description("find events that were removed, changed, added or moved, and decide each one again")
    .argument("<file>", "the ledger, one JSON object a line; .gz is unpacked; - for standard input")
    .option(
      "--policy <bundle>",
      "bundle, or folder of sources, that decides every event again (may be repeated, one a revision)",
      collect,
      [],
    )
    .option(...DATA_FLAG)
    .option("--verification-key <file>", `every checkpoint must be signed: ${VERIFICATION_KEY}`)
    .addOption(new Option("--signing-alg <alg>", "algorithm of the signatures").choices(ALGORITHMS).default("ES256"))
    .option("--head <sha256>", "hash of the last line, kept where the ledger's writer cannot change it")
    .option("--closed", "the ledger must end in its closing checkpoint: nothing was cut off", false)
    .option("--unchained", "a decision log without a chain, such as OPA's own: only decide its events again", false)
    .addOption(formatOption(POLICY_FORMAT))
    .addHelpText(
      "after",
      `
Examples:
  portcullis audit verify ledger.jsonl --policy out/bundle.tar.gz
  portcullis audit verify ledger.jsonl --verification-key audit.pub --closed
  portcullis audit verify opa-decisions.jsonl.gz --unchained --policy out/bundle.tar.gz

Without a key the chain shows accidents: a program that can write the whole file can write a whole chain.
Wrong is, too: events that were lost, an allowed request that kept parts of itself from its record, a ledger that goes on and was
not closed.
Exit codes: 0 whole, and decided alike; 1 something is wrong, or findings in the sources; 2 wrong usage, a file that cannot be read.`,
    )
    .action(async (path: string, flags: AuditFlags) => {
      if (flags.unchained && flags.policy.length === 0)
        throw new CliError("`--unchained` leaves nothing to check", EXIT_USAGE, "name a bundle with `--policy`");
      if (flags.unchained && (flags.closed || flags.head !== undefined || flags.verificationKey !== undefined))
        throw new CliError("`--unchained` is for a log that has neither end, head nor signatures");
      const key = flags.verificationKey === undefined ? undefined : readVerificationKey(flags.verificationKey, flags);
      const policies = await policiesOf(context.terminal, flags);
      if (policies === undefined) return context.finish(EXIT_FINDINGS);
      const result = await verifyLedger(linesOf(path), {
        chained: !flags.unchained,
        closed: flags.closed,
        ...(flags.head === undefined ? {} : { head: flags.head.toLowerCase() }),
        ...(key === undefined ? {} : { signatureHolds: (token) => jwsHolds(token, key) }),
        ...(policies.size === 0 ? {} : { policyOf: (revision) => policies.get(revision) }),
      });
      if (flags.format === "json") context.terminal.out(`${JSON.stringify(result, null, 2)}\n`);
      else print(context.terminal, path, result, flags);
      context.finish(result.ok ? EXIT_OK : EXIT_FINDINGS);
    });
}

/** By revision; `undefined` when a folder of sources has findings. */
async function policiesOf(
  terminal: Terminal,
  { policy: paths, format, data }: AuditFlags,
): Promise<ReadonlyMap<string | undefined, Policy> | undefined> {
  const policies = new Map<string | undefined, Policy>();
  for (const path of paths) {
    const policy = await loadPolicyArgument(terminal, path, { format, data });
    if (policy === undefined) return undefined;
    if (policies.has(policy.revision))
      throw new CliError(`\`${path}\` has the revision ${policy.revision}, which another --policy has, too`);
    policies.set(policy.revision, policy);
  }
  return policies;
}

async function* linesOf(path: string): AsyncGenerator<string | undefined> {
  for await (const { lines } of logChunks(path)) yield* lines;
}

function print(terminal: Terminal, path: string, result: LedgerVerification, flags: AuditFlags): void {
  const { red, green, yellow, cyan } = terminal.paint;
  for (const { line, message } of result.problems)
    terminal.err(`${red("error:")} ${printableLine(`${path}:${line}: ${message}`)}\n`);
  if (!flags.unchained && result.problems.length > 1 && result.events + result.checkpoints === 0)
    terminal.err(`${cyan("help:")} of a decision log, which has no chain, ask \`--unchained --policy BUNDLE\`\n`);
  if (!result.ok) return;
  const parts = [
    count(result.events, "event"),
    ...(flags.unchained ? [] : [`${count(result.checkpoints, "checkpoint")} (${result.signed} signed and checked)`]),
    ...(flags.policy.length === 0 ? [] : [`${result.decided} decided again alike`]),
    ...(flags.unchained ? [] : [`head ${result.head}`]),
  ];
  terminal.out(`${green("verified:")} ${parts.join(", ")}\n`);
  const notes = [
    ...(result.undecidable > 0 && flags.policy.length > 0
      ? [`${count(result.undecidable, "event")} cannot be decided again: masked, or failed when it was decided`]
      : []),
    ...(result.refused > 0 ? [`${count(result.refused, "decision")} denied without an event: no room for one`] : []),
    ...(result.blanked > 0
      ? [`${count(result.blanked, "denial")} of a request that cannot be written down whole`]
      : []),
    ...(result.closed || flags.unchained
      ? []
      : ["the ledger is open: lines after its last checkpoint would not be missed"]),
  ];
  for (const note of notes) terminal.err(`${yellow("note:")} ${note}\n`);
}
