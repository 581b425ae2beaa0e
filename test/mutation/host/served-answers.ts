/** Evaluations of AuthZEN, answers that wait for their log, and requests that a server does not read. */
import type { IncomingMessage } from "node:http";
import { foreignTo, Gathered, headProblem, originForm } from "../../../compiler/enforcement/http/index.ts";
import { answerEvaluation, answerEvaluations } from "../../../compiler/enforcement/serving/authzen.ts";
import { Calls } from "../../../compiler/enforcement/serving/call-history.ts";
import { forgedFacts } from "../../../compiler/enforcement/serving/host-facts.ts";
import { memberText, partsOf } from "../../../compiler/enforcement/serving/member-text.ts";
import { type RecordingLog, recordedAnswer } from "../../../compiler/enforcement/serving/recorded-answer.ts";
import { type Check, same } from "./check.ts";
import { answering } from "./served-policy.ts";

export function answerChecks(): readonly Check[] {
  return [
    { what: "evaluations", run: evaluations },
    { what: "lists of evaluations", run: lists },
    { what: "evaluations that are refused", run: refused },
    { what: "answers that wait for the log", run: recorded },
    { what: "facts in a request", run: forged },
    { what: "members by their text", run: members },
    { what: "programs of this machine", run: local },
    { what: "heads of requests", run: heads },
    { what: "bodies in pieces", run: pieces },
  ];
}

const ENTRY = "authzen/evaluation";
const by = (value: (input: unknown) => unknown, fault?: { readonly code: string }) => {
  const policy = answering({ [ENTRY]: value }, { fault });
  return { policy, entrypoint: ENTRY, calls: new Calls({}) };
};
const json = (body: string): unknown => JSON.parse(body);

async function evaluations(): Promise<void> {
  const answer = async (value: unknown, fault?: { readonly code: string }): Promise<unknown> => {
    const { status, body } = await answerEvaluation(
      by(() => value, fault),
      "{}",
    );
    return [status, json(body)];
  };
  const context = { gate: "G" };
  same("yes", await answer({ decision: true, context }), [200, { decision: true, context }]);
  same("no", await answer({ decision: false, context }), [200, { decision: false, context }]);
  same("yes after a fault", await answer({ decision: true, context }, { code: "x" }), [
    200,
    { decision: false, context },
  ]);
  const odd = { decision: "true", context };
  for (const value of [undefined, null, true, [], {}, odd, { decision: 1 }, { decision: null }])
    same(`no answer: ${JSON.stringify(value)}`, await answer(value), [200, { decision: false }]);
  same(
    "no request",
    (
      await answerEvaluation(
        by(() => ({ decision: true })),
        "[]",
      )
    ).status,
    400,
  );
}

async function lists(): Promise<void> {
  const yes = (input: unknown): unknown => ({ decision: (input as { readonly a?: unknown }).a === 1 });
  const ask = async (body: object | string): Promise<{ readonly asked: readonly string[]; readonly said: unknown }> => {
    const given = by(yes);
    const text = typeof body === "string" ? body : JSON.stringify(body);
    const answer = await answerEvaluations(given, text);
    return { asked: given.policy.asked.map((one) => one.text), said: [answer.status, json(answer.body)] };
  };
  const [t, f] = [{ decision: true }, { decision: false }];
  const all = (...decisions: readonly object[]): unknown => [200, { evaluations: decisions }];
  same("a list", (await ask({ a: 1, b: 2, evaluations: [{}, { a: 2 }, { c: 3 }], options: {} })).said, all(t, f, t));
  same("what is asked", (await ask('{"a":1,"b":0,"evaluations":[{},{"a":2.50}],"options":{}}')).asked, [
    '{"a":1,"b":0}',
    '{"b":0,"a":2.50}',
  ]);
  const semantics = (evaluations_semantic: string) => ({ options: { evaluations_semantic } });
  const three = { evaluations: [{ a: 1 }, { a: 2 }, { a: 1 }] };
  same("all", (await ask({ ...three, ...semantics("execute_all") })).said, all(t, f, t));
  same("until a no", (await ask({ ...three, ...semantics("deny_on_first_deny") })).said, all(t, f));
  same("until a yes", (await ask({ ...three, ...semantics("permit_on_first_permit") })).said, all(t));
  const late = { evaluations: [{ a: 2 }, { a: 1 }, { a: 1 }] };
  same("until a later yes", (await ask({ ...late, ...semantics("permit_on_first_permit") })).said, all(f, t));
  same("no list", (await ask({ a: 1 })).said, [200, t]);
  same("an empty one, which is one evaluation", (await ask({ a: 1, evaluations: [] })).said, [200, t]);
  same("the last list", (await ask('{"evaluations":[{"a":1}],"evaluations":[{"a":2}]}')).said, all(f));
  same("most of them", (await ask({ evaluations: Array(1000).fill({}) })).asked.length, 1000);
}

