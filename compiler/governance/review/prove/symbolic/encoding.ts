/** Policies as formulas over one request: what their decisions allow, of all requests that there are. */

import { BUILTIN_LIMITS } from "@portcullis/rego/optimize";
import type { Func } from "@portcullis/rego/plan";
import { type Value, valueOfJson } from "@portcullis/rego/value";
import { describeBundle } from "@portcullis/runtime";
import { regoOf, schemasByName } from "../../host-data-policy.ts";
import type { OpenedPolicy } from "../../opened-policy.ts";
import { member, texts } from "../../policy-ids.ts";
import { CaseMaker } from "./cases.ts";
import type { Formula } from "./formula.ts";
import { Machine } from "./machine.ts";
import type { LeftOpen } from "./not-encodable.ts";
import { type Unknown, Unknowns } from "./unknowns.ts";

/** The requests of some policies: one request for all of them. */
export class Encoding {
  readonly unknowns: Unknowns;
  private readonly maker: CaseMaker;

  /** `bound`: elements that a list or an object over which rules loop has at most. */
  constructor(bound: number) {
    this.unknowns = new Unknowns(bound);
    this.maker = new CaseMaker(this.unknowns);
  }

  /**
   * Reads the Rego and the data of a bundle. `undefined` where the Rego does not compile as it is. `name` tells policies apart.
   *
   * Cost: one compilation up to the plan.
   */
  async policy(opened: OpenedPolicy, name: string): Promise<EncodedPolicy | undefined> {
    const modules = regoOf(opened);
    if (!modules.ok) return undefined;
    const [{ planModules }, { builtinCaller }] = await Promise.all([
      import("@portcullis/rego/pipeline"),
      import("@portcullis/rego/wasm"),
    ]);
    const { builtins } = await describeBundle(opened.bundle);
    const { policy } = planModules({
      modules: modules.value,
      schemas: schemasByName(),
      ensure: opened.policy.entrypoints,
      allowBuiltins: builtins,
      indexFrom: Number.POSITIVE_INFINITY,
    });
    if (policy === undefined) return undefined;
    const holes = new Map<Value, Unknown>();
    const data = this.dataOf(opened, holes);
    const nameOf = (func: Func): string => `${name}:${func.name}`;
    const call = builtinCaller(...BUILTIN_LIMITS);
    const machine = new Machine(this.maker, { policy, data, holes, nameOf, known: call });
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
    return whole;
  }
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
