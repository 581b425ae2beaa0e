/** Arguments that a guard of a tool copies, and paths in them that it resolves. */
import { ALLOW, type Answer, type Guards, noting } from "./guard-fakes.ts";

/** `depth` lists or objects, one in the other, around a number. */
function nested(depth: number, around: (value: unknown) => unknown = (value) => [value]): unknown {
  let value: unknown = 1;
  for (let i = 0; i < depth; i++) value = around(value);
  return value;
}

const inObject = (a: unknown): object => ({ a });
export async function values(guardTool: Guards["guardTool"]): Promise<Answer[]> {
  const through = async (args: unknown): Promise<unknown> => {
    const policy = { call: () => ALLOW };
    const { allowed, value } = await guardTool(policy, {}, "t", (given: unknown) => given)(args);
    return allowed === true ? value : "denied";
  };
  const kept = [
    null,
    true,
    "",
    1.5,
    2n,
    [1, [null], "\u{1f600}"],
    { a: { b: [] }, "\u{1f600}": "é" },
    JSON.parse('{"__proto__":1}'),
    new Array(249_999).fill(0),
    nested(1_000),
    nested(1_000, inObject),
  ];
  const halfLong = new Proxy([1], { get: (list, key) => (key === "length" ? 1.5 : Reflect.get(list, key)) });
  const accessor = Object.defineProperty({}, "a", { get: () => 1, enumerable: true });
  const refused = [
    ...[Number.NaN, Number.POSITIVE_INFINITY, () => 1, Symbol("s"), [undefined], new Array(1), new Date(0), new Map()],
    ...[accessor, new Array(250_000).fill(0), nested(1_001), nested(1_001, inObject), [() => 1]],
    ...[halfLong, [...new Array(249_997).fill(0), { a: 0, b: 0 }], "\ud83d", ["a\udc00"], { "\ud800": 1 }],
  ];
  const found: Answer[] = [];
  for (const value of kept) found.push(["kept", await through(value), value]);
  for (const [i, value] of refused.entries()) found.push([`refused ${i}`, await through(value), "denied"]);
  found.push(["absent members", await through({ a: undefined, b: 1 }), { b: 1 }]);
  const frozen = (await through({ a: [{}] })) as { a: object[] };
  found.push(["frozen", [frozen, frozen.a, frozen.a[0]].map((one) => Object.isFrozen(one)), [true, true, true]]);
  return found;
}

/** Facts are there where the policy names arguments and the host resolves them, and nowhere else. */
export async function paths(guardTool: Guards["guardTool"]): Promise<Answer[]> {
  const resolve = (text: string) => ({ path: `in/${text}`, absolute: `/root/${text}` });
  const asked = async (pathArguments: unknown, options: object): Promise<string> => {
    const seen: unknown[] = [];
    const decider = { pathArguments, call: (request: unknown) => noting(seen, request, ALLOW) };
    const run = guardTool(decider, {}, "t", (args: unknown) => args, options);
    const { allowed, value } = await run({ file: "a", other: "b" });
    return JSON.stringify([allowed, value, seen]);
  };
  const raw = { file: "a", other: "b" };
  const resolved = { file: "/root/a", other: "b" };
  const plain = JSON.stringify([true, raw, [{ tool: "t", args: raw }]]);
  const withFacts = JSON.stringify([true, resolved, [{ tool: "t", args: raw, facts: { paths: { file: "in/a" } } }]]);
  return [
    ["paths", await asked({ t: ["file"] }, { paths: resolve }), withFacts],
    ["no resolver", await asked({ t: ["file"] }, {}), plain],
    ["no path of the tool", await asked({ u: ["file"] }, { paths: resolve }), plain],
    ["no list", await asked({ t: 7 }, { paths: resolve }), plain],
    ["no paths at all", await asked(undefined, {}), plain],
  ];
}
