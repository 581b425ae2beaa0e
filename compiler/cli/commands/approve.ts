/** `portcullis approve`: a person's signed yes, or no, to one call. */

import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { approverKey, signApproval } from "@portcullis/enforcement/gateway";
import {
  type BoundApproval,
  denialSentence,
  FAULTS,
  GATES,
  type Policy,
  type PolicyApprovals,
} from "@portcullis/runtime";
import type { Command } from "commander";
import { agreed } from "../agreed.ts";
import type { Context } from "../context.ts";
import { CliError, EXIT_FINDINGS, EXIT_OK, EXIT_USAGE, orFail } from "../exit.ts";
import { DATA_FLAG, readHostData } from "../host-data.ts";
import { memberOf, type OutputKind, REPLACES, refuseOthersFile } from "../output-file.ts";
import { loadPolicyArgument } from "../policy/policy-argument.ts";
import { writeAtomic } from "../write.ts";
import { readBytes, textOf } from "./read.ts";

interface ApproveFlags {
  readonly policy: string;
  readonly data?: string;
  readonly key: string;
  readonly expires: string;
  readonly refuse: boolean;
  readonly ref?: string;
  readonly output?: string;
  readonly yes: boolean;
}

const TYPE: BoundApproval["type"] = "portcullis-approval/1";
const OUTPUT: OutputKind = {
  command: "approve",
  option: "-o",
  names: "file",
  wrote: (bytes) => memberOf(bytes, "type") === TYPE,
};

type Call = { readonly [member: string]: unknown };

export function registerApprove(root: Command, context: Context): void {
  root
    .command("approve")
    .description("approve one call of a tool, or refuse it: show it, ask, and sign")
    .argument("<call>", "file with the call as JSON, as `--approvals` keeps it: `DIGEST.call.json`")
    .requiredOption("--policy <path>", "bundle, or folder of sources: under which the call is approved")
    .requiredOption("--key <file>", "your private key: PEM, or a JWK")
    .option(...DATA_FLAG)
    .option("--expires <time>", "for how long it holds: 90s, 15m, 2h; at most 24h", "15m")
    .option("--refuse", "refuse the call: no approval of it counts until then", false)
    .option("--ref <text>", "where you keep the reason, as your ticket says it; default a random one")
    .option("-o, --output <file>", "file of the approval; default `DIGEST.approve.json` beside the call")
    .option("--yes", "sign without asking", false)
    .addHelpText("after", HELP)
    .action(async (file: string, flags: ApproveFlags) => {
      const { terminal } = context;
      const call = readHostData(file);
      const policy = await loadPolicyArgument(terminal, flags.policy, { data: flags.data });
      const lifetime = milliseconds(flags.expires);
      if (policy === undefined) return context.finish(EXIT_FINDINGS);
      const approvals = boundApprovals(policy, call);
      const key = orFail(approverKey(flags.key, textOf(readBytes(flags.key), `\`${flags.key}\``), approvals));
      const decision = flags.refuse ? "refuse" : "approve";
      const terms = { call, decision, ref: flags.ref, expiresAt: Date.now() + lifetime } as const;
      const approval = signedOr(file, () => signApproval(key, approvals, terms));
      holdCall(policy, call, approval);
      const path = flags.output ?? join(dirname(file), `${approval.call_sha256}.${decision}.json`);
      await refuseOthersFile(path, OUTPUT);
      terminal.err(inWords(call, approval));
      const question = { question: `${decision} it?`, unasked: "nothing was signed: `--yes` signs without asking" };
      if (!(await agreed(terminal, { yes: flags.yes, dryRun: false }, question))) return context.finish(EXIT_FINDINGS);
      const written = decision === "refuse" ? besideOthers(path, approval) : approval;
      writeAtomic(path, `${JSON.stringify(written, null, 2)}\n`);
      terminal.out(`${decision === "approve" ? "approved" : "refused"}: ${path}\n`);
      context.finish(EXIT_OK);
    });
}