async function refused(): Promise<void> {
  const status = async (body: object | string, entrypoints = [ENTRY]): Promise<readonly unknown[]> => {
    const given = by(() => ({ decision: true }));
    Object.assign(given.policy, { entrypoints });
    const text = typeof body === "string" ? body : JSON.stringify(body);
    return [(await answerEvaluations(given, text)).status, given.policy.asked.length];
  };
  const one = { evaluations: [{}] };
  for (const odd of [
    ...["", "{", "[]", "null", "1", '"a"'],
    ...[
      { evaluations: {} },
      { evaluations: "a" },
      { evaluations: null },
      { evaluations: [1] },
      { evaluations: [null] },
      { evaluations: [{}, 1] },
    ],
    ...[{ evaluations: Array(1001).fill({}) }, { ...one, options: [] }, { ...one, options: null }],
    ...[
      { ...one, options: { evaluations_semantic: "all" } },
      { ...one, options: { evaluations_semantic: null } },
    ],
  ])
    same(`refused: ${JSON.stringify(odd).slice(0, 50)}`, await status(odd), [400, 0]);
  same("no entrypoint", await status({}, ["other"]), [404, 0]);
  // Two of 8 MiB together, with the names of their members, and a character around and behind each.
  const long = "a".repeat((8 << 20) / 2 - 18);
  const both = [{ b: 1 }, { b: 1 }];
  same("not too long", await status({ long, evaluations: both }), [200, 2]);
  same("together too long", await status({ long, evaluations: [{ b: 1 }, { bb: 1 }] }), [413, 0]);
  const own = [ENTRY, "portcullis/call/decision"];
  same("facts", await status({ facts: {}, a: 1 }, own), [400, 0]);
  same("facts of one", await status({ evaluations: [{}, { facts: {} }] }, own), [400, 0]);
  same("facts that a policy of others takes", await status({ facts: {} }), [200, 1]);
}

