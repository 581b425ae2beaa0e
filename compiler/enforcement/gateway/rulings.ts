/**
 * What becomes of a message between a client and a server, in every revision of the protocol and over every transport: calls,
 * resources and prompts are decided, lists show what may be had, and everything else goes through unread.
 */

import { isJsonObject } from "@portcullis/documents";
import { denialText, LONGEST_NAME, lookAlike } from "@portcullis/runtime";
import {
  type Answer,
  failed,
  INTERNAL_ERROR,
  INVALID_PARAMS,
  INVALID_REQUEST,
  METHOD_NOT_FOUND,
  type Members,
  type Notification,
  type Request,
  type Success,
} from "./messages.ts";
import type { OfferDecision, OfferKind, Offers } from "./offers.ts";
import { cut, isPlain, quoted } from "./outside-names.ts";
import type { Pins } from "./pins.ts";
import type { Verdicts } from "./verdicts.ts";

/** What a call of a tool says. */
const PARAMS = ["name", "arguments", "task", "_meta", "inputResponses", "requestState"];

/** Methods that name a resource or a prompt, and the member that does. */
const READS: ReadonlyMap<string, { readonly kind: OfferKind; readonly member: string }> = new Map([
  ["resources/read", { kind: "resources", member: "uri" }],
  ["resources/subscribe", { kind: "resources", member: "uri" }],
  ["resources/unsubscribe", { kind: "resources", member: "uri" }],
  ["prompts/get", { kind: "prompts", member: "name" }],
]);

/** Lists in results: of what, and the member that says which one an item is. */
const LISTS: Readonly<Record<string, readonly [kind: OfferKind | "tools", member: string]>> = {
  tools: ["tools", "name"],
  resources: ["resources", "uri"],
  resourceTemplates: ["resources", "uriTemplate"],
  prompts: ["prompts", "name"],
};

/** Methods that ask for a list, and where it stands in the result. */
const LISTING: ReadonlyMap<string, string> = new Map([
  ["tools/list", "tools"],
  ["resources/list", "resources"],
  ["resources/templates/list", "resourceTemplates"],
  ["prompts/list", "prompts"],
]);

/** Items of the lists in one answer. Each is decided, and a message has room for half a million of them: servers give pages. */
const MOST_LISTED = 10_000;

export const LISTEN = "subscriptions/listen";
const COMPLETE = "completion/complete";
/** Methods that go to the server, once their parameters are looked at. */
const KNOWN: ReadonlySet<string> = new Set([...LISTING.keys(), LISTEN, COMPLETE]);

/** `forward` sends nothing: the client does not wait for it any more. */
export class Unsent extends Error {}

export class Rulings {
  private readonly verdicts: Verdicts;
  private readonly offers: Offers;
  private readonly fault: (line: string) => void;

  private readonly pins: Pins | undefined;

  /** With `pins` a tool is what was accepted, or is not there. */
  constructor(verdicts: Verdicts, offers: Offers, fault: (line: string) => void, pins?: Pins) {
    this.verdicts = verdicts;
    this.offers = offers;
    this.fault = fault;
    this.pins = pins;
  }

  /**
   * Calls `forward` with what the server is to be asked, or resolves to the client's answer. What `forward` gives of a call says,
   * awaited, whether it succeeded, and is recorded before the promise resolves. It throws Unsent where it sends nothing. Never rejects.
   */
  async request(message: Request, forward: (message: Request) => unknown): Promise<Answer | undefined> {
    const { id, method, params } = message;
    try {
      if (method === "tools/call") return await this.call(message, forward);
      const read = READS.get(method);
      const problem =
        read === undefined
          ? this.otherProblem(method, params ?? {})
          : this.unoffered(read.kind, [params?.[read.member]], params ?? {}, read.member);
      if (problem !== undefined) return failed(id, problem.code, problem.message);
      void forward(message);
      return undefined;
    } catch (error) {
      if (!(error instanceof Unsent)) this.fault(`a request was not forwarded: ${(error as Error).message}`);
      return failed(id, INTERNAL_ERROR, "the request could not be decided and recorded");
    }
  }

