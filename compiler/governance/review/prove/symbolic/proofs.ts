/** Proofs for all requests: a solver looks for one that refutes a property. What it finds is asked of the module before it is shown. */

import { isJsonObject, type JsonObject } from "@portcullis/rego/value";
import { answerOf, type Space } from "../../decision-space.ts";
import type { OpenedPolicy } from "../../opened-policy.ts";
import { keys, member, policyIds, policyTables } from "../../policy-ids.ts";
import { minimal } from "../minimal.ts";
import { type Property, Witnesses } from "../property.ts";
import { type EncodedPolicy, Encoding } from "./encoding.ts";
import { type Formula, TooMany } from "./formula.ts";
import { NotEncodable } from "./not-encodable.ts";
import { requestOfModel } from "./request.ts";
import { smtQuery } from "./smt.ts";
import { readAnswer, type Solver } from "./solver.ts";
import type { Unknown } from "./unknowns.ts";

/** Decisions of which all requests can be reasoned about. */
export const PROVABLE = ["lane", "tool"] as const;
export type Provable = (typeof PROVABLE)[number];

/** Elements of a list or an object of a request over which rules loop. */
const BOUND = 3;
/** Milliseconds for one question. */
const PATIENCE = 60_000;

export interface ProofOptions {
  readonly solver: Solver;
}

/** A property of requests: what refutes it, as a formula and asked of the modules. */
interface Claimed {
  readonly name: string;
  readonly refutes: () => Formula;
  readonly isRefuted: (request: JsonObject) => boolean;
  readonly kept: readonly string[];
  readonly why: string;
}

/** Reasons about one policy, or about what a second one allows that the first does not. */
export class Proofs {
  private readonly encoding: Encoding;
  private readonly opened: OpenedPolicy;
  private readonly encoded: EncodedPolicy;
  private readonly before: { readonly opened: OpenedPolicy; readonly encoded: EncodedPolicy } | undefined;
  private readonly solver: Solver;

  private constructor(
    encoding: Encoding,
    opened: OpenedPolicy,
    encoded: EncodedPolicy,
    before: { readonly opened: OpenedPolicy; readonly encoded: EncodedPolicy } | undefined,
    solver: Solver,
  ) {
    this.encoding = encoding;
    this.opened = opened;
    this.encoded = encoded;
    this.before = before;
    this.solver = solver;
  }

  /** `undefined` where the Rego of a bundle does not compile. `before`: the policy that it is held against. */
  static async of(
    opened: OpenedPolicy,
    { solver }: ProofOptions,
    before?: OpenedPolicy | undefined,
  ): Promise<Proofs | undefined> {
    const encoding = new Encoding(BOUND);
    const encoded = await encoding.policy(opened, "policy");
    if (encoded === undefined) return undefined;
    if (before === undefined) return new Proofs(encoding, opened, encoded, undefined, solver);
    const other = await encoding.policy(before, "before");
    return other && new Proofs(encoding, opened, encoded, { opened: before, encoded: other }, solver);
  }

  /** Whether requests with these ids, and anything besides, are never or always allowed. */
  claim(about: Space, all: Space, holds: "never" | "always", name: string): Promise<Property> {
    const { formulas } = this.encoding.unknowns;
    const kind = about.name as Provable;
    const asked = about.axes.flatMap((axis, i) => {
      const [ids = [], known = []] = [about.ids[i], all.ids[i]];
      return ids.length === known.length ? [] : [{ axis, ids }];
    });
    return this.prove({
      name,
      refutes: () => {
        const allows = this.encoded.allows(entrypointOf(kind));
        const isAsked = asked.map(({ axis, ids }) => this.isOneOf(axis, ids));
        return formulas.and(...isAsked, holds === "never" ? allows : formulas.not(allows));
      },
      isRefuted: (request) => {
        const isAsked = asked.every(({ axis, ids }) => ids.includes(idIn(request, axis) ?? ""));
        return isAsked && this.answer(this.opened, kind, request).allowed === (holds === "never");
      },
      kept: asked.map(({ axis }) => (axis === "agent" ? "lineage" : axis)),
      why: holds === "never" ? "it is allowed" : "it is denied",
    });
  }

  /** All that a decision allows is granted by the data: the role in the lane, and there the tool. */
  allowsAreGrants(kind: Provable): Promise<Property> {
    const { formulas } = this.encoding.unknowns;
    const tables = policyTables(this.opened.data) ?? {};
    const grants = grantsIn(tables, kind);
    return this.prove({
      name: `${kind}: whatever else a request says, it is allowed for grants of the data alone`,
      refutes: () => {
        const isGranted = grants.map(({ lane, roles, tools }) =>
          formulas.and(
            this.isOneOf("lane", [lane]),
            this.isOneOf("role", roles),
            ...(tools === undefined ? [] : [this.isOneOf("tool", tools)]),
          ),
        );
        return formulas.and(this.encoded.allows(entrypointOf(kind)), formulas.not(formulas.or(...isGranted)));
      },
      isRefuted: (request) => {
        const isGranted = grants.some(
          ({ lane, roles, tools }) =>
            request["lane"] === lane &&
            roles.includes(String(request["role"])) &&
            (tools === undefined || tools.includes(String(request["tool"]))),
        );
        return !isGranted && this.answer(this.opened, kind, request).allowed;
      },
      kept: [],
      why: "the data lists no such grant",
    });
  }

