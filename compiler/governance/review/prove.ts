/** Proofs over all questions that a policy set can be asked: of general properties, and of an author's claims. */

import { failure, type Result, type SourceFile, success } from "@portcullis/rego/diagnostics";
import { GATES } from "@portcullis/runtime";
import { holdOptions, type TableOf } from "@portcullis/runtime/trust";
import { ASKED, callSpace, questionCount, type Space, spacesOf } from "./decision-space.ts";
import { hostDataPolicy, type RegoProblem, regoOf } from "./host-data-policy.ts";
import { houseGates } from "./house-gates.ts";
import type { OpenedPolicy } from "./opened-policy.ts";
import { isOwnModule, NOT_OWN } from "./own-module.ts";
import { policyIds, policyTables } from "./policy-ids.ts";
import { approvalSpace, deniesForApproval, unapprovedIsDenied } from "./prove/approval-space.ts";
import { checkClaim, isAboutChains, readClaims } from "./prove/claims.ts";
import { grantsOf } from "./prove/grants.ts";
import { limitSpace } from "./prove/limit-claims.ts";
import { type OpenDenial, openDenials } from "./prove/own-denials.ts";
import {
  allowsAreListed,
  moduleIsItsRego,
  nothingIsDenied,
  removalAllowsNothing,
  removalQuestions,
  unknownIsDenied,
  withTables,
} from "./prove/properties.ts";
import type { Property } from "./prove/property.ts";
import { Reach, reachSpaces } from "./prove/reach.ts";
import { faultGate, GRANTED, PROVABLE, Proofs } from "./prove/symbolic/proofs.ts";
import type { Solver } from "./prove/symbolic/solver.ts";
import { Subsets } from "./prove/symbolic/subsets.ts";
import { unwatched, type Watch } from "./watch.ts";

/** Claims beside the properties of every policy set, and how many questions to ask. */
export interface ProveOptions {
  /** A YAML file of claims; see `prove/claims.ts` for its format. */
  readonly claims?: SourceFile | undefined;
  /** More questions than this for one property are a problem. Default: all are asked. */
  readonly limit?: number;
  /** How many questions to spend on taking grants away; grants are sampled beyond. Default: 2,000,000. */
  readonly removals?: number;
  /**
   * Gives what a solver writes for a text of SMT-LIB 2. Claims about lane, tool and call are then proved for all requests with
   * their ids, whatever else they say.
   */
  readonly solver?: Solver | undefined;
  readonly watch?: Watch;
}

const PROVE_OPTIONS: TableOf<ProveOptions> = {
  claims: "object?",
  limit: "limit",
  removals: "limit",
  solver: "function?",
  watch: "function?",
};

/** Every property that was asked for, with the questions that refute it. */
export interface Proof {
  /** The decision spaces that are asked. */
  readonly spaces: readonly Space[];
  /** Those of every policy set, then the claims. One holds when it has no counter-example. */
  readonly properties: readonly Property[];
  /** How many of the properties are claims. */
  readonly claims: number;
}

/** Why nothing can be proved. */
export type ProveProblem = RegoProblem | "no-policy-set" | "too-many-questions" | "broken-claims";

/**
 * Asks the compiled policy everything there is to ask, and holds the answers against the data and Rego of its bundle: nothing
 * unknown is allowed, every allow is a grant, the module answers as its Rego does, and taking a grant away allows nothing.
 * The policy's host data stays as it is.
 *
 * Rejects with a TypeError for an option that is unknown or of another type. Cost: about a second for a million questions, and one compilation of the bundle's Rego, or two where it was not built here.
 */
