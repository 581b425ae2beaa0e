/** A loaded policy, as services embed it. Deciding never throws: whatever goes wrong is a denial, and `lastFault` says why. */

import type { PolicyApprovals } from "./abi/index.ts";
import type { Interned } from "./encode/index.ts";
import type { Fault } from "./errors.ts";
import type { PathArguments } from "./facts/index.ts";
import {
  DECISION_KINDS,
  type DecisionKind,
  type DecisionOf,
  type EntrypointInput,
  type EntrypointPath,
  type EntrypointValue,
  entrypointOf,
  FAULTS,
  type FoundId,
  type KnownAs,
  type known,
  type PolicyIds,
  type RequestOf,
  type SearchedKind,
  type SearchedMember,
  type SearchRequest,
  searchedKind,
} from "./governance/index.ts";
import type { PolicyLimits } from "./history/index.ts";
import type { Answers } from "./host/index.ts";
import type { DecisionEvents, Overruling } from "./observe/index.ts";

/** An evaluator: of our own modules, or of another compiler's behind the same face. */
export interface Evaluator {
  readonly entrypoints: readonly string[];
  /** The result, or `undefined` when it is undefined or a fault; never throws. */
  evaluate(entrypoint: string, input: unknown): unknown;
  /** `evaluate` for an entrypoint by its place in `entrypoints`. */
  decide(id: number, input: unknown): unknown;
  /**
   * Texts for which all of the entrypoints allow the input that has them at `member`, which is written to; each is asked where
   * the one before allows. No listener and no meter hears of these evaluations.
   */
  allowedTexts(ids: readonly number[], input: Record<string, unknown>, member: string): string[];
  /** What of an input the entrypoint's rules can read: a FootprintNode of runtime/abi. */
  readsOf(entrypoint: string): unknown;
  /** What a fault of the entrypoint is answered with. */
  denialOf(entrypoint: string): unknown;
  /** A handle for a string. */
  intern(text: string): Interned;
  /** The same for an input as JSON text; with `recorded`, the host's sources answer as they did then. */
  evaluateJson(entrypoint: string, json: string | Uint8Array, recorded?: Answers): unknown;
  /** What the host's sources answered in the last evaluation; `undefined` without sources. */
  readonly answers?: Answers | undefined;
  /** Throws LoadError when the data cannot be policy data; the data before stays. */
  setData(data: unknown): void;
  /** Paths below `data` that the host has yet to supply. Absent: none. */
  readonly missingData?: readonly string[];
  /** Who asks, and what it answers instead. Absent without a listener. */
  readonly host?: { overrule?: Overruling | undefined; counts?: (() => void)[] | undefined };
  readonly lastFault: Fault | undefined;
  readonly faults: number;
  readonly memoryBytes: number;
}

/** What a policy knows of itself besides its rules. */
export interface PolicyFacts {
  /** The bundle's revision; `undefined` for a module that was never in one. */
  readonly revision: string | undefined;
  /** Against rollback: `portcullis build --sequence N`. */
  readonly sequence?: number | undefined;
  /** `version` of the policy's `lanes.yaml` and `roles.yaml`, where they have one. */
  readonly versions?: PolicyVersions | undefined;
  /** Below them everything under `data` is the policy's; sorted. */
  readonly roots?: readonly string[] | undefined;
  /** By tool, the arguments whose files the host says where they lie. */
  readonly pathArguments?: PathArguments | undefined;
  /** What the host keeps a history for, and under which name. */
  readonly limits?: PolicyLimits | undefined;
  readonly historyName?: string | undefined;
  readonly approvals?: PolicyApprovals | undefined;
  /** Where somebody listens. */
  readonly events?: DecisionEvents | undefined;
}

/** The authors' own versions of two policy files; harness records cite them. */
export interface PolicyVersions {
  readonly lanes?: string;
  readonly roles?: string;
}

/** Puts an evaluator around that of a policy: for what counts and times decisions. No export of the package. */
export let instrument: <Ids extends PolicyIds>(policy: Policy<Ids>, wrap: (evaluator: Evaluator) => Evaluator) => void;