  /** No request is allowed that the policy before denies. */
  allowsNoMore(kind: Provable): Promise<Property> {
    const { formulas } = this.encoding.unknowns;
    return this.prove({
      name: `${kind}: no request is newly allowed`,
      refutes: () => {
        const was = this.before?.encoded.allows(entrypointOf(kind)) ?? formulas.false;
        return formulas.and(this.encoded.allows(entrypointOf(kind)), formulas.not(was));
      },
      isRefuted: (request) =>
        this.answer(this.opened, kind, request).allowed &&
        this.before !== undefined &&
        !this.answer(this.before.opened, kind, request).allowed,
      kept: [],
      why: "it is allowed, and was denied",
    });
  }

  private answer({ policy }: OpenedPolicy, kind: Provable, request: JsonObject): ReturnType<typeof answerOf> {
    return answerOf(policy.evaluate(entrypointOf(kind), request));
  }

  private isOneOf(axis: string, ids: readonly string[]): Formula {
    const { formulas } = this.encoding.unknowns;
    return axis === "agent" ? this.isCalledBy(ids) : formulas.or(...ids.map((id) => this.isText(this.input(axis), id)));
  }

  private isText(unknown: Unknown, scalar: string): Formula {
    return this.encoding.unknowns.formulas.atom({ says: "is", of: unknown.id, scalar });
  }

  private input(name: string): Unknown {
    return this.encoding.unknowns.member(this.encoding.unknowns.input, name);
  }

  /** The agent at the end of the chain calls. */
  private isCalledBy(types: readonly string[]): Formula {
    const { unknowns } = this.encoding;
    const { formulas } = unknowns;
    const chain = this.input("lineage");
    unknowns.bounded.set(chain.name, chain);
    const lengths = Array.from({ length: unknowns.bound }, (_, i) => i + 1);
    return formulas.or(
      ...lengths.map((length) => {
        const type = unknowns.member(unknowns.element(chain, length - 1), "agent_type");
        const isOne = formulas.or(...types.map((name) => this.isText(type, name)));
        const [isLong, isLonger] = [unknowns.isLong(chain, length), unknowns.isLong(chain, length + 1)];
        return formulas.and(unknowns.is(chain, "array"), isLong, formulas.not(isLonger), isOne);
      }),
    );
  }

  private async prove(claimed: Claimed): Promise<Property> {
    const witnesses = new Witnesses();
    try {
      await this.search(claimed, witnesses);
    } catch (error) {
      if (!(error instanceof NotEncodable || error instanceof TooMany)) throw error;
      const why = error instanceof TooMany ? "the policy is too large" : error.why;
      witnesses.unsure({}, undefined, `not encodable: ${why}`);
    }
    const { bounded, bound } = this.encoding.unknowns;
    const upTo = [...bounded.keys()].map(nameInWords);
    const open = [this.encoded, ...(this.before === undefined ? [] : [this.before.encoded])];
    const left = [...new Map(open.flatMap((one) => [...one.open])).values()].map(({ what, span }) =>
      span === undefined ? what : `${what} (${span.file.name}:${span.file.positionAt(span.start).line})`,
    );
    return { ...witnesses.property(claimed.name), proof: { bound, upTo, open: [...new Set(left)] } };
  }

  private async search({ refutes, isRefuted, kept, why }: Claimed, witnesses: Witnesses): Promise<void> {
    const formula = refutes();
    let candidate: unknown;
    // A request of which every text is known to the policy is likelier to be answered as the solver thinks.
    for (const isPlain of [false, true]) {
      const query = smtQuery(this.encoding.unknowns, [formula], isPlain, PATIENCE);
      witnesses.asked++;
      const answer = readAnswer(await this.solver(query.text));
      if (answer.verdict === "unsat" && !isPlain) return;
      if (answer.verdict !== "sat") continue;
      candidate = requestOfModel(this.encoding.unknowns, query, answer.values);
      if (!isJsonObject(candidate) || !isRefuted(candidate)) continue;
      const request = minimal(candidate, isRefuted, kept);
      witnesses.add(request, undefined, why);
      return;
    }
    if (candidate === undefined) witnesses.unsure({}, undefined, "the solver did not answer in time");
    else witnesses.unsure(candidate, undefined, "the module answers otherwise than the solver thinks");
  }
}

const entrypointOf = (kind: Provable): string => `portcullis/${kind}/decision`;

/** What a request says of an axis. */
function idIn(request: JsonObject, axis: string): string | undefined {
  const chain = request["lineage"];
  const said =
    axis === "agent" ? (Array.isArray(chain) ? member(chain.at(-1), "agent_type") : undefined) : request[axis];
  return typeof said === "string" ? said : undefined;
}

interface Granted {
  readonly lane: string;
  readonly roles: readonly string[];
  /** Absent where no tool is asked about. */
  readonly tools?: readonly string[];
}

function grantsIn(tables: JsonObject, kind: Provable): Granted[] {
  const { roles, lanes } = policyIds(tables);
  return lanes.map((lane) => {
    const row = member(tables["lanes"], lane);
    const admitted = keys(member(row, "roles")).filter((role) => roles.includes(role));
    if (kind === "lane") return { lane, roles: admitted };
    const tools = keys(member(row, "tools")).filter((tool) => {
      const registered = member(tables["tools"], tool);
      const isReady = member(registered, "implementation_status") === "implemented";
      return isReady && member(registered, "enabled") === true;
    });
    return { lane, roles: admitted, tools };
  });
}

/** `input["args"]["x"]` as people write it. */
const nameInWords = (name: string): string => name.replace(/\["([A-Za-z_]\w*)"\]/g, ".$1");
