/** Proofs for all requests: a solver looks for one that refutes a property. What it finds is asked of the module before it is shown. */

import { isJsonObject, type JsonObject } from "@portcullis/rego/value";
import { type Answer, answerOf, type Space } from "../../decision-space.ts";
import type { OpenedPolicy } from "../../opened-policy.ts";
import { keys, member, policyIds, policyTables } from "../../policy-ids.ts";
import { underAnyRevision, underOwnRevision } from "../../search/approval-questions.ts";
import { requestsTo } from "../../search/questions.ts";
import type { Grant } from "../grants.ts";
import { minimal } from "../minimal.ts";
import { type Property, Witnesses } from "../property.ts";
import { type AskedIds, grantsIn, isGiven, isOneOf, memberOf, narrowed, requestsOfIds, says } from "./axes.ts";
import type { Given } from "./cases.ts";
import type { Names } from "./content-names.ts";
import {
  type EncodedPolicy,
  Encoding,
  type LeftOut,
  type PlannedPolicy,
  plannedPolicy,
  readingBeyond,
  sharedWith,
} from "./encoding.ts";
import { type Formula, type Formulas, TooMany } from "./formula.ts";
import { type LeftOpen, NotEncodable } from "./not-encodable.ts";
import { changedRows, partsOf, regionsOf } from "./parts.ts";
import { requestOfModel } from "./request.ts";
import { smtQuery } from "./smt.ts";
import { readAnswer, type Solver } from "./solver.ts";
import type { Subsets } from "./subsets.ts";

/** Decisions of which all requests can be reasoned about. */
export const PROVABLE = ["lane", "tool", "call"] as const;
export type Provable = (typeof PROVABLE)[number];
/** Those that a lane's roles and tools alone may allow. */
export const GRANTED = ["lane", "tool"] as const;

/** Members of a request that say ids. */
const IDS = ["role", "lane", "tool", "lineage"];

/** Elements of a list or an object of a request over which rules loop. */
const BOUND = 3;
/** Requests that are asked before the solver is. */
const MOST_TRIED = 5000;

export interface ProofOptions {
  readonly solver: Solver;
}

/** One request, and what policies say of it. */
interface Asked {
  readonly encoding: Encoding;
  readonly encoded: EncodedPolicy;
  readonly before: EncodedPolicy | undefined;
}

/** A property of requests: what refutes it, as a formula and asked of the modules. */
interface Claimed {
  readonly name: string;
  readonly kind: Provable;
  /** Ids of which a member of the request is one; those of which no more is said stand for all. */
  readonly ids: ReadonlyMap<string, readonly string[]>;
  /** Functions that it may well hold without, whatever they give. */
  readonly leftOut: LeftOut;
  readonly refutes: (asked: Asked) => Formula;
  readonly isRefuted: (request: JsonObject) => boolean;
  /** Requests that may well refute it. */
  readonly tried: () => Iterable<JsonObject>;
  readonly kept: readonly string[];
  readonly why: string;
  /** The policies with some of their grants, where it is about all of them. */
  readonly subsets?: Subsets;
}

/** What the solver is asked about at once. */
interface Part {
  readonly given: Given;
  /** Absent where nothing is. */
  readonly leftOut?: LeftOut;
}

/** Reasons about one policy, or about what a second one allows that the first does not. */
export class Proofs {
  private readonly policy: PlannedPolicy;
  private readonly before: PlannedPolicy | undefined;
  private readonly solver: Solver;

  private constructor(policy: PlannedPolicy, before: PlannedPolicy | undefined, solver: Solver) {
    this.policy = policy;
    this.before = before;
    this.solver = solver;
  }

  /**
   * `undefined` where the Rego of a bundle does not compile. `before`: the policy that it is held against. `grants`: those that
   * the policy has or not.
   */
  static async of(
    opened: OpenedPolicy,
    { solver }: ProofOptions,
    before?: OpenedPolicy | undefined,
    grants: readonly Grant[] = [],
  ): Promise<Proofs | undefined> {
    const names: Names = new Map();
    const policy = await plannedPolicy(opened, names, grants);
    const other = before && (await plannedPolicy(before, names));
    if (policy === undefined || (before !== undefined && other === undefined)) return undefined;
    return new Proofs(policy, other, solver);
  }