const HELP = `
Examples:
  openssl genpkey -algorithm ed25519 -out ~/m.ortiz.pem           # once; keep it from agents
  openssl pkey -in ~/m.ortiz.pem -pubout                          # for \`key\` in approvers.yaml
  portcullis approve /var/lib/approvals/9f2c….call.json --policy out/bundle.tar.gz --key ~/m.ortiz.pem
  portcullis approve call.json --policy out/bundle.tar.gz --key ~/m.ortiz.pem --expires 2h --ref TICKET-118
  portcullis approve call.json --policy out/bundle.tar.gz --key ~/m.ortiz.pem --refuse

approvers.yaml of the policy says who may approve calls of tools, or with arguments, that say \`approval: bound\`:
  approvers:
    - name: m.ortiz
      key: |
        -----BEGIN PUBLIC KEY-----
        …
      tools: [payout.release]                                     # default all
      until: 2027-01-31                                           # the last day, in UTC

The call is the request of the call decision, with \`facts.paths\` where its host resolved paths. Its denial for the lack of
an approval names the digest; \`mcp\` and \`hook\` with --approvals DIR keep it there as DIGEST.call.json, and take the approval from there.
An approval is for this very call, under this very policy, until it expires, and once. Who approves is told by the key. A refusal
wins over approvals of the call, and stays beside another one until it ends. Members that stand twice, and numbers that a double rounds, are refused.
${REPLACES}

Exit codes: 0 signed; 1 the answer was no, the policy would deny the call all the same, or findings in the sources; 2 wrong usage,
unreadable files, a key that belongs to no approver.`;

/**
 * With the refusals of the call that have not ended: one of them may be for longer, or the only one of an approver of the policy that
 * decides. Hosts verify each.
 */
function besideOthers(path: string, refusal: BoundApproval): BoundApproval | readonly (BoundApproval | null)[] {
  const others = approvalsIn(path).filter(
    (one) => one?.decision === "refuse" && one.call_sha256 === refusal.call_sha256 && one.expires_at > Date.now(),
  );
  return others.length === 0 ? refusal : [...others, refusal];
}

function approvalsIn(path: string): readonly (BoundApproval | null)[] {
  try {
    return [JSON.parse(readFileSync(path, "utf8")) as BoundApproval].flat();
  } catch {
    return [];
  }
}

const UNITS: { readonly [unit: string]: number } = { s: 1000, m: 60_000, h: 3_600_000 };
const LONGEST = 24 * 3_600_000;

/** Throws CliError for a text that is not a time, or more than a day. */
function milliseconds(text: string): number {
  const [, digits, unit = ""] = /^([1-9]\d{0,5})([smh])$/.exec(text) ?? [];
  const time = Number(digits) * (UNITS[unit] ?? Number.NaN);
  if (time <= LONGEST) return time;
  throw new CliError(`\`--expires ${text}\` is not a time of at most 24h, such as 90s, 15m or 2h`, EXIT_USAGE);
}

function signedOr(file: string, work: () => BoundApproval): BoundApproval {
  try {
    return work();
  } catch (error) {
    throw new CliError(`\`${file}\` has no one digest: ${(error as Error).message}`);
  }
}

/** Throws CliError for a call that needs no such approval. */
function boundApprovals({ approvals }: Policy, call: Call): PolicyApprovals {
  const { tool } = call;
  if (approvals?.tools.some((one) => one === tool)) return approvals;
  if (typeof tool !== "string")
    throw new CliError(
      "the call names no tool",
      EXIT_FINDINGS,
      "the call is the request itself: role, lane, tool and the rest",
    );
  throw new CliError(
    `no call of ${JSON.stringify(tool)} needs a bound approval under this policy`,
    EXIT_FINDINGS,
    "`approval: bound` in tool_registry.yaml, at the tool or at one of its arguments, asks for one",
  );
}

/** Throws CliError for a call that the policy denies whatever this approver says, or allows without: there is nothing to sign. */
function holdCall(policy: Policy, call: Call, approval: BoundApproval): void {
  const { approval: _, facts, ...request } = call as { readonly approval?: unknown; readonly facts?: object | null };
  const digest = approval.call_sha256;
  const asked = decide(policy, { ...request, facts: { ...facts, call_sha256: digest } });
  if (asked.allowed) throw new CliError("the policy allows this call without an approval", EXIT_FINDINGS);
  if (asked.approval === undefined) throw isPastApproval(asked) ? notAsked(asked) : denied(asked, request);
  const verified = { signature_valid: true, key_of: approval.by, used: false, refused: false };
  const found = { ...facts, call_sha256: digest, now: approval.expires_at - 1, approval: verified };
  const given = decide(policy, { ...request, approval: { ...approval, decision: "approve" }, facts: found });
  // What comes behind, history and authors' gates, is decided when the call is made.
  if (given.gate === asked.gate) throw denied(given, request);
}

