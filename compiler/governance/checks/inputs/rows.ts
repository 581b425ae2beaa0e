/** Ids for which a table of the author's has no row, or a function no value, of the requests that a body is about. */

import { type CheckedPolicy, isCallOf, type RuleDefinition } from "@portcullis/rego/analyze";
import { type Call, type Expr, isTerm, type Rule, type Term } from "@portcullis/rego/syntax";
import type { Value } from "@portcullis/rego/value";
import type { BodyKinds } from "./body-kinds.ts";
import { memberOf } from "./check-conditions.ts";
import { Constants, type WrittenData } from "./constants.ts";
import { groupsOf } from "./data-paths.ts";
import { dataPath, termsOfBody } from "./flow.ts";
import { isInside } from "./places.ts";

/** What the gates of lanes let through: a role in a lane with one of its tools, by the members of a request. */
type Grant = Readonly<Record<"input.role" | "input.lane" | "input.tool", string>>;

export interface Rowless {
  /** `input.role`. */
  readonly member: keyof Grant;
  readonly id: string;
}

/** What is looked up by a member of the request, and the ids that have something there. */
interface Lookup {
  readonly member: keyof Grant;
  readonly rows: ReadonlySet<string>;
}

export class Rows {
  private readonly policy: CheckedPolicy;
  private readonly constants: Constants;
  private readonly grants: readonly Grant[];

  constructor(policy: CheckedPolicy, known: WrittenData) {
    this.policy = policy;
    this.constants = new Constants(policy, known);
    this.grants = membersOf(known.data(["portcullis", "policy", "lanes"])).flatMap(([lane, table]) =>
      namesIn(table, "roles").flatMap((role) =>
        namesIn(table, "tools").map((tool): Grant => ({ "input.role": role, "input.lane": lane, "input.tool": tool })),
      ),
    );
  }

  /**
   * The first id, in order, of a request that gets to a negated condition and for which a table in it has no row. `undefined` without
   * such an id, and where the body says more of a member than which texts it may be.
   */
  lackedBy(expr: Expr, { head, body }: Rule, kinds: BodyKinds): Rowless | undefined {
    if (!isTerm(expr.body) || expr.body.kind !== "Call") return undefined;
    for (const arg of expr.body.args) {
      // `not t[x] == 1` holds where there is no row; what another call gets is looked up before it is negated.
      const isWithin = arg.kind === "Ref" && isCallOf(expr.body, "eq");
      const lookup = isWithin ? undefined : this.lookupOf(kinds.origin(arg), kinds);
      if (lookup === undefined) continue;
      const reaching = this.reaching(
        body.filter(({ span }) => !isInside(span, expr.span) && !isInside(span, head.span)),
        kinds,
      );
      const ids = reaching?.map((grant) => grant[lookup.member]).filter((id) => !lookup.rows.has(id)) ?? [];
      const [id] = ids.sort();
      if (id !== undefined) return { member: lookup.member, id };
    }
    return undefined;
  }

  private lookupOf(term: Term, kinds: BodyKinds): Lookup | undefined {
    return term.kind === "Call" ? this.ofFunction(term, kinds) : this.ofTable(term, kinds);
  }

  /** `data.desk.limit(input.role)`, of a function that only tells texts apart. */
  private ofFunction({ operator, args }: Call, kinds: BodyKinds): Lookup | undefined {
    const path = dataPath(operator);
    const [arg, ...others] = args;
    const member = arg && memberOf(kinds.origin(arg));
    const group = path && groupsOf(this.policy).at.get(path.join("\0"));
    if (path?.[0] === "portcullis" || group?.kind !== "function" || group.defaultRule !== undefined) return undefined;
    const taken = group.definitions.map(textsTakenBy);
    if (others.length > 0 || !isMember(member) || taken.includes(undefined)) return undefined;
    return { member, rows: new Set(taken.flatMap((texts) => texts ?? [])) };
  }

  /** `data.desk.limits[input.role]`, whatever is read of the row. */
  private ofTable(term: Term, kinds: BodyKinds): Lookup | undefined {
    const path = dataPath(term);
    if (term.kind !== "Ref" || path === undefined || path[0] === "portcullis") return undefined;
    const key = term.args[path.length];
    const member = key && memberOf(kinds.origin(key));
    const rows = this.constants.keys({ ...term, args: term.args.slice(0, path.length) });
    if (rows === undefined || !isMember(member)) return undefined;
    return { member, rows: new Set(rows.map(({ value }) => value)) };
  }

  /** The grants that these conditions are about; `undefined` where one says more of a member than which texts it may be. */
  private reaching(conditions: readonly Expr[], kinds: BodyKinds): readonly Grant[] | undefined {
    let grants = this.grants;
    let told = 0;
    for (const { body, negated } of conditions) {
      const wanted = !negated && isTerm(body) && body.kind === "Call" ? wantedBy(body, kinds) : undefined;
      if (wanted === undefined) continue;
      told++;
      grants = grants.filter((grant) => wanted.ids.includes(grant[wanted.member]));
    }
    const said = termsOfBody(conditions).filter((term) => isMember(memberOf(term)));
    return said.length > told ? undefined : grants;
  }
}

/** The texts for which a definition of a function has a value: `f("a") := 1`, `f(x) := 1 if x == "a"`; `undefined` for others. */
function textsTakenBy({ rule }: RuleDefinition): readonly string[] | undefined {
  const [param] = rule.head.args ?? [];
  if (rule.else !== undefined || param === undefined) return undefined;
  if (param.kind === "String") return rule.hasBody ? undefined : [param.value];
  const [only, ...others] = rule.body;
  if (only === undefined || others.length > 0 || only.negated || only.with.length > 0) return undefined;
  if (!isCallOf(only.body, "eq")) return undefined;
  const [a, b] = only.body.args as readonly [Term, Term];
  const [name, text] = a.kind === "Var" ? [a, b] : [b, a];
  const isOfParam = name.kind === "Var" && param.kind === "Var" && name.name === param.name;
  return isOfParam && text.kind === "String" ? [text.value] : undefined;
}

/** `input.tool == "a"`, `input.tool in {"a", "b"}`. */
function wantedBy(call: Call, kinds: BodyKinds): { member: keyof Grant; ids: readonly string[] } | undefined {
  const [a, b] = call.args.map((arg) => kinds.origin(arg));
  if (a === undefined || b === undefined) return undefined;
  for (const [term, other] of [
    [a, b],
    [b, a],
  ] as const) {
    const member = memberOf(term);
    if (!isMember(member)) continue;
    if (isCallOf(call, "eq") && other.kind === "String") return { member, ids: [other.value] };
    const isSet = other.kind === "Set" || other.kind === "Array";
    if (term === a && isCallOf(call, "internal.member_2") && isSet)
      return { member, ids: other.items.flatMap((item) => (item.kind === "String" ? [item.value] : [])) };
  }
  return undefined;
}

function isMember(member: string | undefined): member is keyof Grant {
  return member === "input.role" || member === "input.lane" || member === "input.tool";
}

function membersOf(value: Value | undefined): (readonly [name: string, value: Value])[] {
  const entries = value?.kind === "object" ? value.entries : [];
  return entries.flatMap(([key, member]) => (key.kind === "string" ? [[key.value, member] as const] : []));
}

function namesIn(table: Value, name: string): string[] {
  return membersOf(membersOf(table).find(([key]) => key === name)?.[1]).map(([id]) => id);
}