async function recorded(): Promise<void> {
  const answer = { status: 200, body: "yes" };
  const log = (failures: number) => {
    const held: string[] = [];
    const own = {
      status: { dropped: 5 },
      flush: (ids: ReadonlySet<string>) =>
        held.push([...ids].join()) > failures ? Promise.resolve() : Promise.reject(new Error("full")),
    } satisfies RecordingLog;
    return { own, held };
  };
  const tried = async (failures: number, ids = ["a", "b"]): Promise<readonly unknown[]> => {
    const { own, held } = log(failures);
    let made = 0;
    const ended: string[] = [];
    const { status } = await recordedAnswer(own, {}, (calls) => {
      made++;
      for (const id of ids) calls.ids.add(id);
      calls.given = async () => void ended.push("given");
      calls.undone = async () => void ended.push("undone");
      return Promise.resolve(answer);
    });
    return [status, made, held, ended.join()];
  };
  const [one, two, three] = [1, 2, 3].map((count) => Array<string>(count).fill("a,b"));
  same("taken", await tried(0), [200, 1, one, "given"]);
  same("nothing was decided", await tried(9, []), [200, 1, [], "given"]);
  same("taken at the second time", await tried(1), [200, 2, two, "undone,given"]);
  same("at the third", await tried(2), [200, 3, three, "undone,undone,given"]);
  same("never", await tried(3), [503, 3, three, "undone,undone,undone"]);
  const lossy = log(0);
  const lost = await recordedAnswer(lossy.own, {}, (calls) => {
    calls.ids.add("a");
    lossy.own.status.dropped++;
    return Promise.resolve(answer);
  });
  same("lost meanwhile", lost.status, 503);
  const unlogged = await recordedAnswer(undefined, {}, (calls) => {
    calls.ids.add("a");
    return Promise.resolve(answer);
  });
  same("without a log", unlogged.status, 200);
  const ended: string[] = [];
  const broken = recordedAnswer(undefined, {}, (calls) => {
    calls.undone = async () => void ended.push("undone");
    return Promise.reject(new Error("broken"));
  });
  same("an answer that fails", [await broken.catch((error: Error) => error.message), ended], ["broken", ["undone"]]);
}

function forged(): void {
  const own = { entrypoints: ["other", "portcullis/call/decision"] };
  for (const [text, isForged] of [
    ...['{"facts":{}}', '{"a":1,"facts":[]}', '{"facts":null,"facts":1}', '{"facts":1,"facts":null}'].map(
      (one) => [one, true] as const,
    ),
    ['{"\\u0066acts":{}}', true],
    ...['{"facts":null}', "{}", '{"a":{"facts":{}}}', '{"Facts":{}}', '["facts"]', '"facts"'].map(
      (one) => [one, false] as const,
    ),
  ] as const) {
    same(text, forgedFacts(own, text)?.status, isForged ? 400 : undefined);
    same(`${text} for others`, forgedFacts({ entrypoints: ["other", "xportcullis/a"] }, text), undefined);
  }
}

function members(): void {
  const parts = (text: string): unknown => partsOf(text).map(({ name, text: value, whole }) => [name, value, whole]);
  same("an object", parts('{ "a" : 1 , "b":{"c":[1,{}]},"a":"x,}" }'), [
    ["a", "1", '"a" : 1 '],
    ["b", '{"c":[1,{}]}', '"b":{"c":[1,{}]}'],
    ["a", '"x,}"', '"a":"x,}" '],
  ]);
  same("a list", parts('[1, "a:b" ,{"c":2},[3]]'), [
    ["", "1", "1"],
    ["", '"a:b"', '"a:b" '],
    ["", '{"c":2}', '{"c":2}'],
    ["", "[3]", "[3]"],
  ]);
  same("escapes", parts('{"a\\"b\\\\":"\\\\\\""}'), [['a"b\\', '"\\\\\\""', '"a\\"b\\\\":"\\\\\\""']]);
  for (const none of ["{}", "[]", " { } ", "1", '"a"', "null"]) same(none, parts(none), []);
  same("any case, the last", memberText('{"INPUT":1,"input":2,"Input":3.50}', "input"), "3.50");
  same("none", memberText('{"inputs":1}', "input"), undefined);
}

const asking = (headers: Readonly<Record<string, readonly string[]>>, more: object = {}): IncomingMessage =>
  ({ url: "/", httpVersionMajor: 1, httpVersionMinor: 1, headers: {}, headersDistinct: headers, ...more }) as never;

