/** decisions.md: gates and reasons of every decision, in the order in which they are asked, from the library's Rego. */

import { DECISION_KINDS, GATES } from "@portcullis/runtime";
import { type DecisionAnswer as Answer, answersOf, defaultAnswer } from "../../governance/checks/index.ts";
import { adapterModules, libraryModules } from "../../governance/library/library.embedded.ts";
import { SourceFile } from "../../rego/diagnostics/source-file.ts";
import { type Module, parseModule } from "../../rego/syntax/index.ts";
import { code, page, prose, table } from "./markdown.ts";

export interface DecisionReference {
  /** `lane` */
  readonly name: string;
  readonly entrypoint: string;
  readonly question: string;
  readonly description: string;
  /** In the order in which they are asked. */
  readonly answers: readonly Answer[];
  /** The answer where nothing else is one. */
  readonly otherwise: Answer;
}

/** The order in which a reader meets them. */
const ORDER = ["lane", "tool", "call", "subagent", "lineage", "handoff", "exec", "close"];

/** The adapters' entrypoint rules, by module. */
const ADAPTERS: Readonly<Record<string, string>> = {
  mcp: "call",
  offer: "mcp",
  authzen: "evaluation",
  envoy: "authz",
};

/** Every decision of the library. Throws where there is one that the page's order does not know. */
export function decisionReferences(): DecisionReference[] {
  const decisions = libraryModules.flatMap(({ name, text }) => {
    const { module } = parseModule(new SourceFile(name, text));
    if (module === undefined) throw new Error(`${name} cannot be parsed`);
    return module.annotations.some((a) => a.annotation.entrypoint) ? [referenceOf(module, "decision")] : [];
  });
  const unknown = decisions.filter((d) => !ORDER.includes(d.name)).map((d) => d.name);
  if (unknown.length > 0) throw new Error(`decisions without a place on the page: ${unknown.join(", ")}`);
  return ORDER.flatMap((name) => decisions.filter((d) => d.name === name));
}

/** Every adapter of the library. Throws for one whose rule is not known. */
export function adapterReferences(): DecisionReference[] {
  return Object.entries(ADAPTERS).map(([name, rule]) => {
    const text = adapterModules.find((m) => m.name === `${name}.rego`)?.text ?? "";
    const { module } = parseModule(new SourceFile(`${name}.rego`, text));
    if (module === undefined) throw new Error(`${name}.rego cannot be parsed`);
    return referenceOf(module, rule);
  });
}

/** The modules that a decision may ask for parts of its answers. */
function library(): readonly Module[] {
  return libraryModules.flatMap(({ name, text }) => parseModule(new SourceFile(name, text)).module ?? []);
}

function referenceOf(module: Module, rule: string): DecisionReference {
  const about = module.annotations.find((a) => a.annotation.target.kind === "Package")?.annotation;
  const entry = module.annotations.find((a) => a.annotation.entrypoint)?.annotation;
  const otherwise = defaultAnswer(module, rule);
  const name = module.package.path.args.at(-1);
  if (about === undefined || entry === undefined || otherwise === undefined || name?.kind !== "String")
    throw new Error("a decision has annotations of its package and its rule, and a default");
  return {
    name: name.value,
    entrypoint: entry.title,
    question: about.description,
    description: entry.description,
    answers: answersOf(module, library()),
    otherwise,
  };
}

export function decisionsPage(): string {
  const extension = libraryModules.find((m) => m.name === "extension.rego");
  const about = parseModule(new SourceFile("extension.rego", extension?.text ?? "")).module?.annotations[0]?.annotation;
  return page(
    "Decisions",
    "the Rego in `compiler/library`",
    `Each decision asks its gates in the order of its table; the first whose condition holds gives the answer. Conditions are
the Rego itself: a name is a rule of the same file, or of one that it imports, which every bundle holds as \`portcullis/<decision>.rego\`. \`…\` stands for
a text of the request, \`{name}\` for a member of the answer or the request. A gate depends on \`data\` where the policy alone
decides for the ids of a request, on the \`request\` where what it says besides matters, and on \`facts\` where the host finds
something out.

\`portcullis explain\` tells the place where a denial was decided, and changes that allow it. Two rows have none, as no request
comes to them: \`no_decision\`, the default, because the last branch of every decision asks nothing; and \`manifest_missing\` of
[lineage](#lineage), because a set in which a manifest may spawn a type without a manifest does not compile.`,
    ...decisionReferences().map((d) => section(d, `data.portcullis.ext.${d.name}`)),
    `## Adapters

Requests of other protocols become calls, and the call decision answers; what a server offers beside tools is a question of
its own. An adapter is in the bundle where \`adapters\` or \`mcp\` of \`portcullis.yaml\` maps its protocol ([fields](file-formats.md#portcullisyaml)); what the mapping does not know is denied.`,
    ...adapterReferences().map((a) => section(a, undefined).replace("## ", "### ")),
    `## Gates of your own\n\n${about?.description.trim() ?? ""}`,
  );
}

/** `extension`: the package of the rules that may say no after an allow. */
function section(
  { name, entrypoint, question, description, answers, otherwise }: DecisionReference,
  extension: string | undefined,
): string {
  // An adapter has no gates of its own.
  const gates = DECISION_KINDS.flatMap((kind) => (kind === name ? GATES[kind] : []));
  const hasDetails = answers.some((a) => a.details.length > 0);
  const row = (when: string, { of, allowed, gate, reason, details }: Answer): string[] => {
    const about = gates.find((described) => described.gate === gate);
    const says = of === undefined && !allowed ? about?.says[reason] : undefined;
    return [
      of !== undefined && extension === undefined ? "either" : allowed ? "allow" : "deny",
      of === undefined ? code(gate) : `that of [${of}](#${of})`,
      of === undefined ? code(reason) : "",
      ...(hasDetails ? [details.map(code).join(", ")] : []),
      when,
      ...(gates.length === 0
        ? []
        : [says === undefined ? "" : prose(says), says === undefined ? "" : (about?.depends ?? "")]),
    ];
  };
  return [
    `## ${name}`,
    prose(question.trim()),
    `Entrypoint ${code(entrypoint)}. ${prose(description.trim())}`,
    table(
      [
        "",
        "gate",
        "reason",
        ...(hasDetails ? ["detail"] : []),
        "when",
        ...(gates.length === 0 ? [] : ["means", "depends on"]),
      ],
      [
        ...answers.map((a) => row(a.when.length === 0 ? "nothing above" : a.when.map(code).join("<br>"), a)),
        ...(extension === undefined
          ? []
          : [
              `the answer is allow, and no rule of the name in ${code(`${extension}.must`)} is true`,
              `the answer is allow, and ${code(`${extension}.deny`)} says no`,
            ].map((when) => ["deny", "your own", "your own", ...(hasDetails ? [""] : []), when, "", ""])),
        row("there is no other answer", otherwise),
      ],
    ),
  ].join("\n\n");
}