  /** A call without an id would run, and its caller would never get an answer. */
  passesToServer({ method }: Notification): boolean {
    return !isDecided(method) && isPlain(method);
  }

  /** A server that tells of a resource which may not be read tells its address. */
  passesToClient({ method, params }: Notification): boolean {
    if (method !== "notifications/resources/updated") return true;
    return lookAlike(params ?? {}, ["uri"]) === undefined && this.offers.visible("resources", params?.["uri"]);
  }

  /**
   * The answer with what may be seen. A list may come late, under an id that asks something else by now, so every result is
   * looked at.
   */
  async answer(method: string | undefined, message: Answer): Promise<Answer> {
    if (!("result" in message)) return message;
    const wanted = LISTING.get(method ?? "");
    const { result } = message;
    // A client that passes over case would read it in place of the list that was filtered.
    const twin = lookAlike(result, Object.keys(LISTS));
    if (twin !== undefined)
      return failed(message.id, INTERNAL_ERROR, `the server's ${quoted(twin)} could be read as a list`);
    // A round that asks the client for more has no list yet.
    const isUnfinished = result["resultType"] !== undefined && result["resultType"] !== "complete";
    if (wanted !== undefined && !isUnfinished && !Array.isArray(result[wanted]))
      return failed(message.id, INTERNAL_ERROR, `the server's list of ${wanted} is not a list`);
    const lists = Object.keys(LISTS).filter((name) => Array.isArray(result[name]));
    if (lists.length === 0) return message;
    const count = lists.reduce((sum, name) => sum + (result[name] as readonly unknown[]).length, 0);
    if (count > MOST_LISTED)
      return failed(message.id, INTERNAL_ERROR, `the server's list has more than ${MOST_LISTED} items`);
    try {
      return await this.listed(message, lists);
    } catch (error) {
      this.fault(`a list was not passed on: ${(error as Error).message}`);
      return failed(message.id, INTERNAL_ERROR, "the list could not be decided");
    }
  }

  private async listed(message: Success, lists: readonly string[]): Promise<Answer> {
    const shown: Record<string, unknown> = {};
    for (const name of lists) {
      const items = message.result[name] as readonly unknown[];
      const seen = await Promise.all(items.map((item) => this.visible(name, item)));
      const offered = items.filter((_, i) => seen[i]);
      // INVARIANT: the pins see each tool that may be called: one that they do not see has not changed.
      const pinned = name === "tools" ? this.pins?.accepted(offered) : undefined;
      shown[name] = offered.filter((item, i) => (pinned?.[i] ?? true) && hasOneName(name, item));
    }
    // Others may see more, or less: no cache between may keep it for them.
    const isShared = message.result["cacheScope"] === "public";
    return { ...message, result: { ...message.result, ...shown, ...(isShared ? { cacheScope: "private" } : {}) } };
  }

  private async visible(list: string, item: unknown): Promise<boolean> {
    const [kind, member] = LISTS[list] ?? [];
    const name = isJsonObject(item) && member !== undefined ? item[member] : undefined;
    if (typeof name !== "string" || kind === undefined) return false;
    return kind === "tools" ? await this.verdicts.visible(name) : this.offers.visible(kind, name);
  }

  private async call(message: Request, forward: (message: Request) => unknown): Promise<Answer | undefined> {
    const { id, params } = message;
    const name = params?.["name"];
    if (params === undefined || typeof name !== "string" || name.length > LONGEST_NAME)
      return failed(id, INVALID_PARAMS, "`name` is the name of a tool");
    // A server that passes over case would read it, and call what was not decided.
    const twin = lookAlike(params, PARAMS);
    if (twin !== undefined) return failed(id, INVALID_PARAMS, `${quoted(twin)} could be read as another name`);
    const unpinned = this.pins?.problem(name);
    if (unpinned !== undefined) {
      const decision = { allowed: false, gate: "PIN", reason: unpinned };
      this.offers.note(name, name, decision);
      return denied(message, params, decision);
    }
    // Absent arguments stay absent: the message is written as JSON.
    const outcome = await this.verdicts.call(name, params["arguments"], (args) =>
      forward({ ...message, params: { ...params, arguments: args } }),
    );
    if (outcome.allowed) return undefined;
    return denied(message, params, outcome.decision);
  }