/** Stands for a request that cannot be read: nothing that a policy takes. */
const UNREADABLE = Symbol("unreadable");

/**
 * Deciding never throws, whatever it is handed. The one thing left is a stack so full that the call itself has no room: then
 * it is the engine that throws, a RangeError, before anything here runs. Callers that recurse that deep must take it as a
 * denial.
 *
 * `Ids` is what is known of the policy set while a program is compiled: `load<typeof ids>` of a generated `types.ts`. What
 * takes a `Policy` takes a `Policy<Ids>` as well: each question says for itself what is known, and by default it is that.
 */
export class Policy<Ids extends PolicyIds = PolicyIds> implements KnownAs<Ids> {
  /** A type alone: what a guard takes its requests and answers from. */
  declare readonly [known]?: Ids;

  static {
    instrument = (policy, wrap) => {
      policy.evaluator = wrap(policy.evaluator);
    };
  }

  /** The bundle's revision; `undefined` for a module that was never in one. */
  readonly revision: string | undefined;
  /** The bundle's place in the order of bundles (`portcullis build --sequence N`); `undefined` where it has none. */
  readonly sequence: number | undefined;
  /** Versions that the policy files give themselves; empty where they give none. */
  readonly versions: PolicyVersions;
  /** Below them everything under `data` is the policy's. */
  readonly roots: readonly string[];
  /** By tool, the arguments whose files the host is asked about (`facts.paths`); empty where no tool has one. */
  readonly pathArguments: PathArguments;
  /** What the host keeps a history for, by limit (`facts.history`); `undefined` where the policy has no limits. */
  readonly limits: PolicyLimits | undefined;
  /** The name under which hosts keep it: it is the same in every revision. `undefined` where the policy has no limits. */
  readonly historyName: string | undefined;
  /** What the host verifies approvals by that are bound to one call; `undefined` where no call needs one. */
  readonly approvals: PolicyApprovals | undefined;
  /** Events on their way to `onDecision`; `undefined` without a listener. */
  readonly events: DecisionEvents | undefined;
  private evaluator: Evaluator;
  /** Places of the entrypoints of the decision kinds; -1 for one that the policy lacks. */
  private readonly ids: Readonly<Record<DecisionKind, number>>;

  constructor(evaluator: Evaluator, facts: PolicyFacts) {
    this.evaluator = evaluator;
    this.revision = facts.revision;
    this.sequence = facts.sequence;
    this.versions = facts.versions ?? {};
    this.roots = facts.roots ?? [];
    this.pathArguments = facts.pathArguments ?? {};
    this.limits = facts.limits;
    this.historyName = facts.historyName;
    this.approvals = facts.approvals;
    this.events = facts.events;
    const id = (kind: DecisionKind): number => evaluator.entrypoints.indexOf(entrypointOf(kind));
    this.ids = Object.fromEntries(DECISION_KINDS.map((kind) => [kind, id(kind)])) as Record<DecisionKind, number>;
  }

  /** `pkg/rule` names that `evaluate` takes. */
  get entrypoints(): readonly string[] {
    return this.evaluator.entrypoints;
  }

  /** Why the last evaluation failed; `undefined` when it did not. Overwritten by every call. */
  get lastFault(): Fault | undefined {
    return this.evaluator.lastFault;
  }

  /** Evaluations that failed since the policy was loaded. */
  get faults(): number {
    return this.evaluator.faults;
  }

  /** Paths below `data` that the host has yet to supply (`rego.host_data`): until it has, every answer is a denial. */
  get missingData(): readonly string[] {
    return this.evaluator.missingData ?? [];
  }

  /** Size of the instance's linear memory now; 0 without an instance, or where another runtime keeps it. */
  get memoryBytes(): number {
    return this.evaluator.memoryBytes;
  }

  /** May this role use this lane? */
  lane<Of extends PolicyIds = Ids>(request: RequestOf<Of, "lane">): DecisionOf<Of, "lane"> {
    return this.decide("lane", this.ids.lane, request) as DecisionOf<Of, "lane">;
  }

