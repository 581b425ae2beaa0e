/** Policies as formulas over one request: what their decisions allow, of all requests that there are. */

import { BUILTIN_LIMITS } from "@portcullis/rego/optimize";
import { eachStmt, type Func, INPUT, type Policy } from "@portcullis/rego/plan";
import { elementOf, type Value } from "@portcullis/rego/value";
import { describeBundle } from "@portcullis/runtime";
import { exactData } from "../../bundle-data.ts";
import { regoOf, schemasByName } from "../../host-data-policy.ts";
import type { OpenedPolicy } from "../../opened-policy.ts";
import { member, texts } from "../../policy-ids.ts";
import { OWN_REVISION } from "../../search/approval-questions.ts";
import type { Grant } from "../grants.ts";
import type { KnownBuiltin } from "./builtins.ts";
import { CaseMaker, type Given } from "./cases.ts";
import { contentNames, type Names } from "./content-names.ts";
import type { Formula } from "./formula.ts";
import { keptData, marked } from "./kept-data.ts";
import { Machine, type Outcomes } from "./machine.ts";
import type { LeftOpen } from "./not-encodable.ts";
import { type Unknown, Unknowns } from "./unknowns.ts";

/** What is read of a policy once, for all questions about it. */
export interface PlannedPolicy {
  readonly opened: OpenedPolicy;
  readonly plan: Policy;
  readonly known: KnownBuiltin;
  /** The bundle's data, with a word in place of each part that the host gives. */
  readonly data: Value;
  /** Those words, with the paths of the parts. */
  readonly holes: ReadonlyMap<Value, string>;
  /** Grants that are there or not, whichever: the policy is any of those with some of its grants. */
  readonly grants: readonly Grant[];
  /** Functions of one name give the same for the same arguments and requests that are given, in all policies of one table of names. */
  readonly nameOf: (func: Func, given: Given) => string;
}

/**
 * Reads the Rego of a bundle. `undefined` where it does not compile as it is.
 *
 * Cost: one compilation up to the plan.
 */
export async function plannedPolicy(
  opened: OpenedPolicy,
  names: Names,
  grants: readonly Grant[] = [],
): Promise<PlannedPolicy | undefined> {
  const modules = regoOf(opened);
  if (!modules.ok) return undefined;
  const [{ planModules }, { builtinCaller }] = await Promise.all([
    import("@portcullis/rego/pipeline"),
    import("@portcullis/rego/wasm"),
  ]);
  const { builtins } = await describeBundle(opened.bundle);
  const { policy: plan } = planModules({
    modules: modules.value,
    schemas: schemasByName(),
    ensure: opened.policy.entrypoints,
    allowBuiltins: builtins,
    indexFrom: Number.POSITIVE_INFINITY,
  });
  if (plan === undefined) return undefined;
  const holes = new Map<Value, string>();
  const data = dataOf(opened, holes);
  const known = builtinCaller(...BUILTIN_LIMITS);
  return { opened, plan, known, data, holes, grants, nameOf: contentNames(plan, marked(data, grants), names) };
}

/** Functions that may give anything: fewer are looked at, and what is proved holds whatever they give. */
export type LeftOut = (func: Func, given: Given) => boolean;

/** Those that read other members of the request than these. */
export function readingBeyond({ plan: { strings } }: PlannedPolicy, members: ReadonlySet<string>): LeftOut {
  return ({ blocks }) => {
    let isBeyond = false;
    eachStmt(blocks, (stmt) => {
      if (stmt.kind !== "DotStmt" || stmt.source.kind !== "Local" || stmt.source.local !== INPUT) return;
      isBeyond ||= stmt.key.kind !== "String" || !members.has(strings[stmt.key.index] as string);
    });
    return isBeyond;
  };
}

/** Those that another policy has, too. */
export function sharedWith(other: PlannedPolicy, { nameOf }: PlannedPolicy): LeftOut {
  const known = new WeakMap<Given, ReadonlySet<string>>();
  return (func, given) => {
    const names = known.get(given) ?? new Set(other.plan.funcs.map((one) => other.nameOf(one, given)));
    known.set(given, names);
    return names.has(nameOf(func, given));
  };
}