  /** Whether requests with these ids, and anything besides, are never or always allowed, or never denied by some gates. */
  claim(
    about: Space & { readonly gates?: readonly string[] },
    all: Space,
    holds: "never" | "always",
    name: string,
  ): Promise<Property> {
    const kind = about.name as Provable;
    const { gates } = about;
    const asked = narrowed(about, all);
    const isRefuted = (request: JsonObject): boolean => {
      if (!says(request, asked)) return false;
      const { allowed, gate } = this.answer(this.policy, kind, request);
      return gates === undefined ? allowed === (holds === "never") : !allowed && gates.includes(gate);
    };
    return this.prove({
      ...{ name, kind, isRefuted },
      ids: new Map(asked.filter(({ axis }) => axis !== "agent").map(({ axis, ids }) => [axis, ids])),
      leftOut: readingBeyond(this.policy, new Set([...IDS, ...asked.map(({ axis }) => memberOf(axis))])),
      refutes: ({ encoding, encoded }) => {
        const { formulas } = encoding.unknowns;
        const allows = encoded.allows(entrypointOf(kind));
        const isOne = asked.map(({ axis, ids }) => isOneOf(encoding, axis, ids));
        if (gates !== undefined)
          return formulas.and(
            ...isOne,
            formulas.or(...gates.map((gate) => this.deniesBy(gate, kind, encoded, formulas))),
          );
        return formulas.and(...isOne, holds === "never" ? allows : formulas.not(allows));
      },
      tried: () => {
        const likely = this.likely(kind, new Set(asked.flatMap(({ ids }) => ids)));
        if (gates !== undefined) return concatenated(requestsOfIds(asked), likely);
        return holds === "never" ? likely : requestsOfIds(asked);
      },
      kept: asked.map(({ axis }) => memberOf(axis)),
      why: gates !== undefined ? "this gate denies it" : holds === "never" ? "it is allowed" : "it is denied",
    });
  }

  /** Requests with these ids are allowed where the policy before allows them, and nowhere else: what this one has more never matters. */
  matchesBefore(about: Space, all: Space, name: string): Promise<Property> {
    const kind = about.name as Provable;
    const asked = narrowed(about, all);
    const before = this.before ?? this.policy;
    return this.prove({
      ...{ name, kind },
      ids: new Map(asked.filter(({ axis }) => axis !== "agent").map(({ axis, ids }) => [axis, ids])),
      leftOut: sharedWith(before, this.policy),
      refutes: ({ encoding, encoded, before: other }) => {
        const { formulas } = encoding.unknowns;
        const [now, was] = [encoded, other ?? encoded].map((policy) => policy.allows(entrypointOf(kind)));
        const [isNow, wasBefore] = [now as Formula, was as Formula];
        const differ = formulas.or(
          formulas.and(isNow, formulas.not(wasBefore)),
          formulas.and(wasBefore, formulas.not(isNow)),
        );
        return formulas.and(...asked.map(({ axis, ids }) => isOneOf(encoding, axis, ids)), differ);
      },
      isRefuted: (request) =>
        says(request, asked) && this.allows(this.policy, kind, request) !== this.allows(before, kind, request),
      tried: () => this.likely(kind, new Set(asked.flatMap(({ ids }) => ids))),
      kept: asked.map(({ axis }) => memberOf(axis)),
      why: "it is decided otherwise without the grant",
    });
  }

  /** All that a decision allows is granted by the data: the role in the lane, and there the tool. */
  allowsAreGrants(kind: (typeof GRANTED)[number]): Promise<Property> {
    const tables = policyTables(this.policy.opened.data) ?? {};
    const grants = grantsIn(tables, kind);
    return this.prove({
      name: `${kind}: whatever else a request says, it is allowed for grants of the data alone`,
      kind,
      ids: new Map(),
      leftOut: readingBeyond(this.policy, new Set(IDS)),
      refutes: ({ encoding, encoded }) => {
        const { formulas } = encoding.unknowns;
        const isGranted = grants.map(({ lane, roles, tools }) =>
          formulas.and(
            isOneOf(encoding, "lane", [lane]),
            isOneOf(encoding, "role", roles),
            ...(tools === undefined ? [] : [isOneOf(encoding, "tool", tools)]),
          ),
        );
        return formulas.and(encoded.allows(entrypointOf(kind)), formulas.not(formulas.or(...isGranted)));
      },
      isRefuted: (request) => {
        const isGranted = grants.some(
          ({ lane, roles, tools }) =>
            request["lane"] === lane &&
            roles.includes(String(request["role"])) &&
            (tools === undefined || tools.includes(String(request["tool"]))),
        );
        return !isGranted && this.allows(this.policy, kind, request);
      },
      tried: () => [],
      kept: [],
      why: "the data lists no such grant",
    });
  }

  /** No request is allowed that the policy before denies. Approvals are given under the policy that is asked. */
  allowsNoMore(kind: Provable): Promise<Property> {
    const ids = new Set(changedRows(this.policies).flatMap(([, rows]) => rows));
    const tried = (): Iterable<JsonObject> => this.likely(kind, ids);
    const why = "it is allowed, and was denied";
    return this.prove({ ...this.newlyAllowed(kind, []), name: `${kind}: no request is newly allowed`, tried, why });
  }