/** `approval`: where nothing but that is wrong. */
type Decided = {
  readonly allowed: boolean;
  readonly gate: string;
  readonly reason: string;
  readonly approval?: string;
};

function decide(policy: Policy, request: object): Decided {
  return policy.call(request as never);
}

const AT_APPROVAL = GATES.call.findIndex(({ judges }) => judges === "approval");

/** Whether a denial comes of a gate behind the one that asks for approvals; those of authors are the last. */
function isPastApproval({ gate }: Decided): boolean {
  const at = GATES.call.findIndex((described) => described.gate === gate);
  return gate !== FAULTS.call.gate && (at < 0 || at > AT_APPROVAL);
}

function notAsked({ gate, reason }: Decided): CliError {
  const help = `what denies it here, ${gate} with ${reason}, is no matter of approvals; history and facts come with the call`;
  return new CliError("the policy asks for no approval of this call", EXIT_FINDINGS, help);
}

function denied(decision: Decided, request: object): CliError {
  const { gate, reason } = decision;
  const sentence = denialSentence("call", decision, decision, request) ?? reason;
  return new CliError(`the policy denies this call all the same: ${gate}, ${reason}`, EXIT_FINDINGS, sentence);
}

/** Members that say something of a call, beside those that stand first. Any other is quoted: it says what its writer likes. */
const MEMBERS = ["scope", "flags", "writes", "lineage"];

/** The call for a person, a member a line; what stands in it is written as JSON, so that none of it can pass for a line. */
function inWords(
  call: Call,
  { decision, by, ref, expires_at: end, policy_revision: policy, ...said }: BoundApproval,
): string {
  const { tool, role, lane, args, approval: _, facts, ...rest } = call as { readonly [member: string]: unknown };
  const lines = [
    ["tool", tool],
    ["role", role],
    ["lane", lane],
    ...(typeof args === "object" && args !== null
      ? Object.entries(args).map(([name, value]) => [`  ${printable(name)}`, value] as const)
      : [["args", args] as const]),
    ...Object.entries(rest).map(
      ([name, value]) => [MEMBERS.includes(name) ? name : escaped(JSON.stringify(name)), value] as const,
    ),
    ["paths", (facts as { readonly paths?: unknown } | null | undefined)?.paths],
  ] as const;
  const shown = lines.filter(([, value]) => value !== undefined && value !== null);
  const rows = shown.map(([name, value]) => broken(`${name.padEnd(12)} ${printable(value)}`));
  return [
    `${by} is asked to ${decision} one call:`,
    // What is long stands first: what is short is on the screen with the question then.
    ...[...rows.filter((row) => row.length > 1), ...rows.filter((row) => row.length === 1)].flat(),
    "",
    `  call         ${said.call_sha256}`,
    `  policy       ${policy}`,
    `  until        ${new Date(end).toISOString()}`,
    `  reference    ${printable(ref)}`,
    "",
    "",
  ].join("\n");
}

/** What stands in a line, in columns of a terminal of 80. */
const COLUMNS = 75;

/** A member in lines that are marked as going on: those that a terminal breaks begin with whatever the call's writer likes. */
function broken(row: string): string[] {
  const lines = [""];
  let taken = 0;
  for (const character of row) {
    // Many beyond accents are as wide as two.
    const columns = character < "\u0300" ? 1 : 2;
    if (taken + columns > COLUMNS) {
      lines.push("");
      taken = 0;
    }
    lines[lines.length - 1] += character;
    taken += columns;
  }
  return lines.map((line, i) => `${i === 0 ? "  " : "  | "}${line}`);
}

/** A word, or JSON. */
function printable(value: unknown): string {
  return typeof value === "string" && /^\w+$/.test(value) ? value : escaped(JSON.stringify(value));
}

/** With characters escaped that are not seen, or that turn the direction of writing. */
function escaped(text: string): string {
  return text.replace(
    /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu,
    (c) => `\\u{${(c.codePointAt(0) ?? 0).toString(16)}}`,
  );
}
