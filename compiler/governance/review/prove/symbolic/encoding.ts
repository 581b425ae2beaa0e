/** Policies as formulas over one request: what their decisions allow, of all requests that there are. */

import { BUILTIN_LIMITS } from "@portcullis/rego/optimize";
import type { Policy } from "@portcullis/rego/plan";
import { elementOf, type Value, valueOfJson } from "@portcullis/rego/value";
import { describeBundle } from "@portcullis/runtime";
import { regoOf, schemasByName } from "../../host-data-policy.ts";
import type { OpenedPolicy } from "../../opened-policy.ts";
import { member, texts } from "../../policy-ids.ts";
import { OWN_REVISION } from "../../search/approval-questions.ts";
import type { KnownBuiltin } from "./builtins.ts";
import { CaseMaker, type Given } from "./cases.ts";
import { contentNames, type Names } from "./content-names.ts";
import type { Formula } from "./formula.ts";
import { Machine, type Outcomes } from "./machine.ts";
import type { LeftOpen } from "./not-encodable.ts";
import { type Unknown, Unknowns } from "./unknowns.ts";

/** What is read of a policy once, for all questions about it. */
export interface PlannedPolicy {
  readonly opened: OpenedPolicy;
  readonly plan: Policy;
  readonly known: KnownBuiltin;
}

/**
 * Reads the Rego of a bundle. `undefined` where it does not compile as it is.
 *
 * Cost: one compilation up to the plan.
 */
export async function plannedPolicy(opened: OpenedPolicy): Promise<PlannedPolicy | undefined> {
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
  return plan && { opened, plan, known: builtinCaller(...BUILTIN_LIMITS) };
}

/** The requests of some policies: one request for all of them. */
export class Encoding {
  readonly unknowns: Unknowns;
  private readonly maker: CaseMaker;
  /** What functions came to, of all the policies: where one is the same in two, it is looked at once. */
  private readonly outcomes: Outcomes = new Map();
  private readonly names: Names = new Map();

  /**
   * `bound`: elements that a list or an object over which rules loop has at most. `given`: which texts members of the
   * request are or are not: formulas are about such requests alone, and each question says that it is one.
   */
  constructor(bound: number, given: Given = new Map()) {
    this.unknowns = new Unknowns(bound);
    this.maker = new CaseMaker(this.unknowns, given);
  }

  policy({ opened, plan, known }: PlannedPolicy): EncodedPolicy {
    const holes = new Map<Value, Unknown>();
    const data = this.dataOf(opened, holes);
    const nameOf = contentNames(plan, data, this.names);
    const machine = new Machine(this.maker, { policy: plan, data, holes, nameOf, known, outcomes: this.outcomes });
    return { open: machine.open, allows: (entrypoint) => machine.allows(entrypoint) };
  }

  /** The bundle's data, with holes where the host gives some. */
  private dataOf({ data, files }: OpenedPolicy, holes: Map<Value, Unknown>): Value {
    const manifest: unknown = JSON.parse(new TextDecoder().decode(files.get(".manifest")) || "{}");
    let whole: Value = valueOfJson(data);
    for (const path of texts(member(member(manifest, "metadata"), "portcullis_host_data"))) {
      const hole: Value = { kind: "string", value: `(data.${path}, from the host)` };
      const unknown = this.unknowns.named(`data.${path}`, { from: "host", path });
      this.unknowns.axioms.push(this.unknowns.isDefined(unknown));
      holes.set(hole, unknown);
      whole = withValue(whole, path.split("."), hole);
    }
    return ownRevision(whole);
  }
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
