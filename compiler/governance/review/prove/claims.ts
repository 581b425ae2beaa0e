/**
 * An author's claims about a policy, in YAML:
 *
 *     claims:
 *       - never: { decision: tool, role: WRITER, tool: [article.publish, article.retract] }
 *       - always: { decision: lane, role: WRITER, lane: DRAFTING }
 *         because: writers write
 *       - never: { decision: exec, input: { mode: newsroom, kind: inline } }
 *       - never: { decision: limit, tool: payout.release, calls: 3, within: 1h }
 *       - monotone: { decision: call }
 *
 * A name is one or a list; an axis that is absent stands for every id.
 */

import { didYouMean, failure, type Result, type SourceFile, type Span, success } from "@portcullis/rego/diagnostics";
import { jsonText } from "@portcullis/rego/value";
import type { Policy } from "@portcullis/runtime";
import { misspelt, unknownIds, type Vocabularies } from "../../checks/index.ts";
import { valueWords, writtenJson } from "../../lower/index.ts";
import { windowOf } from "../../model/index.ts";
import { entryOf, parseYaml, type SourceNode, toPlain, toValue } from "../../sources/index.ts";
import { Asker, type IdSpace, questions, type Space, verdictOf } from "../decision-space.ts";
import { schemasByName } from "../host-data-policy.ts";
import type { OpenedPolicy } from "../opened-policy.ts";
import { policyTables } from "../policy-ids.ts";
import { askLimits, type Earlier } from "./limit-claims.ts";
import type { OpenDenial } from "./own-denials.ts";
import { requestOf } from "./properties.ts";
import { type Property, Witnesses } from "./property.ts";
import type { Reach } from "./reach.ts";

/** Questions about chains of any length. */
type ReachSpace = IdSpace<"chain" | "reach">;

const FORMS = ["never", "always", "monotone"] as const;
/** Members of a claim about limits. */
const EARLIER = ["calls", "sum", "after", "without", "per", "within"];

export interface Claim {
  readonly holds: "never" | "always";
  readonly name: string;
  /** `file:line:column`. */
  readonly place: string;
  /** The author's reason, where one is given. */
  readonly because?: string;
  /** A part of a space, or one input of one entrypoint. */
  readonly about:
    | (Space & {
        readonly earlier?: Earlier;
        readonly gates?: readonly string[];
        readonly grant?: string;
        /** Fewer grants allow nothing more, whichever are left. */
        readonly isMonotone?: boolean;
      })
    | ReachSpace
    | {
        readonly entrypoint: string;
        readonly input: unknown;
        /** The same with every digit: what is asked. */
        readonly inputJson: string;
      };
}

/** The gates, or the grants, that a claim about a decision may name. */
type NamesOf = (of: "gate" | "grant", decision: string) => readonly string[];

/** A problem, with its location, for a text that is not a list of claims, and for ids that the policy does not have. */
export function readClaims(
  file: SourceFile,
  spaces: readonly (Space | ReachSpace)[],
  policy: Policy,
  names: NamesOf = () => [],
): Result<readonly Claim[], "broken-claims"> {
  const reader = new ClaimReader(file, spaces, policy, names);
  const claims = reader.claims();
  return reader.problem ?? success(claims);
}

/** Reads on after a problem. The first problem counts, and the claims that were read are not used then. */
class ClaimReader {
  problem: (Result<never, "broken-claims"> & { ok: false }) | undefined;
  private readonly file: SourceFile;
  private readonly spaces: readonly (Space | ReachSpace)[];
  private readonly policy: Policy;
  private readonly namesOf: NamesOf;

  constructor(file: SourceFile, spaces: readonly (Space | ReachSpace)[], policy: Policy, names: NamesOf) {
    this.file = file;
    this.spaces = spaces;
    this.policy = policy;
    this.namesOf = names;
  }

  claims(): Claim[] {
    const { root, diagnostics } = parseYaml(this.file);
    const broken = diagnostics.find((d) => d.severity === "error");
    if (broken !== undefined) this.wrong(broken.span, broken.message);
    if (root !== undefined) this.allowKeys(root, ["claims"]);
    const list = entryOf(root, "claims")?.value;
    if (list?.kind === "Sequence" && list.items.length === 0)
      this.wrong(list.span, "`claims` is empty: nothing is claimed");
    if (root?.kind === "Mapping" && list?.kind === "Sequence") return list.items.flatMap((item) => this.claim(item));
    this.wrong(root?.span, "this file needs a list `claims`");
    return [];
  }

