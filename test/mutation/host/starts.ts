/** Starts of sub-agents: both decisions allow one, under the name that files of instructions have. */
import { chainWith, decideSpawn, type SpawnDecider } from "../../../runtime/governance/spawn.ts";
import { type Check, same } from "./check.ts";

export function startChecks(): readonly Check[] {
  return [
    { what: "who may start", run: starts },
    { what: "names of who starts", run: names },
  ];
}

const DESK = [{ agent_type: "news_desk", spawn_depth: 0 }];
const ALLOWED = { allowed: true, gate: "ALLOW", reason: "c" };
const FAULT = { allowed: false, gate: "INTERNAL_ERROR", reason: "invalid input" };

/** Personas, with those that each hands work to; a persona that is not there is a fault. */
function deciding(personas: Readonly<Record<string, readonly string[] | "sealed">>, chain: unknown = ALLOWED) {
  const heard: unknown[] = [];
  const policy = {
    subagent({ persona }: { readonly persona: unknown }) {
      heard.push(persona);
      const names = personas[String(persona)];
      if (names === undefined) return { ...FAULT, allowlistedSubagents: [], delegatedSubagents: [] };
      if (names === "sealed")
        return {
          allowed: false,
          gate: "CONTEXT_SEALED",
          reason: "s",
          allowlistedSubagents: ["a_b"],
          delegatedSubagents: [],
        };
      return { allowed: true, gate: "ALLOW", reason: "d", allowlistedSubagents: names, delegatedSubagents: names };
    },
    lineage(request: unknown) {
      heard.push(request);
      return chain;
    },
  } as unknown as SpawnDecider;
  const ask = (type: string, lineage: typeof DESK = DESK) =>
    decideSpawn(policy, { lineage, type, governance: {}, env: {} });
  return { heard, ask };
}

function starts(): void {
  const { heard, ask } = deciding({ news_desk: ["a_b"] });
  same("allowed", ask("a_b"), ALLOWED);
  const chain = [...DESK, { agent_type: "a_b", spawn_depth: 1 }];
  same("asked", heard, ["news_desk", "NEWS_DESK", { lineage: chain }]);
  same("a chain", chainWith({ lineage: chain, type: "c" }).at(-1), { agent_type: "c", spawn_depth: 2 });
  same("the last one starts", deciding({ a_b: ["c"] }).ask("c", chain), ALLOWED);
  const no = { allowed: false, gate: "SPAWN_PERMISSION", reason: "n" };
  same("a chain that is denied", deciding({ news_desk: ["a_b"] }, no).ask("a_b"), no);
  const other = deciding({ news_desk: ["a_c"] });
  same("not handed on", other.ask("a_b"), { allowed: false, gate: "DELEGATED", reason: "subagent_not_delegated" });
  same("no chain is asked about", other.heard, ["news_desk", "NEWS_DESK"]);
  const sealed = { allowed: false, gate: "CONTEXT_SEALED", reason: "s" };
  same("sealed", deciding({ news_desk: "sealed" }).ask("a_b"), sealed);
  for (const [type, lineage] of [
    ["a_b", []],
    ["", DESK],
    [" \n", DESK],
  ] as const) {
    const faulty = deciding({ news_desk: ["a_b", "", " \n"] });
    const { allowed, gate } = faulty.ask(type, lineage as never);
    same("nothing to ask", [allowed, gate, faulty.heard], [false, "INTERNAL_ERROR", []]);
  }
  same("no persona", deciding({}).ask("a_b").allowed, false);
}

function names(): void {
  for (const [personas, type, isAllowed] of [
    [{ NEWS_DESK: ["a_b"] }, "a_b", true],
    [{ NEWS_DESK: ["A_B"] }, "a-b", true],
    [{ NEWS_DESK: ["A-B"] }, "a_b", true],
    [{ news_desk: ["a_b"], NEWS_DESK: "sealed" }, "a_b", true],
    [{ news_desk: "sealed", NEWS_DESK: ["a_b"] }, "a_b", false],
    [{ news_desk: [], NEWS_DESK: ["a_b"] }, "a_b", false],
    [{ news_desk: ["x", "a_b"] }, "a_b", true],
    [{ news_desk: ["a_b"] }, "A_B", false],
    [{ news_desk: ["a_b"] }, "a_b ", false],
    [{ news_desk: ["WRITER"] }, "writer", true],
    [{ news_desk: ["WRITER"] }, "wr\u0131ter", false],
    [{ news_desk: ["FINDER"] }, "\ufb01nder", false],
    [{ news_desk: ["STRASSE"] }, "stra\u00dfe", false],
  ] as const)
    same(JSON.stringify([personas, type]), deciding(personas as never).ask(type).allowed, isAllowed);
}