  /** May this role call this tool in this lane? */
  tool<Of extends PolicyIds = Ids>(request: RequestOf<Of, "tool">): DecisionOf<Of, "tool"> {
    return this.decide("tool", this.ids.tool, request) as DecisionOf<Of, "tool">;
  }

  /** May this persona delegate to subagents, and to which? Prefer `guardTurn`, which also writes the audit line. */
  subagent<Of extends PolicyIds = Ids>(request: RequestOf<Of, "subagent">): DecisionOf<Of, "subagent"> {
    return this.decide("subagent", this.ids.subagent, request) as DecisionOf<Of, "subagent">;
  }

  /** Is this chain of agents one that the spawn manifests permit? */
  lineage<Of extends PolicyIds = Ids>(request: RequestOf<Of, "lineage">): DecisionOf<Of, "lineage"> {
    return this.decide("lineage", this.ids.lineage, request) as DecisionOf<Of, "lineage">;
  }

  /** Is this handoff record acceptable, given the evidence about its artifacts? */
  handoff<Of extends PolicyIds = Ids>(request: RequestOf<Of, "handoff">): DecisionOf<Of, "handoff"> {
    return this.decide("handoff", this.ids.handoff, request) as DecisionOf<Of, "handoff">;
  }

  /** May this execution start? */
  exec<Of extends PolicyIds = Ids>(request: RequestOf<Of, "exec">): DecisionOf<Of, "exec"> {
    return this.decide("exec", this.ids.exec, request) as DecisionOf<Of, "exec">;
  }

  /** May this contract's changes be committed? */
  close<Of extends PolicyIds = Ids>(request: RequestOf<Of, "close">): DecisionOf<Of, "close"> {
    return this.decide("close", this.ids.close, request) as DecisionOf<Of, "close">;
  }

  /**
   * May this tool be called now: in this lane, with this scope, these flags and writes, by this chain of agents? What a
   * gateway in front of tools asks, once a call; `guardTool` asks it and runs the tool.
   */
  call<Of extends PolicyIds = Ids>(request: RequestOf<Of, "call">): DecisionOf<Of, "call"> {
    return this.decide("call", this.ids.call, request) as DecisionOf<Of, "call">;
  }

  /**
   * A handle that may stand for this string in requests and inputs, for callers that ask with the same ids again and again:
   * it spares the look-up of the string (5 to 10 ns). A text that the policy does not know gets a handle too, and is denied
   * like its text. Handles outlive a reload; the policy that takes the place of this one reads them as their texts.
   */
  intern<const Text extends string>(text: Text): Interned<Text> {
    return this.evaluator.intern(text) as Interned<Text>;
  }

  /**
   * Decides each request, in order; the answer to a request that fails, or that cannot be read, is its denial, as in a call of
   * its own. Returns an empty list if `requests` is not an array. `lastFault` is that of the last request.
   */
  batch<K extends DecisionKind, Of extends PolicyIds = Ids>(
    kind: K,
    requests: readonly RequestOf<Of, K>[],
  ): DecisionOf<Of, K>[] {
    const id = this.idOf(kind);
    const decisions: DecisionOf<Of, K>[] = [];
    const count = lengthOf(requests);
    for (let i = 0; i < count; i++) decisions.push(this.decide(kind, id, itemOf(requests, i)) as DecisionOf<Of, K>);
    return decisions;
  }

