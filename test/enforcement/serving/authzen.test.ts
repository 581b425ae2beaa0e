/** AuthZEN's requests: the policy's own rule answers, and whatever is no answer of its form is a denial. */

import { fileURLToPath } from "node:url";
import { load, type Policy } from "@portcullis/runtime";
import { beforeAll, describe, expect, it } from "vitest";
import { nodeHost } from "../../../compiler/documents/node.ts";
import { answerEvaluation, answerEvaluations } from "../../../compiler/enforcement/serving/authzen.ts";
import { compile } from "../../../compiler/governance/pipeline.ts";
import { virtualHost } from "../../governance/sources/virtual-host.ts";

const REGO = `package authzen

# METADATA
# entrypoint: true
default evaluation := {"decision": false}

evaluation := {"decision": true, "context": {"id": input.resource.id}} if {
	input.subject.id == "ann"
	input.action.name == "read"
} else := {"decision": "yes"} if input.subject.id == "text"
else := true if input.subject.id == "bare"
else := {"decision": true} if input.subject.id == "conflict"

# METADATA
# entrypoint: true
default amount := {"decision": false}

amount := {"decision": true} if input.context.amount <= 9007199254740992

# METADATA
# entrypoint: true
odd := "no object"
`;

const root = fileURLToPath(new URL("../../../", import.meta.url));
const ENTRY = "authzen/evaluation";
let policy: Policy;
beforeAll(async () => {
  const { compiled, diagnostics } = await compile({
    host: virtualHost({ rules: { "authzen.rego": REGO } }),
    dirs: ["rules"],
  });
  if (compiled === undefined) throw new Error(diagnostics.map(({ message }) => message).join("\n"));
  policy = await load(compiled.bundle);
});

const ann = { subject: { type: "user", id: "ann" }, action: { name: "read" }, resource: { type: "story", id: "7" } };
const one = (request: unknown, entrypoint = ENTRY): unknown => {
  const { status, body } = answerEvaluation(policy, entrypoint, JSON.stringify(request));
  return status === 200 ? JSON.parse(body) : status;
};
const many = (request: object): unknown => {
  const { status, body } = answerEvaluations(policy, ENTRY, JSON.stringify(request));
  return status === 200 ? (JSON.parse(body) as { evaluations?: { decision: boolean }[] }) : status;
};
const decisions = (request: object): unknown =>
  (many(request) as { evaluations: { decision: boolean }[] }).evaluations.map(({ decision }) => decision);

describe("evaluation", () => {
  it("is what the rule says, and a denial where it gives no answer", () => {
    expect(one(ann)).toEqual({ decision: true, context: { id: "7" } });
    for (const id of ["bob", "text", "bare"])
      expect(one({ ...ann, subject: { id } }), id).toMatchObject({ decision: false });
    expect(one({})).toEqual({ decision: false });
    expect(one(ann, "authzen/odd")).toEqual({ decision: false });
  });

  it("refuses a value that is not a request, and a policy without the rule", () => {
    for (const body of ["", "{", "[]", "null", "1"]) expect(answerEvaluation(policy, ENTRY, body).status).toBe(400);
    expect(one(ann, "no/such")).toBe(404);
  });
});

describe("numbers", () => {
  const within = (amount: string): string => `{"context": {"amount": ${amount}}}`;
  const single = (amount: string): string => answerEvaluation(policy, "authzen/amount", within(amount)).body;
  const listed = (amount: string): string =>
    answerEvaluations(policy, "authzen/amount", `{"evaluations": [${within(amount)}]}`).body;
  const shared = (amount: string): string =>
    answerEvaluations(policy, "authzen/amount", `{"context": {"amount": ${amount}}, "evaluations": [ { } ]}`).body;

  it.each([
    ["alone", single],
    ["in a list", listed],
    ["before a list", shared],
  ])("keep every digit %s", (_, ask) => {
    expect(ask("9007199254740992")).toContain('"decision":true');
    // To a double, the same.
    for (const more of ["9007199254740993", "9007199254740992.00000000000000000001"])
      expect(ask(more), more).toContain('"decision":false');
  });
});