  private otherProblem(method: string, params: Members): Problem | undefined {
    if (!KNOWN.has(method) && (isDecided(method) || !isPlain(method)))
      return { code: METHOD_NOT_FOUND, message: `the gateway knows no method ${quoted(method)}` };
    if (method === LISTEN) {
      const twin = lookAlike(params, ["notifications"]);
      if (twin !== undefined) return { code: INVALID_PARAMS, message: `${quoted(twin)} could be read as another name` };
      const filter = params["notifications"];
      const uris = isJsonObject(filter) ? (filter["resourceSubscriptions"] ?? []) : [];
      if (!Array.isArray(uris)) return { code: INVALID_PARAMS, message: "`resourceSubscriptions` is no list" };
      return this.unoffered("resources", uris, isJsonObject(filter) ? filter : {}, "resourceSubscriptions");
    }
    if (method === COMPLETE) {
      const ref = params["ref"];
      const twin = lookAlike(params, ["ref"]);
      if (!isJsonObject(ref) || twin !== undefined) return { code: INVALID_PARAMS, message: "`ref` is no reference" };
      // Whatever its type says, a server may go by the member that is there.
      return (
        this.unoffered("prompts", [ref["name"]], ref, "name") ?? this.unoffered("resources", [ref["uri"]], ref, "uri")
      );
    }
    return undefined;
  }

  /** Why one of these must not be had. */
  private unoffered(kind: OfferKind, names: readonly unknown[], members: Members, member: string): Problem | undefined {
    const twin = lookAlike(members, [member]);
    // What names nothing gets nothing: the server says what it says of that.
    if (twin === undefined && !Object.hasOwn(members, member)) return undefined;
    if (twin !== undefined) return { code: INVALID_PARAMS, message: `${quoted(twin)} could be read as another name` };
    for (const name of names) {
      if (typeof name !== "string") return { code: INVALID_PARAMS, message: `\`${member}\` is no text` };
      const decision = this.offers.ask(kind, name);
      if (!decision.allowed) return { code: INVALID_PARAMS, message: denialText(cut(name), decision) };
    }
    return undefined;
  }
}

/** Whether all readers find the same name in an item of a list. */
function hasOneName(list: string, item: unknown): boolean {
  const [, ...members] = LISTS[list] ?? [];
  return lookAlike(item as Members, members) === undefined;
}

/** What a client is told of a call that is not made. */
function denied({ id }: Request, params: Members, decision: OfferDecision): Answer {
  const text = denialText(cut(String(params["name"])), decision);
  // Who asks for a task takes no result of a tool.
  if (params["task"] !== undefined) return failed(id, INVALID_REQUEST, text);
  const _meta = { "portcullis/decision": { ...decision } };
  // Revisions since 2026-07-28 demand `resultType`; the others pass over it.
  const result = { content: [{ type: "text", text }], isError: true, resultType: "complete", _meta };
  return { jsonrpc: "2.0", id, result };
}

interface Problem {
  readonly code: number;
  readonly message: string;
}

/** Whether a server that reads loosely could take this method for one that is decided. */
function isDecided(method: string): boolean {
  return /^(?:tools|resources|prompts|completion|subscriptions)\//i.test(method);
}

/**
 * A round that asks the client for more has not succeeded yet, and neither has a task that has only begun: its client may take it
 * back, and what comes of it is told under another id.
 */
export function isSuccess(message: Answer): boolean {
  if (!("result" in message)) return false;
  const { isError = false, resultType = "complete", task } = message.result;
  return isError === false && resultType === "complete" && task === undefined;
}