  /**
   * The tools, lanes or roles for which the request would be allowed, sorted by code units: those that asking each would
   * allow. `member` is what the request leaves out. The decision that is asked is `kind`, by default the first of lane, tool
   * and call that takes all that the request has: with `flags`, `writes`, `lineage`, `approval` or `facts` it is a call.
   *
   * Never throws. What cannot be decided is not in the list, and `lastFault` is then the first fault; one other than
   * a conflict ends the search. A policy of OPA's compiler finds nothing. No listener hears of a search: what is found is
   * decided again when it is used. Cost: one decision for each text that the policy holds, about 0.2 µs.
   */
  allowed<const Member extends SearchedMember, Of extends PolicyIds = Ids>(
    request: SearchRequest<Of>,
    member: Member,
    kind?: SearchedKind,
  ): FoundId<Of, Member>[] {
    try {
      const asked: Record<string, unknown> = { ...request, [member]: "" };
      const of = searchedKind(asked, member, kind);
      if (of === undefined || this.ids[of] < 0) return [];
      // A call is allowed only where its tool is, and most tools are not: they cost a fifth of a call.
      const ids = of === "call" && this.ids.tool >= 0 ? [this.ids.tool, this.ids.call] : [this.ids[of]];
      return this.evaluator.allowedTexts(ids, asked, member) as FoundId<Of, Member>[];
    } catch {
      return [];
    }
  }

  private idOf(kind: unknown): number {
    return typeof kind === "string" && Object.hasOwn(this.ids, kind) ? this.ids[kind as DecisionKind] : -1;
  }

  /**
   * The value of any entrypoint for any input, as JSON-like data: what consists of the policy's
   * constants alone is frozen and shared, the rest is fresh.
   * `undefined` when the rule is undefined, when the entrypoint is unknown, or on a fault; for an entrypoint whose default
   * denies (`allowed: false`, or AuthZEN's `decision: false`), a fault gives that denial. Treat `undefined` as a denial.
   *
   * Typed by the entrypoint's path. A policy that was loaded with its ids takes the paths and the requests of its policy
   * set alone; `evaluateJson` takes what came from outside.
   */
  evaluate<const Path extends EntrypointPath<Of>, Of extends PolicyIds = Ids>(
    entrypoint: Path,
    input: EntrypointInput<Of, Path>,
  ): EntrypointValue<Of, Path> {
    try {
      return this.evaluator.evaluate(entrypoint, input) as EntrypointValue<Of, Path>;
    } catch {
      // No room on the stack, not even to say so.
      return undefined as EntrypointValue<Of, Path>;
    }
  }

  /**
   * `evaluate` for an input that is still JSON text: exact for numbers of any size, and for a text that is not JSON the same
   * answer as for a fault. Bytes are UTF-8.
   *
   * With `recorded`, the `answers` of a decision event, it is decided as it was then: the clock and chance answer from the
   * record, and what is not there is a fault.
   */
  evaluateJson(entrypoint: string, json: string | Uint8Array, recorded?: Answers): unknown {
    try {
      return this.evaluator.evaluateJson(entrypoint, json, recorded);
    } catch {
      return undefined;
    }
  }

  /**
   * Replaces the host's data: what policies read under `data` outside of the bundle's own roots. Throws LoadError, and
   * keeps the data before, when the value is not JSON-like.
   */
  setData(data: unknown): void {
    this.evaluator.setData(data);
  }

  private decide(kind: DecisionKind, id: number, request: unknown): unknown {
    try {
      const decision = id < 0 ? undefined : this.evaluator.decide(id, request);
      return typeof decision === "object" && decision !== null ? decision : faultOf(kind);
    } catch {
      return faultOf(kind);
    }
  }
}

/** In a place of this module: loaders that read imports through functions have no room for one where the stack is full. */
const DENIALS = FAULTS;

/** The denial of a decision without an entrypoint, of a fault without a default answer, and of a full stack. */
function faultOf(kind: unknown): unknown {
  return typeof kind === "string" && Object.hasOwn(DENIALS, kind) ? DENIALS[kind as DecisionKind] : DENIALS.lane;
}

/** The length of a list, 0 for anything else: a Proxy may say or throw anything. */
function lengthOf(list: unknown): number {
  try {
    return Array.isArray(list) && list.length >>> 0 === list.length ? list.length : 0;
  } catch {
    return 0;
  }
}

function itemOf(list: readonly unknown[], at: number): unknown {
  try {
    return list[at];
  } catch {
    return UNREADABLE;
  }
}