  /** No policy with some of the grants alone allows a request with these ids that the one with all of them, `before`, denies. */
  subsetsAllowNoMore(about: Space, all: Space, name: string, subsets: Subsets): Promise<Property> {
    const claimed = this.newlyAllowed(about.name as Provable, narrowed(about, all));
    return this.prove({ ...claimed, name, subsets, tried: () => [], why: "denied, but allowed without" });
  }

  private newlyAllowed(kind: Provable, asked: readonly AskedIds[]): Omit<Claimed, "name" | "tried" | "why"> {
    const before = this.before ?? this.policy;
    return {
      kind,
      ids: new Map(asked.filter(({ axis }) => axis !== "agent").map(({ axis, ids }) => [axis, ids])),
      leftOut: sharedWith(before, this.policy),
      refutes: ({ encoding, encoded, before: other }) => {
        const { formulas } = encoding.unknowns;
        const was = (other ?? encoded).allows(entrypointOf(kind));
        const isOne = asked.map(({ axis, ids }) => isOneOf(encoding, axis, ids));
        return formulas.and(...isOne, encoded.allows(entrypointOf(kind)), formulas.not(was));
      },
      isRefuted: (request) =>
        says(request, asked) && this.allows(this.policy, kind, request) && !this.allows(before, kind, request),
      kept: asked.map(({ axis }) => memberOf(axis)),
    };
  }

  /** A fault of the evaluation is answered under the gate of what cannot be decided. */
  private deniesBy(gate: string, kind: Provable, encoded: EncodedPolicy, formulas: Formulas): Formula {
    const entrypoint = entrypointOf(kind);
    const names = formulas.and(encoded.denies(entrypoint, gate), formulas.not(encoded.allows(entrypoint)));
    return gate === faultGate(this.policy.opened, kind) ? formulas.or(names, encoded.fails(entrypoint)) : names;
  }

  private allows(policy: PlannedPolicy, kind: Provable, request: JsonObject): boolean {
    return this.answer(policy, kind, request).allowed;
  }

  private answer({ opened }: PlannedPolicy, kind: Provable, request: JsonObject): Answer {
    const asked = underOwnRevision(request, policyTables(opened.data));
    return answerOf(opened.policy.evaluate(entrypointOf(kind), asked));
  }

  /** Requests that the tables let expect an allow. */
  private *likely(kind: Provable, ids: ReadonlySet<string>): Generator<JsonObject> {
    const tables = policyTables(this.policy.opened.data);
    if (tables === undefined) return;
    const isAllowed = (request: JsonObject): boolean => this.allows(this.policy, kind, request);
    // Lanes that have one of the tools, where no lane is named: there are too many others.
    const lanes = policyIds(tables).lanes;
    const having = lanes.filter((lane) => keys(member(member(tables["lanes"], lane), "tools")).some((t) => ids.has(t)));
    const focus = lanes.some((lane) => ids.has(lane)) ? ids : new Set([...ids, ...having]);
    for (const request of requestsTo(kind, tables, focus, isAllowed)) yield underAnyRevision(request, tables);
  }

  private get policies(): readonly OpenedPolicy[] {
    return [this.policy, ...(this.before === undefined ? [] : [this.before])].map(({ opened }) => opened);
  }

  private asked({ given, leftOut }: Part): Asked {
    const encoding = new Encoding(BOUND, given);
    const before = this.before && encoding.policy(this.before, leftOut);
    return { encoding, encoded: encoding.policy(this.policy, leftOut), before };
  }

  private async prove(claimed: Claimed): Promise<Property> {
    const witnesses = new Witnesses();
    const bounded = new Set<string>();
    const open = new Map<string, LeftOpen>();
    /** Whether no request of the part refutes it. */
    const isProved = async (part: Part): Promise<boolean> => {
      const asked = this.asked(part);
      const found = await this.search(claimed, part, asked, witnesses);
      if (part.leftOut !== undefined && !found) return false;
      for (const name of asked.encoding.unknowns.bounded.keys()) bounded.add(nameInWords(name));
      for (const one of [asked.encoded, asked.before]) for (const left of one?.open ?? []) open.set(...left);
      return found;
    };
    for (const given of this.found(claimed, claimed.tried(), witnesses) ? [] : regionsOf(this.policies, claimed.ids)) {
      if (witnesses.found.length > 0) break;
      const { kind, leftOut, subsets } = claimed;
      // A lane or a tool is decided by so little that nothing need be left out; and whatever reads grants counts where they may be away.
      const isLess = kind === "call" && subsets === undefined;
      if ((await isProved(isLess ? { given, leftOut } : { given })) || kind !== "call") continue;
      for (const part of partsOf(this.policies, given))
        if (witnesses.found.length === 0) await isProved({ given: part });
    }
    const left = [...open.values()].map(({ what, span }) =>
      span === undefined ? what : `${what} (${span.file.name}:${span.file.positionAt(span.start).line})`,
    );
    return {
      ...witnesses.property(claimed.name),
      proof: { bound: BOUND, upTo: [...bounded], open: [...new Set(left)] },
    };
  }

