/** AuthZEN's requests: the policy's own rule answers, and whatever is no answer of its form is a denial. */

import { fileURLToPath } from "node:url";
import { load, type Policy } from "@portcullis/runtime";
import { beforeAll, describe, expect, it } from "vitest";
import { nodeHost } from "../../../compiler/documents/node.ts";
import { answerEvaluation, answerEvaluations, type Evaluating } from "../../../compiler/enforcement/serving/authzen.ts";
import { Calls } from "../../../compiler/enforcement/serving/call-history.ts";
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
const by = (entrypoint: string, of = policy): Evaluating => ({ policy: of, entrypoint, calls: new Calls({}) });
const one = async (request: unknown, entrypoint = ENTRY): Promise<unknown> => {
  const { status, body } = await answerEvaluation(by(entrypoint), JSON.stringify(request));
  return status === 200 ? JSON.parse(body) : status;
};
const many = async (request: object): Promise<unknown> => {
  const { status, body } = await answerEvaluations(by(ENTRY), JSON.stringify(request));
  return status === 200 ? (JSON.parse(body) as { evaluations?: { decision: boolean }[] }) : status;
};
const decisions = async (request: object): Promise<unknown> =>
  ((await many(request)) as { evaluations: { decision: boolean }[] }).evaluations.map(({ decision }) => decision);

describe("evaluation", () => {
  it("is what the rule says, and a denial where it gives no answer", async () => {
    expect(await one(ann)).toEqual({ decision: true, context: { id: "7" } });
    for (const id of ["bob", "text", "bare"])
      expect(await one({ ...ann, subject: { id } }), id).toMatchObject({ decision: false });
    expect(await one({})).toEqual({ decision: false });
    expect(await one(ann, "authzen/odd")).toEqual({ decision: false });
  });

  it("refuses a value that is not a request, and a policy without the rule", async () => {
    for (const body of ["", "{", "[]", "null", "1"]) expect((await answerEvaluation(by(ENTRY), body)).status).toBe(400);
    expect(await one(ann, "no/such")).toBe(404);
  });
});

describe("numbers", () => {
  const within = (amount: string): string => `{"context": {"amount": ${amount}}}`;
  const single = async (amount: string): Promise<string> =>
    (await answerEvaluation(by("authzen/amount"), within(amount))).body;
  const listed = async (amount: string): Promise<string> =>
    (await answerEvaluations(by("authzen/amount"), `{"evaluations": [${within(amount)}]}`)).body;
  const shared = async (amount: string): Promise<string> =>
    (await answerEvaluations(by("authzen/amount"), `{"context": {"amount": ${amount}}, "evaluations": [ { } ]}`)).body;

  it.each([
    ["alone", single],
    ["in a list", listed],
    ["before a list", shared],
  ])("keep every digit %s", async (_, ask) => {
    expect(await ask("9007199254740992")).toContain('"decision":true');
    // To a double, the same.
    for (const more of ["9007199254740993", "9007199254740992.00000000000000000001"])
      expect(await ask(more), more).toContain('"decision":false');
  });
});

describe("the library's adapter", () => {
  it("answers where the policy set maps AuthZEN, and is not there where it does not", async () => {
    const { compiled } = await compile({ host: nodeHost, dirs: [`${root}policies`] });
    const press = await load(compiled?.bundle as Uint8Array);
    const entrypoint = "portcullis/authzen/evaluation";
    const ask = async (request: object): Promise<unknown> => {
      const { status, body } = await answerEvaluation(by(entrypoint, press), JSON.stringify(request));
      return status === 200 ? JSON.parse(body) : status;
    };
    const writer = {
      subject: { type: "role", id: "WRITER" },
      action: { name: "draft" },
      resource: { type: "tool", id: "draft.create" },
      context: { scope: { story_id: "s", run_id: "r" }, lineage: [{ agent_type: "news_desk", spawn_depth: 0 }] },
    };
    expect(await ask(writer)).toEqual({ decision: true, context: { gate: "ALLOW", reason: "call_allowed" } });
    expect(await ask({ ...writer, action: { name: "pay" } })).toMatchObject({ decision: false });
    expect(await ask({})).toEqual({ decision: false, context: { gate: "REQUEST", reason: "request_malformed" } });
    const missing = await answerEvaluation(by(entrypoint), "{}");
    expect([missing.status, missing.body]).toEqual([
      404,
      expect.stringContaining("`adapters.authzen` of portcullis.yaml"),
    ]);
  });
});

describe("evaluations", () => {
  const evaluations = [{ action: { name: "write" } }, {}, { subject: { id: "bob" } }];

  it("take from the request what they do not say, and stop where they are told to", async () => {
    expect(await decisions({ ...ann, evaluations })).toEqual([false, true, false]);
    const options = (evaluations_semantic: string): object => ({ options: { evaluations_semantic } });
    expect(await decisions({ ...ann, evaluations, ...options("execute_all") })).toEqual([false, true, false]);
    expect(await decisions({ ...ann, evaluations, ...options("deny_on_first_deny") })).toEqual([false]);
    expect(await decisions({ ...ann, evaluations, ...options("permit_on_first_permit") })).toEqual([false, true]);
    // AuthZEN, 7.1.
    for (const empty of [
      ann,
      { ...ann, evaluations: [] },
      { ...ann, evaluations: [], ...options("deny_on_first_deny") },
    ])
      expect(await many(empty)).toEqual({ decision: true, context: { id: "7" } });
  });

  it("take the place of members as they are written, and of two the last one", async () => {
    const asked = async (body: string): Promise<string[]> =>
      [...(await answerEvaluations(by(ENTRY), body)).body.matchAll(/"decision":(\w+)/g)].map(
        ([, decision = ""]) => decision,
      );
    const [subject, action] = ['"subject": {"id": "ann"}', '"action": {"name": "read"}'];
    const other = '"act\\u0069on" : {"name": "write, \\"}]"}';
    const id = '"resource": {"id": [",", "]", {"evaluations": 1}]}';
    const list = `[ {${other}} , {}, {${other}, ${action}},{"options": {}, "evaluations": [{}]} ]`;
    expect(await asked(`{${subject}, ${id}, ${action}, "evaluations": ${list}}`)).toEqual([
      "false",
      "true",
      "true",
      "true",
    ]);
    expect(await asked(`{"evaluations": 1, ${other}, ${action}, ${subject}, ${id}, "evaluations":[{}]}`)).toEqual([
      "true",
    ]);
    expect(await asked(`{${subject}, ${action}, ${id}, "evaluations": [ ]}`)).toEqual(["true"]);
  });

  it("are refused when what they share would take them long", async () => {
    const evaluations = Array.from({ length: 1000 }, () => ({}));
    const shared = { ...ann, context: { words: "x".repeat(9000) } };
    expect(await many({ ...shared, evaluations })).toBe(413);
    expect(await decisions({ ...shared, evaluations: evaluations.slice(0, 900) })).toHaveLength(900);
  });

  it("are refused when they are no list of requests", async () => {
    const wrong = [1, {}, [1], [null], Array.from({ length: 1001 }, () => ({}))];
    for (const list of wrong) expect(await many({ ...ann, evaluations: list })).toBe(400);
    expect(await many({ ...ann, evaluations, options: { evaluations_semantic: "some" } })).toBe(400);
    expect(await many({ ...ann, evaluations, options: 1 })).toBe(400);
  });
});
