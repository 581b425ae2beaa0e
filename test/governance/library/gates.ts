/**
 * Every gate with its reasons, from the METADATA of the library, and the reasons of its allows from the rules themselves. What they
 * must be, the statements say by hand.
 */

import { answersOf, describedGates } from "../../../compiler/governance/checks/index.ts";
import { SourceFile } from "../../../compiler/rego/diagnostics/source-file.ts";
import { parseModule } from "../../../compiler/rego/syntax/index.ts";
import type { DecisionName } from "../../statements/index.ts";
import { libraryModules } from "./library-modules.ts";

const modules = libraryModules().flatMap(({ name, text }) => parseModule(new SourceFile(name, text)).module ?? []);

function gatesOf(decision: DecisionName): string[] {
  const name = `${decision}.rego`;
  const module = modules.find(({ span }) => span.file.name === name);
  if (module === undefined) throw new Error(`${name} is no Rego`);
  const denials = describedGates(module, modules).flatMap((gate) =>
    "of" in gate
      ? gatesOf(gate.of as DecisionName).filter((of) => !of.startsWith("ALLOW "))
      : Object.keys(gate.says).map((reason) => `${gate.gate} ${reason.replace("'…'", "'<as given>'")}`),
  );
  const allows = answersOf(module, modules).filter(({ allowed }) => allowed);
  return [...denials, ...allows.map(({ gate, reason }) => `${gate} ${reason}`)];
}

/** By decision, `GATE reason`. */
export const gates: Readonly<Record<DecisionName, readonly string[]>> = {
  lane: gatesOf("lane"),
  tool: gatesOf("tool"),
  call: gatesOf("call"),
  subagent: gatesOf("subagent"),
  lineage: gatesOf("lineage"),
  handoff: gatesOf("handoff"),
  exec: gatesOf("exec"),
  close: gatesOf("close"),
};
