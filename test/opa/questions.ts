/** Questions to every entrypoint of the example: its test cases, requests of the adapters' protocols, and inputs that make no sense. */

import { DECISION_KINDS } from "@portcullis/runtime";
import { TOLD } from "../../compiler/governance/library/index.ts";
import { jsonText } from "../../compiler/rego/value/index.ts";
import { spoiledOnce } from "../governance/library/spoiling.ts";
import { exampleTests } from "../governance/model/example-tests.ts";

export interface Question {
  readonly entrypoint: string;
  readonly input: unknown;
}

const STRANGE: readonly unknown[] = [null, true, 0, "x", [], {}, { role: 1, lane: [], tool: {} }, { lineage: [{}] }];

const lineage = [{ agent_type: "news_desk", spawn_depth: 0 }];
const headers = {
  "x-saltmarsh-role": "WRITER",
  "x-saltmarsh-lineage": JSON.stringify(lineage),
  "x-saltmarsh-run": "r-7",
};
const draft = { table: "drafts", mode: "append" };

const evaluation = {
  subject: { type: "role", id: "WRITER", properties: {} },
  action: { name: "draft" },
  resource: { type: "tool", id: "draft.create" },
  context: { scope: { story_id: "s-118", run_id: "r-7" }, writes: [draft], lineage, time: "now" },
};

/** One that the policy allows in each protocol; adapters.test.ts holds what they mean. */
const ADAPTED: { readonly [entrypoint: string]: object } = {
  "portcullis/envoy/authz": {
    attributes: { request: { http: { method: "POST", path: "/stories/s-118/drafts", headers } } },
    truncated_body: false,
  },
  "portcullis/authzen/evaluation": evaluation,
  "portcullis/authzen/asked": evaluation,
  "portcullis/authzen/actions": evaluation,
  "portcullis/mcp/call": {
    request: {
      jsonrpc: "2.0",
      id: 1,
      method: "tools/call",
      params: { name: "create", arguments: { story: "s-118", run: "r-7" } },
    },
    identity: { role: "WRITER", lane: "DRAFTING", lineage },
  },
};

/** Every how many of an adapter's spoiled requests are asked. */
const SHARE = 7;

export function questions(): Question[] {
  const tests = exampleTests();
  const decisions = DECISION_KINDS.flatMap((kind) => {
    const cases = tests
      .filter((test) => test.decision === kind)
      .map((test) => JSON.parse(jsonText(test.input)) as unknown);
    return [...cases, ...STRANGE].map((input) => ({ entrypoint: `portcullis/${kind}/decision`, input }));
  });
  const adapted = Object.entries(ADAPTED).flatMap(([entrypoint, allowed]) => {
    const spoiled = spoiledOnce(allowed).filter((_, i) => i % SHARE === 0);
    // As JSON has them.
    const inputs = [allowed, ...spoiled, ...STRANGE].map((input) => JSON.parse(JSON.stringify(input) ?? "null"));
    return inputs.map((input: unknown) => ({ entrypoint, input }));
  });
  return [...decisions, ...adapted];
}

/** The entrypoints that questions ask: all that the library has. */
export const ENTRYPOINTS: readonly string[] = [
  ...DECISION_KINDS.map((kind) => `portcullis/${kind}/decision`),
  ...Object.keys(ADAPTED),
];

/** Those that answer with a verdict. */
export const VERDICTS: readonly string[] = ENTRYPOINTS.filter((name) => !TOLD.some((told) => told === name));

/** Whether an answer permits, in each protocol's own way. */
export function permits(answer: unknown): boolean {
  const { allowed, decision } = (answer ?? {}) as { readonly allowed?: unknown; readonly decision?: unknown };
  return allowed === true || decision === true;
}