  private claim(item: SourceNode): Claim[] {
    this.allowKeys(item, [...FORMS, "because"]);
    const forms = FORMS.filter((key) => entryOf(item, key) !== undefined);
    const [form = "never"] = forms;
    const body = entryOf(item, form)?.value;
    if (body?.kind !== "Mapping" || forms.length > 1) {
      this.wrong(item.span, "a claim is `never: {...}`, `always: {...}` or `monotone: {...}`");
      return [];
    }
    const holds = form === "always" ? form : "never";
    const name = `${form} ${valueWords(writtenJson(toValue(body)))}`;
    const reason = entryOf(item, "because")?.value;
    if (reason !== undefined && reason.kind !== "String") this.wrong(reason.span, "`because` is a text");
    const because = reason?.kind === "String" ? { because: reason.value } : {};
    const claim = { holds, name, place: this.placeOf(item.span), ...because } as const;
    if (form === "monotone")
      return this.part(body, form).map((about) => ({ ...claim, about: { ...about, isMonotone: true } }) as Claim);
    const input = entryOf(body, "input");
    if (input === undefined) {
      const earlier = this.earlier(body, holds);
      return this.part(body).flatMap((about) => {
        const [gates, grants] = (["gate", "grant"] as const).map((of) => this.named(of, body, about.name, holds));
        const asked = { ...about, ...(earlier && { earlier }), ...(gates && { gates }) };
        // A claim for each, so that it is told which one matters.
        if (grants === undefined) return [{ ...claim, about: asked }];
        return grants.map((grant) => ({ ...claim, name: `${name}: ${grant}`, about: { ...asked, grant } }));
      });
    }
    const entrypoint = this.entrypoint(body);
    if (holds === "never") this.misspelt(entrypoint, input.value);
    return [
      { ...claim, about: { entrypoint, input: toPlain(input.value), inputJson: jsonText(toValue(input.value)) } },
    ];
  }

  /** The part of a space that a claim is about. */
  private part(body: SourceNode, form?: "monotone"): (Space | ReachSpace)[] {
    const decision = entryOf(body, "decision")?.value;
    const space = this.spaces.find((s) => decision?.kind === "String" && s.name === decision.value);
    if (space === undefined) {
      const names = this.spaces.map((s) => `\`${s.name}\``).join(", ");
      const isCall = decision?.kind === "String" && decision.value === "call";
      const why = isCall ? "; `call` is asked about by agent types, and there are no spawn manifests" : "";
      this.wrong((decision ?? body).span, `\`decision\` is one of ${names}; others take an \`input\`${why}`);
      return [];
    }
    const isProvable = this.namesOf("gate", space.name).length > 0;
    if (form !== undefined && !isProvable)
      this.wrong(body.span, "`monotone` is about the decision `lane`, `tool` or `call`");
    const more = form !== undefined ? [] : space.name === "limit" ? EARLIER : isProvable ? ["gate", "grant"] : [];
    this.allowKeys(body, ["decision", ...space.axes, ...more]);
    const ids = space.axes.map((axis, i) => this.ids(entryOf(body, axis)?.value, axis, space.ids[i] as string[]));
    const empty = space.axes.find((_, i) => ids[i]?.length === 0);
    if (empty !== undefined)
      this.wrong(body.span, `no ${empty} is left to ask about: the claim would hold for no reason`);
    return [{ ...space, ids, size: ids.reduce((product, of) => product * of.length, 1) }];
  }

  /** The gates that are claimed to deny no request, or the grants that are claimed to decide none. */
  private named(
    of: "gate" | "grant",
    body: SourceNode,
    decision: string,
    holds: Claim["holds"],
  ): readonly string[] | undefined {
    const node = entryOf(body, of)?.value;
    if (node === undefined) return undefined;
    if (holds === "always") this.wrong(node.span, `a ${of} decides some requests at most: the claim is \`never\``);
    if (of === "grant" && entryOf(body, "gate") !== undefined)
      this.wrong(node.span, "a claim names a `gate` or a `grant`, not both");
    const names = this.ids(node, of, this.namesOf(of, decision));
    if (names.length === 0) this.wrong(node.span, `no ${of} is named: the claim would hold for no reason`);
    return names;
  }

