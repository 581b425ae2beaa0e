/** The facts of calls that are decided over HTTP. The server finds them out as a guard would; a call succeeds later, if it does. */

import { isJsonObject } from "@portcullis/documents";
import {
  type CallFacts,
  callFacts,
  entrypointOf,
  type FactHost,
  type Fault,
  overruled,
  type Policy,
  strictJson,
} from "@portcullis/runtime";
import { partsOf } from "./member-text.ts";

/** The entrypoint that takes requests for calls. */
const CALL = entrypointOf("call");
/** The library's for AuthZEN, and the one that says which call an evaluation asks about. */
export const AUTHZEN = ["portcullis/authzen/evaluation", "portcullis/authzen/asked"] as const;

type JsonObject = Readonly<Record<string, unknown>>;

/** One evaluation. Read at once: of a policy that answers others meanwhile, the last fault and id are theirs. */
export interface Evaluated {
  readonly value: unknown;
  readonly fault: Fault | undefined;
  readonly decisionId: string | undefined;
}

/** The calls that one answer decides. INVARIANT: what is not answered with an allow uses up nothing. */
export class Calls {
  private readonly host: FactHost;
  private readonly isAside: boolean;
  /** Ids of what was decided, where somebody listens. */
  readonly ids = new Set<string>();
  /** What metrics count when the answer is given. */
  private readonly counts: (() => void)[] = [];
  private readonly found: CallFacts[] = [];

  /** `aside`: the calls are only thought of, as in a search, and no listener or meter hears of them. They are never `given`. */
  constructor(host: FactHost, { aside = false } = {}) {
    this.host = host;
    this.isAside = aside;
  }

  /**
   * What an entrypoint answers to a request as JSON text, or to none; for one that decides a call, with the facts of the call.
   * Of facts that a trusted client has written, the history, the time and what is known of an approval are made anew. Rejects for
   * limits of another form.
   */
  async decide(policy: Policy, entrypoint: string, input: string | undefined): Promise<Evaluated> {
    const { limits, approvals } = policy;
    if (input === undefined) return this.evaluate(policy, entrypoint, input);
    const request = limits === undefined && approvals === undefined ? undefined : requestOf(policy, entrypoint, input);
    if (request === undefined) return this.evaluate(policy, entrypoint, input);
    const { facts: trusted, ...given } = request;
    const theirs = isJsonObject(trusted) ? trusted : {};
    const { paths } = theirs;
    // A text that readers understand differently has no one digest, and no approval is for it.
    const isOne = approvals === undefined || isReadAlike(input);
    const asked = { ...given, facts: { paths }, ...(isOne ? {} : { "": Number.NaN }) };
    const call = await callFacts(policy, asked, inSession(this.host, theirs));
    this.found.push(call);
    const made = { history: undefined, now: undefined, call_sha256: undefined, approval: undefined };
    const facts = { ...theirs, ...made, ...call.facts };
    let isAllowed = false;
    try {
      const answer = this.evaluate(policy, entrypoint, withFacts(input, facts), call);
      const { value, fault } = answer;
      const allows = isJsonObject(value) && (value["allowed"] === true || value["decision"] === true);
      isAllowed = allows && fault === undefined;
      return answer;
    } finally {
      // At once: the next call of a list would be counted behind it.
      if (!isAllowed) await call.release();
    }
  }

  private evaluate(policy: Policy, entrypoint: string, input: string | undefined, call?: CallFacts): Evaluated {
    const question = (): unknown =>
      input === undefined ? policy.evaluate(entrypoint, undefined) : policy.evaluateJson(entrypoint, input);
    const ask = (): Evaluated => {
      const value = overruled(policy, call, question, this.counts);
      return { value, fault: policy.lastFault, decisionId: policy.events?.lastDecisionId() };
    };
    if (this.isAside) return aside(policy, ask);
    const answer = ask();
    if (answer.decisionId !== undefined) this.ids.add(answer.decisionId);
    return answer;
  }

  /** The answer is given. */
  given(): void {
    for (const count of this.counts) count();
  }

  /** The answer is not given: what it allows is given back. */
  async undone(): Promise<void> {
    await Promise.all(this.found.map((call) => call.release()));
  }
}

/** Whether a JSON text has no member that stands twice, and no number that a double rounds. */
function isReadAlike(text: string): boolean {
  try {
    strictJson(text);
    return true;
  } catch {
    return false;
  }
}

/** In the session that facts of a trusted client name. */
export function inSession(host: FactHost, { session }: JsonObject): FactHost {
  return typeof session === "string" ? { ...host, session } : host;
}

/** The request for a call that the entrypoint decides; `undefined` for one that decides none. */
export function requestOf(policy: Policy, entrypoint: string, input: string): JsonObject | undefined {
  const [evaluation, asked] = AUTHZEN;
  const read = entrypoint === CALL ? (JSON.parse(input) as unknown) : undefined;
  // The log has the decision, and not how its call was read.
  const mapped = entrypoint === evaluation ? aside(policy, () => policy.evaluateJson(asked, input)) : undefined;
  const request = read ?? mapped;
  return isJsonObject(request) && typeof request["tool"] === "string" ? request : undefined;
}

/** What `question` evaluates no listener and no meter hears of. */
export function aside<T>(policy: Policy, question: () => T): T {
  const { events } = policy;
  const uncounted = (): T => overruled(policy, undefined, question, []) as T;
  return events === undefined ? uncounted() : events.aside(uncounted);
}

function withFacts(input: string, facts: object): string {
  const others = partsOf(input).filter(({ name }) => name !== "facts");
  return `{${[...others.map(({ whole }) => whole), `"facts":${JSON.stringify(facts)}`].join(",")}}`;
}
