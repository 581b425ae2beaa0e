/** Requests with the answers that the statements give them, and how a mutant of the library is asked. */
import { isDeepStrictEqual } from "node:util";
import { load } from "../../runtime/index.ts";
import { type Adapter, adapted, requestsToAdapter, toldByArguments } from "../governance/library/adapter-requests.ts";
import { plain, statedAnswer } from "../governance/library/disagreements.ts";
import type { Batch, Evaluator } from "../governance/library/evaluator.ts";
import type { LibraryModule } from "../governance/library/library-modules.ts";
import { compiledFrom, portcullisEvaluator, withImports } from "../governance/library/portcullis-evaluator.ts";
import { adapterStatements } from "../statements/adapters.ts";
import { faults } from "../statements/faults.ts";
import type { DecisionName } from "../statements/index.ts";

/** The library with or without a change. */
export interface Subject {
  readonly modules: readonly LibraryModule[];
  /** Over these modules. It compiles for each decision once. */
  readonly evaluator: Evaluator;
}

export function subjectOf(modules: readonly LibraryModule[]): Subject {
  const options = { caller: "evaluate", policyIs: "data", policies: 1, requests: 1 } as const;
  return { modules, evaluator: portcullisEvaluator({ ...options, modules }) };
}

/** Asks requests, in order. */
type Ask = (inputs: readonly unknown[]) => Promise<readonly unknown[]>;

/** As many requests are asked first as have told mutants apart lately. */
const LATEST = 48;

/** Requests to one entrypoint under one policy. */
export class Questions {
  private readonly inputs: readonly unknown[];
  private readonly state: (input: unknown) => unknown;
  private readonly asker: (subject: Subject) => Ask;
  /** By request: its right answer. Stated when it is needed, and once. */
  private readonly stated: unknown[] = [];
  /** By request: the text of an answer that was right. Most mutants give it again. */
  private readonly told: (string | undefined)[] = [];
  /** Places of requests that told a mutant from the library, the latest first. */
  private telling: number[] = [];

  constructor(inputs: readonly unknown[], state: (input: unknown) => unknown, asker: (subject: Subject) => Ask) {
    this.inputs = inputs;
    this.state = state;
    this.asker = asker;
  }

  /** Whether it answers a request otherwise than it should. Rejects with what compiling and deciding throw. */
  async tellApart(subject: Subject): Promise<boolean> {
    const ask = this.asker(subject);
    const likely = this.telling;
    if (likely.length > 0 && this.firstWrong(likely, await ask(likely.map((i) => this.inputs[i])))) return true;
    const all = [...this.inputs.keys()];
    return this.firstWrong(all, await ask(this.inputs));
  }

  /**
   * Whether it allows a request that it should deny, or names a subagent that it should not where it allows. Rejects with what
   * compiling and deciding throw.
   */
  async areLetThrough(subject: Subject): Promise<boolean> {
    const answers = await this.asker(subject)(this.inputs);
    return this.inputs.some((_, place) => allowsMore(plain(answers[place]), this.statedAt(place)));
  }

  private firstWrong(places: readonly number[], answers: readonly unknown[]): boolean {
    const wrong = places.find((place, i) => !this.isRight(place, answers[i]));
    if (wrong === undefined) return false;
    this.telling = [wrong, ...this.telling.filter((place) => place !== wrong)].slice(0, LATEST);
    return true;
  }

  private isRight(place: number, answer: unknown): boolean {
    const text = JSON.stringify(answer);
    if (this.told[place] !== undefined && text === this.told[place]) return true;
    if (!isDeepStrictEqual(plain(answer), this.statedAt(place))) return false;
    this.told[place] = text;
    return true;
  }

  private statedAt(place: number): unknown {
    if (!(place in this.stated)) this.stated[place] = plain(this.state(this.inputs[place]));
    return this.stated[place];
  }
}

interface Answer {
  readonly allowed?: unknown;
  readonly delegatedSubagents?: readonly unknown[];
}

function allowsMore(answer: unknown, stated: unknown): boolean {
  const [{ allowed, delegatedSubagents: given = [] }, said] = [answer ?? {}, stated ?? {}] as [Answer, Answer];
  if (allowed !== true) return false;
  return said.allowed !== true || given.some((name) => said.delegatedSubagents?.includes(name) !== true);
}

export function questionsTo(decision: DecisionName, batch: Batch): Questions {
  const asker =
    ({ evaluator }: Subject): Ask =>
    async (inputs) =>
      (await evaluator.decide(decision, [{ ...batch, inputs }]))[0] ?? [];
  return new Questions(batch.inputs, (input) => statedAnswer(batch, input, decision), asker);
}

export function questionsToAdapter(entrypoint: Adapter): Questions {
  const state = (input: unknown): unknown => adapterStatements[entrypoint](adapted, input);
  return questionsUnder(entrypoint, adapted, requestsToAdapter(entrypoint), state, [toldByArguments]);
}

/** What a fault answers: the default of the entrypoint. No member of this request can be read. */
export function questionsAboutFault(entrypoint: string): Questions {
  const refuse = (): never => {
    throw new Error("a member was asked for");
  };
  const unreadable = new Proxy({}, { get: refuse, has: refuse, ownKeys: refuse, getOwnPropertyDescriptor: refuse });
  return questionsUnder(entrypoint, adapted, [unreadable], () => faults[entrypoint], [toldByArguments]);
}

/** Under a policy that need not have all that lowering writes. */
export function questionsUnder(
  entrypoint: string,
  given: unknown,
  inputs: readonly unknown[],
  state: (input: unknown) => unknown,
  more: readonly LibraryModule[] = [],
): Questions {
  const asker = ({ modules }: Subject): Ask => {
    // One of them names the call decision without an import.
    const wanted = withImports(modules, "call.rego", withImports(modules, `${entrypoint.split("/")[1]}.rego`));
    const loaded = compiledFrom([...wanted, ...more], {}).then((wasm) =>
      load(wasm, { data: { portcullis: { policy: given } } }),
    );
    return async (asked) => {
      const policy = await loaded;
      return asked.map((input) => policy.evaluate(entrypoint, input));
    };
  };
  return new Questions(inputs, state, asker);
}
