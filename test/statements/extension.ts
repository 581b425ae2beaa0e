/** What authors' gates make of a decision, stated from `authors-gates.md` and the library's own documentation. */
import type { DecisionName } from "./index.ts";
import { type Decision, isObject, isWritten, type Json } from "./values.ts";

/** What `deny` of an extension is: a set of answers, as it should be, or something else. */
export type Extension =
  | { readonly kind: "Set"; readonly answers: readonly Json[] }
  | { readonly kind: "Value"; readonly value: Json };

/** What authors demand with `must`: by name the reason, and the names of which some rule is true. */
export interface Requirements {
  readonly gates: { readonly [gate: string]: string };
  readonly met: readonly string[];
}

interface Denial {
  readonly gate: string;
  readonly reason: string;
}

const unreadable: Denial = { gate: "EXTENSION", reason: "invalid_extension_answer" };

function readable(answer: unknown): Denial[] {
  if (!isObject(answer) || !isWritten(answer["gate"]) || !isWritten(answer["reason"])) return [];
  return answer["gate"] === "ALLOW" ? [] : [{ gate: answer["gate"], reason: answer["reason"] }];
}

function denialsOf(extension: Extension): Denial[] {
  if (extension.kind === "Value") return [unreadable];
  const good = new Map<string, Denial>();
  let bad = false;
  for (const answer of extension.answers) {
    const [denial] = readable(answer);
    if (denial === undefined) bad = true;
    else good.set(JSON.stringify([denial.gate, denial.reason]), denial);
  }
  const bytes = ({ gate, reason }: Denial): [Buffer, Buffer] => [Buffer.from(gate), Buffer.from(reason)];
  const sorted = [...good.values()].sort((a, b) => {
    const [[gateA, reasonA], [gateB, reasonB]] = [bytes(a), bytes(b)];
    return Buffer.compare(gateA, gateB) || Buffer.compare(reasonA, reasonB);
  });
  return bad ? [...sorted, unreadable] : sorted;
}

/** In the order of code points, each gate that is demanded and not met. */
function unmet({ gates, met }: Requirements): Denial[] {
  const names = Object.keys(gates).filter((gate) => !met.includes(gate));
  names.sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
  return names.map((gate) => ({ gate, reason: gates[gate] as string }));
}

/** The decision after the authors' gates were asked. Only an allow can change, and only into a denial. */
export function extended(
  decision: DecisionName,
  answer: Decision,
  extension: Extension | undefined,
  requirements?: Requirements,
): Decision {
  const denials = [
    ...(requirements === undefined ? [] : unmet(requirements)),
    ...(extension === undefined ? [] : denialsOf(extension)),
  ];
  const [first] = denials;
  if (answer["allowed"] !== true || first === undefined) return answer;
  const denied = { allowed: false, gate: first.gate, reason: first.reason };
  switch (decision) {
    case "lane":
    case "tool":
    case "lineage":
    case "call":
      return denied;
    case "subagent":
      return { ...denied, allowlistedSubagents: answer["allowlistedSubagents"] ?? [], delegatedSubagents: [] };
    case "exec":
      return { ...denied, reply: "D", code: "EN-EXEC-D-001" };
    case "close":
      return { ...denied, reply: "I", code: "CT-GATE-I-004", commit_blocked: true, undeclared: [] };
    case "handoff":
      return { ...denied, violations: denials.map(({ gate, reason }) => ({ gate, reason, path: "" })) };
  }
}