export async function prove(opened: OpenedPolicy, options: ProveOptions = {}): Promise<Result<Proof, ProveProblem>> {
  holdOptions(options, PROVE_OPTIONS);
  const { claims, limit = Number.POSITIVE_INFINITY, removals = 2_000_000, solver, watch = unwatched } = options;
  const { policy } = opened;
  const tables = policyTables(opened.data);
  if (tables === undefined && claims === undefined)
    return failure("no-policy-set", `\`${opened.name}\` holds no policy set`);
  const ids = policyIds(tables ?? {});
  // Without manifests any agent may call, so which one does is no question.
  const spaces = [...spacesOf(ids), ...(ids.types.length > 0 ? [callSpace(tables ?? {})] : [])];
  const total = questionCount(spaces);
  if (total > limit) {
    const questions = `${total.toLocaleString("en-US")} questions`;
    return failure("too-many-questions", `there are ${questions} to ask, more than the limit of ${limit}`);
  }
  const claimed =
    tables === undefined ? spaces : [...spaces, approvalSpace(tables), limitSpace(tables), ...reachSpaces(tables)];
  const read = claims === undefined ? success([]) : readClaims(claims, claimed, policy, namesOf(opened));
  if (!read.ok) return read;
  const properties: Property[] = [];
  const isOfChains = ids.types.length > 0;
  const reach = tables === undefined || !isOfChains ? undefined : await Reach.of(opened, tables);
  if (tables !== undefined) {
    const rego = await hostDataPolicy(opened, { only: ASKED });
    if (!rego.ok) return rego;
    const step = watch(2 * total + Math.min(removals, removalQuestions(tables, spaces)));
    properties.push(
      nothingIsDenied(policy, tables),
      ...[unapprovedIsDenied(policy, tables)].filter(({ asked }) => asked > 0),
      unknownIsDenied(policy, spaces),
      ...spaces.map((space) => allowsAreListed(opened, tables, space, step)),
      ...(reach === undefined ? [] : [reach.chainsAreListed()]),
      moduleIsItsRego({ policy, rego: rego.value, isOwn: await isOwnModule(opened) }, spaces, step),
      removalAllowsNothing(opened, rego.value, tables, spaces, removals, step),
    );
  }
  const isOfSpace = read.value.some(
    ({ holds, about }) => holds === "never" && !("entrypoint" in about) && !isAboutChains(about),
  );
  const openOf = isOfSpace ? await openDenials(opened) : (): undefined => undefined;
  const open: OpenDenial = (space, ids, answer) =>
    space.name === "approval" && deniesForApproval(policy, tables ?? {}, ids, answer)
      ? undefined
      : openOf(space, ids, answer);
  const proofs = solver && (await Proofs.of(opened, { solver }));
  if (solver !== undefined && proofs === undefined) {
    const rego = regoOf(opened);
    return rego.ok ? failure("rego-does-not-compile", `the Rego in \`${opened.name}\` does not compile`) : rego;
  }
  if (tables !== undefined)
    for (const kind of GRANTED) if (proofs !== undefined) properties.push(await proofs.allowsAreGrants(kind));
  for (const claim of read.value) {
    const { about, holds, name, place, because } = claim;
    const all = spaces.find((one) => "name" in about && one.name === about.name);
    const isProvable = all !== undefined && PROVABLE.some((kind) => kind === all.name);
    const isAbout = isProvable && !("entrypoint" in about) && !isAboutChains(about);
    if (solver !== undefined && isAbout && about.isMonotone === true)
      properties.push({ ...(await proveMonotone(opened, about, all, name, solver)), place, because });
    else if (solver !== undefined && isAbout && about.grant !== undefined)
      properties.push({ ...(await proveUnneeded(opened, about, all, name, solver)), place, because });
    else if (proofs !== undefined && isAbout)
      properties.push({ ...(await proofs.claim(about, all, holds, name)), place, because });
    else properties.push(checkClaim(opened, claim, open, reach));
  }
  return success({ spaces, properties, claims: read.value.length });
}

/** The gates that decisions of which all requests can be reasoned about may name: a call names those of its tool decision, too. */
function namesOf(opened: OpenedPolicy): (of: "gate" | "grant", decision: string) => readonly string[] {
  const own = houseGates(opened);
  return (of, decision) => {
    const kind = PROVABLE.find((one) => one === decision);
    if (kind === undefined) return [];
    if (of === "grant") return grantsOf(policyTables(opened.data) ?? {}).map(({ name }) => name);
    const kinds = kind === "call" ? (["call", "tool"] as const) : [kind];
    const library = kinds.flatMap((one) => GATES[one].map(({ gate }) => gate));
    const authors = own.flatMap((one) => (kinds.some((k) => k === one.decision) ? [one.gate ?? []].flat() : []));
    return [...new Set([...library, ...authors, faultGate(opened, kind)])];
  };
}

/** Whether any request is decided otherwise without the grant that a claim names. */
async function proveUnneeded(
  opened: OpenedPolicy,
  about: Space & { readonly grant?: string },
  all: Space,
  name: string,
  solver: Solver,
): Promise<Property> {
  const tables = policyTables(opened.data) ?? {};
  const grant = grantsOf(tables).find((one) => one.name === about.grant);
  const data = withTables(opened.data, grant?.remove(tables) ?? tables);
  const policy = await hostDataPolicy(opened, { only: ASKED, data });
  const proofs = policy.ok ? await Proofs.of(opened, { solver }, { ...opened, data, policy: policy.value }) : undefined;
  // The same Rego compiled a moment ago.
  if (proofs === undefined) throw new Error("the Rego of a bundle compiles with other data");
  return proofs.matchesBefore(about, all, name);
}

/** Whether the policy with some of its grants allows a request that the one with all of them denies: of all subsets. */
async function proveMonotone(
  opened: OpenedPolicy,
  about: Space,
  all: Space,
  name: string,
  solver: Solver,
): Promise<Property> {
  const policy = await hostDataPolicy(opened, { only: ASKED });
  const subsets = policy.ok ? new Subsets(opened, policy.value, about.name) : undefined;
  const proofs = subsets && (await Proofs.of(subsets.opened, { solver }, opened, subsets.grants));
  // The same Rego compiled a moment ago.
  if (subsets === undefined || proofs === undefined) throw new Error("the Rego of a bundle compiles once more");
  return proofs.subsetsAllowNoMore(about, all, name, subsets);
}

/**
 * Whether the second policy allows any request that the first denies: a property for each decision that can be reasoned about.
 *
 * Cost: two compilations of Rego, or four where they were not built here, and some questions for the solver.
 */
export async function proveNoMore(
  before: OpenedPolicy,
  after: OpenedPolicy,
  solver: Solver,
): Promise<Result<readonly Property[], RegoProblem>> {
  const proofs = await Proofs.of(after, { solver }, before);
  if (proofs === undefined) return failure("rego-does-not-compile", "the Rego of one of the policies does not compile");
  const areOwn = (await isOwnModule(before)) && (await isOwnModule(after));
  const unknown = areOwn ? {} : { unknown: [{ request: "policy.wasm", answer: undefined, why: NOT_OWN }] };
  const properties: Property[] = [];
  for (const kind of PROVABLE) properties.push({ ...(await proofs.allowsNoMore(kind)), ...unknown });
  return success(properties);
}