  /** What a claim about limits says came before; `undefined` for another claim. */
  private earlier(body: SourceNode, holds: Claim["holds"]): Earlier | undefined {
    const [decision, ...nodes] = ["decision", ...EARLIER].map((key) => entryOf(body, key)?.value);
    if (decision?.kind !== "String" || decision.value !== "limit") return undefined;
    const [calls, sum, after, without, per, within] = nodes.map((node) => node && toPlain(node));
    const isWhole = (value: unknown): boolean => Number.isSafeInteger(value) && (value as number) >= 0;
    const isTool = (value: unknown): boolean => this.spaces.some(({ ids }) => ids[2]?.includes(value as string));
    const keys = [per].flat().filter((key) => key !== undefined);
    const window = within === undefined ? undefined : windowOf(String(within));
    const wrong: readonly (readonly [isWrong: boolean, message: string])[] = [
      [holds === "always", "a limit can only deny: the claim is `never`"],
      [
        nodes.slice(0, 4).filter((node) => node !== undefined).length !== 1,
        "a claim about limits says one of `calls`, `sum`, `after` and `without`",
      ],
      [[calls, sum].some((value) => value !== undefined && !isWhole(value)), "`calls` and `sum` are whole numbers"],
      [
        [after, without].some((value) => value !== undefined && !isTool(value)),
        "`after` and `without` name a tool of the policy",
      ],
      [
        !keys.every((key) => typeof key === "string"),
        "`per` is a list of what a limit counts by, such as `scope.contributor_id`",
      ],
      [within !== undefined && (calls ?? sum) === undefined, "`within` goes with `calls` or `sum`"],
      [within !== undefined && window === undefined, "`within` is written as `90s`, `15m`, `24h` or `7d`"],
    ];
    const problem = wrong.find(([isWrong]) => isWrong)?.[1];
    if (problem !== undefined) this.wrong(body.span, problem);
    return { calls, sum, after, without, per: per === undefined ? per : keys, within: window } as Earlier;
  }

  private entrypoint(body: SourceNode): string {
    const [decision, entrypoint] = ["decision", "entrypoint"].map((key) => entryOf(body, key)?.value);
    this.allowKeys(body, ["decision", "entrypoint", "input"]);
    if (decision !== undefined && entrypoint !== undefined)
      this.wrong(body.span, "a claim names a `decision` or an `entrypoint`, not both");
    const node = entrypoint ?? decision;
    const name =
      node?.kind !== "String" ? "" : entrypoint === undefined ? `portcullis/${node.value}/decision` : node.value;
    const { entrypoints } = this.policy;
    if (!entrypoints.includes(name))
      this.wrong((node ?? body).span, `the policy has no entrypoint \`${name}\``, didYouMean(name, entrypoints).help);
    return name;
  }

  /** What is denied for a misspelt member or id shows nothing about the one that is meant. */
  private misspelt(entrypoint: string, input: SourceNode): void {
    const decision = /^portcullis\/(\w+)\/decision$/.exec(entrypoint)?.[1];
    const schema = decision === undefined ? undefined : schemasByName().get(decision);
    if (decision === undefined || schema === undefined) return;
    const asked = { node: input, path: [], near: true };
    for (const { span, message, help } of [
      ...misspelt(decision, schema, input),
      ...unknownIds(asked, schema, vocabulariesOf(this.spaces)),
    ])
      this.wrong(span, message, help);
  }

  /** A claim about an id that is not there would hold for no reason. */
  private ids(node: SourceNode | undefined, axis: string, known: readonly string[]): string[] {
    if (node === undefined) return [...known];
    return (node.kind === "Sequence" ? node.items : [node]).flatMap((item) => {
      if (item.kind === "String" && known.includes(item.value)) return [item.value];
      if (item.kind !== "String") this.wrong(item.span, `\`${axis}\` is a name or a list of names`);
      else this.wrong(item.span, `the policy has no ${axis} \`${item.value}\``, didYouMean(item.value, known).help);
      return [];
    });
  }

