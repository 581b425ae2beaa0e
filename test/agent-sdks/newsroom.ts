/**
 * Five tools of the example organisation, as every SDK gets them, and those who call them. The tools remember what they ran with.
 */

import { readFileSync } from "node:fs";
import type { AgentContext, AgentOptions } from "@portcullis/agents";
import { type CallContext, load, memoryHistory, type Policy } from "@portcullis/runtime";

/** Names of tools in SDKs have no dots. */
export const TOOLS = {
  draft_create: "draft.create",
  article_retract: "article.retract",
  payout_release: "payout.release",
  mailbox_read: "mailbox.read",
  mailbox_reply: "mailbox.reply",
} as const;

export type ToolName = keyof typeof TOOLS;

export const WRITER: CallContext = {
  role: "WRITER",
  lane: "DRAFTING",
  scope: { story_id: "s-118", run_id: "r-7" },
  lineage: [{ agent_type: "news_desk", spawn_depth: 0 }],
};
/** May retract a story that a person has approved of. */
const PUBLISHER: CallContext = {
  role: "MANAGING_EDITOR",
  lane: "PUBLISHING",
  scope: { story_id: "s-118", run_id: "r-7", approval_ref: "a-1" },
  lineage: [{ agent_type: "publisher", spawn_depth: 0 }],
};
/** May release a payout that a person has signed. */
export const EDITOR: CallContext = {
  role: "MANAGING_EDITOR",
  lane: "RIGHTS_AND_PAYOUTS",
  scope: { contributor_id: "c-9", run_id: "r-7", amount_cents: 120_000 },
  lineage: [{ agent_type: "publisher", spawn_depth: 0 }],
};
/** May answer a letter after it was read. */
export const READER_DESK: CallContext = {
  role: "READER_DESK",
  lane: "READER_SUPPORT",
  scope: { ticket_id: "t-1", run_id: "r-7" },
  lineage: [{ agent_type: "publisher", spawn_depth: 0 }],
};

const bundle = readFileSync(new URL("../../generated/bundle.tar.gz", import.meta.url));

export const policy = (): Promise<Policy> => load(bundle);

/** A call that the scripted model makes. */
export interface Call {
  readonly tool: ToolName;
  readonly args: Readonly<Record<string, unknown>>;
}

/** One run of an agent. */
export interface Run {
  readonly policy: Policy;
  readonly calls: readonly Call[];
  readonly context: AgentContext<never>;
  readonly options: Omit<AgentOptions<never>, "tools">;
  /** What the program hands to the SDK for its tools. */
  readonly host: Readonly<Record<string, unknown>>;
  /** What the tools do. */
  execute(tool: ToolName, args: Record<string, unknown>, call: unknown): unknown;
}

/** What an SDK has to do for the scenarios: run an agent whose model makes the calls, one after the other. */
export interface Sdk {
  readonly name: string;
  /** As npm knows it. */
  readonly package: string;
  /** Absent: the newest. */
  readonly major?: number;
  /** What it is installed as, in the folder of SDKs. */
  readonly alias?: string;
  /** Packages that are installed with it. */
  readonly beside?: readonly string[];
  /** What the model was told of each call, and whether as an error; `undefined`: the SDK knows no errors of tools. */
  run(run: Run): Promise<readonly Told[]>;
}

export interface Told {
  readonly text: string;
  readonly isError?: boolean;
}

interface Ran {
  readonly tool: ToolName;
  readonly args: Readonly<Record<string, unknown>>;
}

/** What an SDK has to get right, and how it is seen. */
export interface Scenario {
  readonly name: string;
  run(sdk: Sdk, policy: Policy): Promise<readonly [found: unknown, expected: unknown]>;
}

const draft = (args: Readonly<Record<string, unknown>>): Call => ({ tool: "draft_create", args });
export const PAYOUT: Call = { tool: "payout_release", args: { cents: 120_000 } };
const RETRACT: Call = { tool: "article_retract", args: { notice: "withdrawn" } };
const READ: Call = { tool: "mailbox_read", args: { ticket: "t-1" } };
const REPLY: Call = { tool: "mailbox_reply", args: { ticket: "t-1", recipients: 1 } };

/** Runs calls, and says which tools ran, what with, and what the model was told. */
async function ranBy(
  sdk: Sdk,
  given: Pick<Run, "policy" | "calls" | "context"> & Partial<Pick<Run, "options" | "host" | "execute">>,
): Promise<{ readonly ran: readonly Ran[]; readonly told: readonly Told[] }> {
  const ran: Ran[] = [];
  const told = await sdk.run({
    ...{ options: {}, host: {}, ...given },
    execute(tool, args, call) {
      ran.push({ tool, args: structuredClone(args) });
      return given.execute?.(tool, args, call) ?? `${tool} done`;
    },
  });
  return { ran, told };
}

/** What a model was told: an error that names gate and reason, or the tool's own answer. */
function seen({ text, isError }: Told): readonly [gate: string, isError: boolean] {
  const [, gate, reason] = /: ([A-Z_]+), (\w+)/.exec(text) ?? [];
  return [
    gate === undefined ? text.replace(/^.*?(\w+ done).*$/s, "$1") : `${gate} ${reason}`,
    isError ?? gate !== undefined,
  ];
}

function noting<Value>(list: unknown[], given: unknown, value: Value): Value {
  list.push(given);
  return value;
}

const fails = (): never => {
  throw new Error("the mailbox is locked");
};

