/** A policy with some of its grants: which ones, read from a solver's answer, and no fewer than refute what is claimed. */

import type { JsonObject } from "@portcullis/rego/value";
import type { Policy } from "@portcullis/runtime";
import type { OpenedPolicy } from "../../opened-policy.ts";
import { policyTables } from "../../policy-ids.ts";
import { type Grant, grantsOf } from "../grants.ts";
import { withTables } from "../properties.ts";
import { keptUnknown } from "./kept-data.ts";
import type { Unknowns } from "./unknowns.ts";

export class Subsets {
  readonly grants: readonly Grant[];
  /** The policy that is asked: the same Rego, and data without some of the grants. */
  readonly opened: OpenedPolicy;
  private readonly tables: JsonObject;
  private removed: readonly Grant[] = [];

  /** `policy` is set to other data, and left with it. */
  constructor(whole: OpenedPolicy, policy: Policy, decision: string) {
    this.opened = { ...whole, policy };
    this.tables = policyTables(whole.data) ?? {};
    this.grants = grantsOf(this.tables).filter((grant) => decision !== "call" || !namesNoPerson(grant));
  }

  get names(): string {
    return this.removed.map(({ name }) => name).join(", ");
  }

  /** Takes the grants that an answer does not keep; one that it does not speak of is kept. */
  read(unknowns: Unknowns, values: ReadonlyMap<string, string>): void {
    this.remove(this.grants.filter((grant) => Number(values.get(`k${keptUnknown(unknowns, grant).id}`) ?? 1) === 0));
  }

  /** Gives grants back, many at once first, while that still holds: each one that is then missing is needed for it. */
  giveBack(holds: () => boolean): void {
    for (let size = Math.ceil(this.removed.length / 2); size > 0; ) {
      const before = this.removed;
      const chunk = before.findIndex((_, at) => {
        if (at % size !== 0) return false;
        this.remove([...before.slice(0, at), ...before.slice(at + size)]);
        return holds();
      });
      if (chunk !== -1) continue;
      this.remove(before);
      size = size === 1 ? 0 : Math.ceil(size / 2);
    }
  }

  private remove(grants: readonly Grant[]): void {
    this.removed = grants;
    const tables = grants.reduce((left, grant) => grant.remove(left), this.tables);
    this.opened.policy.setData(withTables(this.opened.data, tables));
  }
}

/** Rows that say, too, that a name is no person's, who might approve a call: without one, more people may approve. */
function namesNoPerson({ places }: Grant): boolean {
  return places.some(([table = "", ...path]) => path.length === 1 && ["roles", "agents", "manifests"].includes(table));
}