  private allowKeys(node: SourceNode, known: readonly string[]): void {
    const stranger = node.kind === "Mapping" ? node.entries.find((e) => !known.includes(e.key)) : undefined;
    if (stranger === undefined) return;
    const { help = `the keys here are ${known.join(", ")}` } = didYouMean(stranger.key, known);
    this.wrong(stranger.keySpan, `unknown key \`${stranger.key}\``, help);
  }

  private wrong(span: Span | undefined, message: string, help?: string): void {
    const place = span === undefined ? this.file.name : this.placeOf(span);
    this.problem ??= failure("broken-claims", `${place}: ${message}`, help);
  }

  private placeOf({ start }: Span): string {
    const { line, column } = this.file.positionAt(start);
    return `${this.file.name}:${line}:${column}`;
  }
}

/** The ids of the spaces' axes, by the names that input schemas give them. */
function vocabulariesOf(spaces: readonly IdSpace<string>[]): Vocabularies {
  const ids = new Map(spaces.flatMap(({ axes, ids }) => axes.map((axis, i) => [axis, ids[i] ?? []] as const)));
  const known: Vocabularies = new Map(
    Object.entries({
      roles: { noun: "role", ids: new Set(ids.get("role")) },
      lanes: { noun: "lane", ids: new Set(ids.get("lane")) },
      tools: { noun: "tool", ids: new Set(ids.get("tool")) },
      // A request may write a name with `-` or `_`.
      personas: { noun: "agent", ids: new Set(ids.get("persona")?.flatMap((id) => [id, id.replaceAll("_", "-")])) },
      agent_types: { noun: "agent type", ids: new Set(ids.get("parent")) },
    }),
  );
  return new Map([...known].filter(([, { ids }]) => ids.size > 0));
}

export function isAboutChains(about: Claim["about"]): about is ReachSpace {
  return "name" in about && (about.name === "chain" || about.name === "reach");
}

type Reviewed = Pick<OpenedPolicy, "policy" | "data">;

/** Asks the policy all that a claim is about. A denial that is `open` shows nothing about other requests with these ids. */
export function checkClaim(opened: Reviewed, claim: Claim, open: OpenDenial, reach: Reach | undefined): Property {
  const { place, because } = claim;
  return { ...askClaim(opened, claim, open, reach), place, because };
}

function askClaim(
  { policy, data }: Reviewed,
  { about, holds, name }: Claim,
  openOf: OpenDenial,
  reach: Reach | undefined,
): Property {
  const witnesses = new Witnesses();
  if ("earlier" in about && about.earlier !== undefined) {
    askLimits(policy, policyTables(data) ?? {}, about, about.earlier, witnesses);
    return witnesses.property(name);
  }
  if ("gates" in about || "grant" in about || "isMonotone" in about) {
    witnesses.unsure({}, undefined, "a claim about gates or grants is proved by a solver alone");
    return witnesses.property(name);
  }
  if ("entrypoint" in about) {
    const { entrypoint, input } = about;
    const result = policy.evaluateJson(entrypoint, about.inputJson);
    witnesses.asked = 1;
    if (verdictOf(result) !== (holds === "always"))
      witnesses.add({ entrypoint, input }, undefined, `the answer is ${JSON.stringify(result) ?? "undefined"}`);
    return witnesses.property(name);
  }
  if (isAboutChains(about)) {
    // Without manifests there are no such questions, and the claim could not be read.
    if (reach === undefined) throw new Error("a claim about chains needs what is known of them");
    return reach.check(about, holds, name);
  }
  const asker = new Asker(policy);
  for (const ids of questions(about)) {
    witnesses.asked++;
    const answer = asker.ask(about, ids);
    const open = answer.allowed || holds === "always" ? undefined : openOf(about, ids, answer);
    if (answer.allowed !== (holds === "always"))
      witnesses.add(requestOf(about, ids), answer, answer.allowed ? "it is allowed" : "it is denied");
    else if (open !== undefined) witnesses.add(requestOf(about, ids), answer, open);
  }
  return witnesses.property(name);
}