export const SCENARIOS: readonly Scenario[] = [
  {
    name: "allow",
    async run(sdk, given) {
      const { ran, told } = await ranBy(sdk, { policy: given, calls: [draft({ title: "Tides" })], context: WRITER });
      const args = { title: "Tides", external_publication: false, pages: 3 };
      return [
        [ran, told.map(seen)],
        [[{ tool: "draft_create", args }], [["draft_create done", false]]],
      ];
    },
  },
  {
    name: "deny",
    async run(sdk, given) {
      const { ran, told } = await ranBy(sdk, {
        policy: given,
        calls: [PAYOUT, draft({ title: "Tides" })],
        context: WRITER,
      });
      const denied = ["CAPABILITY tool_not_delegable", true];
      return [
        [ran.map(({ tool }) => tool), told.map(seen)],
        [["draft_create"], [denied, ["draft_create done", false]]],
      ];
    },
  },
  {
    name: "completed arguments are decided on",
    async run(sdk, given) {
      const asked: unknown[] = [];
      const context = (args: unknown): CallContext => noting(asked, args, WRITER);
      const calls = [draft({ title: "Tides", pages: "5" }), draft({ title: "Ebb", external_publication: true })];
      const { ran, told } = await ranBy(sdk, { policy: given, calls, context });
      const args = { title: "Tides", external_publication: false, pages: 5 };
      const denied = { title: "Ebb", external_publication: true, pages: 3 };
      return [
        [ran, told.map(seen), asked],
        [
          [{ tool: "draft_create", args }],
          [
            ["draft_create done", false],
            ["FLAGS flag_prohibited", true],
          ],
          [args, denied],
        ],
      ];
    },
  },
  {
    name: "a tool may change its arguments",
    async run(sdk, given) {
      const asked: unknown[] = [];
      const context = (args: unknown): CallContext => noting(asked, args, WRITER);
      const execute = (_: ToolName, args: Record<string, unknown>): string => {
        args["title"] = "Other";
        return `${args["title"]} done`;
      };
      const { told } = await ranBy(sdk, { policy: given, calls: [draft({ title: "Tides" })], context, execute });
      return [
        [told.map(seen), asked],
        [[["Other done", false]], [{ title: "Tides", external_publication: false, pages: 3 }]],
      ];
    },
  },
  {
    name: "approval",
    async run(sdk, given) {
      const without = await ranBy(sdk, { policy: given, calls: [RETRACT], context: PUBLISHER });
      const approval = { ref: "AP-31", by: "m.ortiz" };
      const having = await ranBy(sdk, { policy: given, calls: [RETRACT], context: { ...PUBLISHER, approval } });
      return [
        [without, having].map(({ ran, told }) => [ran.length, ...told.map(seen)]),
        [
          [0, ["APPROVAL approval_required", true]],
          [1, ["article_retract done", false]],
        ],
      ];
    },
  },
  {
    name: "approval of one call: people are asked",
    async run(sdk, given) {
      const asked: unknown[] = [];
      const approvals = {
        find: () => [],
        ask: (_: string, { facts: _facts, ...call }: { facts?: unknown }) => noting(asked, call, undefined),
      };
      const options = { approvals, history: memoryHistory() };
      const { ran, told } = await ranBy(sdk, { policy: given, calls: [PAYOUT], context: EDITOR, options });
      const call = { tool: "payout.release", ...EDITOR, args: PAYOUT.args };
      return [
        [ran, told.map(seen), asked],
        [[], [["APPROVAL approval_required", true]], [call]],
      ];
    },
  },
  {
    name: "limits: after a success",
    async run(sdk, given) {
      const options = { history: memoryHistory() };
      const { ran, told } = await ranBy(sdk, {
        policy: given,
        calls: [REPLY, READ, REPLY],
        context: READER_DESK,
        options,
      });
      return [
        [ran.map(({ tool }) => tool), told.map(seen)],
        [
          ["mailbox_read", "mailbox_reply"],
          [
            ["LIMITS limit_order", true],
            ["mailbox_read done", false],
            ["mailbox_reply done", false],
          ],
        ],
      ];
    },
  },
  {
    name: "limits: a tool that throws has not succeeded",
    async run(sdk, given) {
      const options = { history: memoryHistory() };
      const { ran, told } = await ranBy(sdk, {
        policy: given,
        calls: [READ, REPLY],
        context: READER_DESK,
        options,
        execute: fails,
      });
      const [read, reply] = told;
      return [
        [ran.map(({ tool }) => tool), read?.text.includes("done"), reply && seen(reply)],
        [["mailbox_read"], false, ["LIMITS limit_order", true]],
      ];
    },
  },
  {
    name: "the SDK's context",
    async run(sdk, given) {
      const host = { user: "m.ortiz", session: "s-1" };
      const sessions: unknown[] = [];
      const heard: unknown[] = [];
      const { ran } = await ranBy(sdk, {
        ...{ policy: given, calls: [draft({ title: "Tides" })], host },
        context: (_: unknown, call: never) => noting(heard, hostOf(call), WRITER),
        options: { session: (call: never) => noting(sessions, hostOf(call), "s-1") },
        execute: (_, __, call) => noting(heard, hostOf(call), undefined),
      });
      return [
        [ran.length, sessions, heard],
        [1, [host], [host, host]],
      ];
    },
  },
];

/** Finds what the program handed over, wherever the SDK puts it. */
function hostOf(call: unknown, depth = 0): unknown {
  if (typeof call !== "object" || call === null || depth > 3) return undefined;
  const { user, session } = call as { user?: unknown; session?: unknown };
  if (user !== undefined) return { user, session };
  return Object.values(call)
    .map((value) => hostOf(value, depth + 1))
    .find((found) => found !== undefined);
}
