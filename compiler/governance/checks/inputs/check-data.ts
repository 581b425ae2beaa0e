/** References of authors' gates into `data` where nothing is: neither a rule, nor the bundle's data, nor promised host data. */

import { type CheckedPolicy, isCallOf, pathText } from "@portcullis/rego/analyze";
import { type Diagnostic, didYouMean } from "@portcullis/rego/diagnostics";
import type { Ref, Rule, Term } from "@portcullis/rego/syntax";
import type { Value } from "@portcullis/rego/value";
import { pipelineDiagnostic } from "../codes.ts";
import { dataPath, eachTermDeep, originsOf } from "./flow.ts";
import { seenInputs } from "./seen-inputs.ts";

export interface KnownData {
  readonly data: (path: readonly string[]) => Value | undefined;
  /** Paths that the settings say the host supplies: `shifts.night`. */
  readonly hostData: readonly string[];
}

export function checkDataRefs(
  policy: CheckedPolicy,
  isAuthored: (rule: Rule) => boolean,
  { data, hostData }: KnownData,
): Diagnostic[] {
  const documents = new DocumentTree(policy, data);
  const promised = hostData.map((path) => path.replace(/^data\./, "").split("."));
  const found = new Map<string, Diagnostic>();
  for (const rule of seenInputs(policy, isAuthored).keys()) {
    const origins = originsOf(rule);
    eachTermDeep(rule, (written) => {
      const term = throughGet(written, origins);
      const path = dataPath(term);
      if (path === undefined || promised.some((p) => isPrefix(p, path) || isPrefix(path, p))) return;
      const missing = documents.missing(path);
      if (missing === undefined) return;
      // A key in a list is said to be that.
      if (written === term && data(path.slice(0, missing.index))?.kind === "array") return;
      const arg = (term as Ref).args[missing.index];
      const span = arg === undefined || arg.span.start === arg.span.end ? term.span : arg.span;
      const near = didYouMean(path[missing.index] as string, missing.names);
      const file = [...path.slice(0, Math.max(1, missing.index)), "data.yaml"].join("/");
      const help = `define it in a rule or in \`${file}\`, or promise it as host data: \`rego: { host_data: [path] }\` in portcullis.yaml`;
      const text = pathText("data", path.slice(0, missing.index + 1));
      found.set(
        `${span.file.name} ${span.start}`,
        pipelineDiagnostic("pipeline/undefined-data", { path: text }, span, { help, ...near }),
      );
    });
  }
  return [...found.values()];
}

/** `object.get(data.a, "b", 0)` reads `data.a.b`. */
function throughGet(term: Term, origins: ReadonlyMap<string, Term>): Term {
  if (!isCallOf(term, "object.get")) return term;
  const [base, key] = term.args as readonly [Term, Term];
  const from = (base.kind === "Var" ? origins.get(base.name) : undefined) ?? base;
  if (from.kind !== "Ref" || dataPath(from)?.length !== from.args.length) return term;
  return { ...from, args: [...from.args, ...(key.kind === "Array" ? key.items : [key])] };
}

function isPrefix(prefix: readonly string[], path: readonly string[]): boolean {
  return prefix.length <= path.length && prefix.every((part, i) => path[i] === part);
}

/** All that stands below `data`: packages, rules and values. */
class DocumentTree {
  private readonly rules = new Set<string>();
  private readonly packages = new Map<string, Set<string>>();
  private readonly data: (path: readonly string[]) => Value | undefined;

  constructor(policy: CheckedPolicy, data: (path: readonly string[]) => Value | undefined) {
    this.data = data;
    for (const { path } of policy.groups) {
      this.rules.add(path.join("\0"));
      for (const [i, part] of path.entries()) {
        const parent = path.slice(0, i).join("\0");
        this.packages.set(parent, (this.packages.get(parent) ?? new Set()).add(part));
      }
    }
  }

  /** The first part of a path at which there is nothing, with the names that there are. */
  missing(path: readonly string[]): { readonly index: number; readonly names: readonly string[] } | undefined {
    for (const [index, part] of path.entries()) {
      const here = path.slice(0, index);
      const key = here.join("\0");
      if (this.rules.has(key)) return undefined;
      const value = this.data(here);
      const isPackage = this.packages.get(key)?.has(part) === true;
      if (isPackage || this.data([...here, part]) !== undefined) continue;
      const keys = value?.kind === "object" ? value.entries.flatMap(([k]) => (k.kind === "string" ? k.value : [])) : [];
      const names = new Set([...(this.packages.get(key) ?? []), ...keys]);
      // The library asks for extensions that need not be there; so may an author.
      return here[0] === "portcullis" && here[1] === "ext" ? undefined : { index, names: [...names] };
    }
    return undefined;
  }
}