function local(): void {
  const isForeign = (headers: Readonly<Record<string, readonly string[]>>, url = "/"): boolean =>
    foreignTo(asking(headers, { url })) !== undefined;
  for (const host of ["localhost", "LOCALHOST:81", "127.0.0.1", "127.1.2.3:8181", "[::1]", "[::1]:65535"]) {
    same(host, isForeign({ host: [host] }), false);
    same(`a proxy's ${host}`, isForeign({ host: ["localhost"] }, `http://${host}/a`), false);
  }
  for (const host of ["", "example.org", "localhost.example.org", "xlocalhost", "128.0.0.1", "127.0.0.1.example.org"]) {
    same(host, isForeign({ host: [host] }), true);
    if (host !== "") same(`a proxy's ${host}`, isForeign({ host: ["localhost"] }, `http://${host}/a`), true);
  }
  same("no host", isForeign({}), true);
  const host = ["localhost:1"];
  for (const [origin, expected] of [
    ...[["http://localhost:1"], ["HTTP://LOCALHOST:1"]].map((one) => [one, false] as const),
    ...[["http://localhost:2"], ["https://localhost:1"], ["null"], [""], ["http://localhost:1", "http://x"]].map(
      (one) => [one, true] as const,
    ),
  ])
    same(`origin ${origin}`, isForeign({ host, origin }), expected);
  for (const [site, expected] of [
    ...[["same-origin"], ["none"]].map((one) => [one, false] as const),
    ...[["cross-site"], ["same-site"], ["none", "cross-site"], [""]].map((one) => [one, true] as const),
  ])
    same(`site ${site}`, isForeign({ host, "sec-fetch-site": site }), expected);
}

function heads(): void {
  const status = (headers: Readonly<Record<string, readonly string[]>>, more: object = {}): number | undefined =>
    headProblem(asking(headers, more))?.status;
  same("a good one", status({ host: ["a.b:1"] }), undefined);
  same("without a host", status({}), undefined);
  for (const [major, minor] of [
    [0, 9],
    [2, 0],
  ])
    same(`HTTP/${major}`, status({}, { httpVersionMajor: major, httpVersionMinor: minor }), 505);
  for (const host of [["a", "b"], ["a b"], ["a/b"], ["a@b"], ["\u00e4"]]) same(`host ${host}`, status({ host }), 400);
  const coded = { headers: { "transfer-encoding": "chunked" } };
  same("codings", status({}, coded), undefined);
  for (const [coding, expected] of [
    ["Chunked", undefined],
    ["gzip, chunked", 501],
    ["identity", 501],
  ] as const)
    same(`codings: ${coding}`, status({}, { headers: { "transfer-encoding": coding } }), expected);
  same("codings of HTTP/1.0", status({}, { ...coded, httpVersionMinor: 0 }), 400);
  same("HTTP/1.0", status({}, { httpVersionMinor: 0 }), undefined);
  for (const [target, expected] of [
    ["/a?b", "/a?b"],
    ["http://h/a?b", "/a?b"],
    ["HTTP://u@h:1/a", "/a"],
    ["http://[::1]:2", ""],
    ["http://h:x/a", "http://h:x/a"],
    ["*", "*"],
    ["1http://h/a", "1http://h/a"],
  ] as const)
    same(target, originForm(target), expected);
}

/** More than 4 KiB, of which Node gives each piece memory of its own. */
function pieces(): void {
  const of = new Gathered();
  same("nothing", [of.size, [...of.bytes]], [0, []]);
  for (const piece of [[], [1, 2], [], [3], [4, 5, 6]]) of.add(Uint8Array.from(piece));
  same("in their order", [of.size, [...of.bytes]], [6, [1, 2, 3, 4, 5, 6]]);
  const long = new Gathered();
  const first = new Uint8Array(10_000);
  long.add(first);
  same("one piece is not copied", long.bytes.buffer === first.buffer, true);
  long.add(Uint8Array.of(1));
  const { buffer } = long.bytes;
  same("twice as much", buffer.byteLength, 20_000);
  long.add(new Uint8Array(9_999));
  same("as long as there is room", long.bytes.buffer === buffer, true);
  long.add(new Uint8Array(30_000));
  same("as much as comes", [long.size, long.bytes.buffer.byteLength], [50_000, 50_000]);
}