  /** Requests with the ids and the chain of one, and all that the tables let expect an allow. */
  private *alike(kind: Provable, { lineage, ...said }: JsonObject): Generator<JsonObject> {
    const chain = lineage === undefined ? {} : { lineage };
    const ids = new Set(IDS.flatMap((axis) => (typeof said[axis] === "string" ? [said[axis]] : [])));
    for (const request of this.likely(kind, ids)) yield { ...request, ...chain };
  }

  /** Asks the modules themselves. What refutes it is shown. */
  private found(claimed: Claimed, tried: Iterable<JsonObject>, witnesses: Witnesses): boolean {
    let asked = 0;
    for (const request of tried) {
      if (asked++ === MOST_TRIED) return false;
      if (!claimed.isRefuted(request)) continue;
      this.show(claimed, request, witnesses);
      return true;
    }
    return false;
  }

  private show({ isRefuted, kept, why, subsets }: Claimed, found: JsonObject, witnesses: Witnesses): void {
    subsets?.giveBack(() => isRefuted(found));
    const request = minimal(found, isRefuted, kept);
    subsets?.giveBack(() => isRefuted(request));
    const reason = subsets === undefined ? why : `${why} ${subsets.names}`;
    witnesses.add(underOwnRevision(request, policyTables(this.policy.opened.data)), undefined, reason);
  }

  /** Whether no request refutes it. One that does is shown where nothing is left out. */
  private async search(
    claimed: Claimed,
    { given, leftOut }: Part,
    asked: Asked,
    witnesses: Witnesses,
  ): Promise<boolean> {
    const isWhole = leftOut === undefined;
    try {
      const { unknowns } = asked.encoding;
      const formula = unknowns.formulas.and(claimed.refutes(asked), isGiven(asked.encoding, given));
      witnesses.asked++;
      if (formula === unknowns.formulas.false) return true;
      // What may be asked is any value; requests that can be shown are objects.
      let candidate: unknown;
      const isObject = unknowns.is(unknowns.input, "object");
      // An object, of which every text is known to the policy, is likelier to be answered as the solver thinks.
      for (const texts of isWhole ? (["any", "known", "exact"] as const) : (["any", "exact"] as const)) {
        const query = smtQuery(unknowns, texts === "known" ? [formula, isObject] : [formula], texts);
        if (texts === "exact" && !query.hasParts) break;
        if (texts !== "any") witnesses.asked++;
        const answer = readAnswer(await this.solver(query.text));
        if (answer.verdict === "unsat" && texts !== "known") return true;
        if (answer.verdict !== "sat") continue;
        candidate = requestOfModel(unknowns, query, answer.values);
        claimed.subsets?.read(unknowns, answer.values);
        const tried = !isJsonObject(candidate) ? [] : isWhole ? [candidate] : this.alike(claimed.kind, candidate);
        if (this.found(claimed, tried, witnesses)) return false;
      }
      if (candidate === undefined && isWhole) witnesses.unsure({}, undefined, "the solver gave up");
      else if (isWhole) witnesses.unsure(candidate, undefined, "the module answers otherwise than the solver thinks");
    } catch (error) {
      if (!(error instanceof NotEncodable || error instanceof TooMany)) throw error;
      const why = error instanceof TooMany ? "the policy is too large" : error.why;
      if (isWhole) witnesses.unsure({}, undefined, `not encodable: ${why}`);
    }
    return false;
  }
}

function* concatenated<T>(...all: readonly Iterable<T>[]): Generator<T> {
  for (const one of all) yield* one;
}

/** The gate that a decision names where nothing could be decided: that of a request which is not JSON. */
export function faultGate({ policy }: OpenedPolicy, kind: Provable): string {
  return answerOf(policy.evaluate(entrypointOf(kind), new Map())).gate;
}

const entrypointOf = (kind: Provable): string => `portcullis/${kind}/decision`;

/** `input["args"]["x"]` as people write it. */
const nameInWords = (name: string): string => name.replace(/\["([A-Za-z_]\w*)"\]/g, ".$1");