describe("the library's adapter", () => {
  it("answers where the policy set maps AuthZEN, and is not there where it does not", async () => {
    const { compiled } = await compile({ host: nodeHost, dirs: [`${root}policies`] });
    const press = await load(compiled?.bundle as Uint8Array);
    const entrypoint = "portcullis/authzen/evaluation";
    const ask = (request: object): unknown => {
      const { status, body } = answerEvaluation(press, entrypoint, JSON.stringify(request));
      return status === 200 ? JSON.parse(body) : status;
    };
    const writer = {
      subject: { type: "role", id: "WRITER" },
      action: { name: "draft" },
      resource: { type: "tool", id: "draft.create" },
      context: { scope: { story_id: "s", run_id: "r" }, lineage: [{ agent_type: "news_desk", spawn_depth: 0 }] },
    };
    expect(ask(writer)).toEqual({ decision: true, context: { gate: "ALLOW", reason: "call_allowed" } });
    expect(ask({ ...writer, action: { name: "pay" } })).toMatchObject({ decision: false });
    expect(ask({})).toEqual({ decision: false, context: { gate: "REQUEST", reason: "request_malformed" } });
    expect(answerEvaluation(policy, entrypoint, "{}").status).toBe(404);
  });
});

describe("evaluations", () => {
  const evaluations = [{ action: { name: "write" } }, {}, { subject: { id: "bob" } }];

  it("take from the request what they do not say, and stop where they are told to", () => {
    expect(decisions({ ...ann, evaluations })).toEqual([false, true, false]);
    const options = (evaluations_semantic: string): object => ({ options: { evaluations_semantic } });
    expect(decisions({ ...ann, evaluations, ...options("execute_all") })).toEqual([false, true, false]);
    expect(decisions({ ...ann, evaluations, ...options("deny_on_first_deny") })).toEqual([false]);
    expect(decisions({ ...ann, evaluations, ...options("permit_on_first_permit") })).toEqual([false, true]);
    expect(many(ann)).toMatchObject({ decision: true });
  });

  it("take the place of members as they are written, and of two the last one", () => {
    const asked = (body: string): string[] =>
      [...answerEvaluations(policy, ENTRY, body).body.matchAll(/"decision":(\w+)/g)].map(
        ([, decision = ""]) => decision,
      );
    const [subject, action] = ['"subject": {"id": "ann"}', '"action": {"name": "read"}'];
    const other = '"act\\u0069on" : {"name": "write, \\"}]"}';
    const id = '"resource": {"id": [",", "]", {"evaluations": 1}]}';
    const list = `[ {${other}} , {}, {${other}, ${action}},{"options": {}, "evaluations": [{}]} ]`;
    expect(asked(`{${subject}, ${id}, ${action}, "evaluations": ${list}}`)).toEqual(["false", "true", "true", "true"]);
    expect(asked(`{"evaluations": 1, ${other}, ${action}, ${subject}, ${id}, "evaluations":[{}]}`)).toEqual(["true"]);
    expect(asked(`{${subject}, ${action}, ${id}, "evaluations": []}`)).toEqual([]);
  });

  it("are refused when what they share would take them long", () => {
    const evaluations = Array.from({ length: 1000 }, () => ({}));
    const shared = { ...ann, context: { words: "x".repeat(9000) } };
    expect(many({ ...shared, evaluations })).toBe(413);
    expect(decisions({ ...shared, evaluations: evaluations.slice(0, 900) })).toHaveLength(900);
  });

  it("are refused when they are no list of requests", () => {
    const wrong = [1, {}, [1], [null], Array.from({ length: 1001 }, () => ({}))];
    for (const list of wrong) expect(many({ ...ann, evaluations: list })).toBe(400);
    expect(many({ ...ann, evaluations, options: { evaluations_semantic: "some" } })).toBe(400);
    expect(many({ ...ann, evaluations, options: 1 })).toBe(400);
  });
});