/** The requests of some policies: one request for all of them. */
export class Encoding {
  readonly unknowns: Unknowns;
  private readonly maker: CaseMaker;
  private readonly given: Given;
  /** What functions came to, of all the policies: where one is the same in two, it is looked at once. */
  private readonly outcomes: Outcomes = new Map();

  /**
   * `bound`: elements that a list or an object over which rules loop has at most. `given`: which texts members of the
   * request are or are not: formulas are about such requests alone, and each question says that it is one.
   */
  constructor(bound: number, given: Given = new Map()) {
    this.given = given;
    this.unknowns = new Unknowns(bound);
    this.maker = new CaseMaker(this.unknowns, given);
  }

  policy(
    { plan, known, data: whole, holes, grants, nameOf }: PlannedPolicy,
    leftOut: LeftOut = () => false,
  ): EncodedPolicy {
    const unknowns = new Map([...holes].map(([hole, path]) => [hole, this.hostData(path)]));
    const data = grants.length === 0 ? this.maker.known(whole) : keptData(whole, grants, this.maker, unknowns);
    const { given, outcomes } = this;
    const machine = new Machine(this.maker, {
      ...{ policy: plan, data, holes: unknowns, known, outcomes },
      nameOf: (func) => nameOf(func, given),
      leftOut: (func) => leftOut(func, given),
    });
    return {
      open: machine.open,
      allows: (entrypoint) => machine.allows(entrypoint),
      denies: (entrypoint, gate) => machine.says(entrypoint, "gate", { kind: "string", value: gate }),
      fails: (entrypoint) => machine.fails(entrypoint),
    };
  }

  private hostData(path: string): Unknown {
    const unknown = this.unknowns.named(`data.${path}`, { from: "host", path });
    this.unknowns.axioms.push(this.unknowns.isDefined(unknown));
    return unknown;
  }
}

/** The bundle's data, with holes where the host gives some. */
function dataOf({ data, files }: OpenedPolicy, holes: Map<Value, string>): Value {
  const manifest: unknown = JSON.parse(new TextDecoder().decode(files.get(".manifest")) || "{}");
  let whole = exactData({ data, files });
  for (const path of texts(member(member(manifest, "metadata"), "portcullis_host_data"))) {
    const hole: Value = { kind: "string", value: `(data.${path}, from the host)` };
    holes.set(hole, path);
    whole = withValue(whole, path.split("."), hole);
  }
  return ownRevision(whole);
}

/** With a word for the revision that approvals of calls name: that of each policy is its own. */
function ownRevision(data: Value): Value {
  const path = ["portcullis", "policy", "approval_revision"];
  const has = path.reduce<Value | undefined>((of, key) => of && elementOf(of, { kind: "string", value: key }), data);
  return has === undefined ? data : withValue(data, path, { kind: "string", value: OWN_REVISION });
}

export interface EncodedPolicy {
  /** What was left open, by name. */
  readonly open: ReadonlyMap<string, LeftOpen>;
  /** When an entrypoint allows. */
  allows(entrypoint: string): Formula;
  /** When its answer names this gate. */
  denies(entrypoint: string, gate: string): Formula;
  /** When its evaluation has no result. */
  fails(entrypoint: string): Formula;
}

function withValue(object: Value, [key = "", ...rest]: readonly string[], value: Value): Value {
  const entries = object.kind === "object" ? object.entries : [];
  const isKey = ([k]: readonly [Value, Value]): boolean => k.kind === "string" && k.value === key;
  const inner = entries.find(isKey)?.[1] ?? { kind: "object", entries: [] };
  const added: readonly [Value, Value] = [
    { kind: "string", value: key },
    rest.length === 0 ? value : withValue(inner, rest, value),
  ];
  return { kind: "object", entries: [...entries.filter((entry) => !isKey(entry)), added] };
}
