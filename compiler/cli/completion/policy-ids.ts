/** The ids of the policy that a command line names. Nothing is compiled for them, and what cannot be read has none. */

import { readFileSync, statSync } from "node:fs";
import { nodeHost } from "@portcullis/documents/node";
import { type PolicyNames, readPolicySet } from "@portcullis/governance";
import { bundleData, policyNames } from "@portcullis/governance/review";
import { type Module, parseModule, type Term } from "@portcullis/rego/syntax";
import { describeBundle, readBundle } from "@portcullis/runtime";

/** The words of a command line, told apart. */
export interface Named {
  readonly positional: readonly string[];
  /** Values by the option's name in code. */
  readonly options: ReadonlyMap<string, string>;
  /** The names of the command's arguments, in order. */
  readonly argumentNames: readonly string[];
}

export type IdKind = "roles" | "lanes" | "tools" | "agents" | "modes";

/** Sorted. Cost: that of reading the sources or unpacking the bundle. */
export async function idsOf(named: Named, kind: IdKind): Promise<string[]> {
  return trying(named, async (path, isFolder) => {
    const names = isFolder ? readPolicySet(nodeHost, [path]).model : await namesIn(path);
    if (names === undefined) return [];
    if (kind === "agents") return [...[...names.agents.values()].map((a) => a.name.name), ...names.manifests.keys()];
    return kind === "modes" ? (names.exec?.modes ?? []).map((m) => m.name) : names[kind].keys();
  });
}

async function namesIn(bundle: string): Promise<PolicyNames | undefined> {
  const data = bundleData(bundle, await readBundle(readFileSync(bundle)));
  return data.ok ? policyNames({ data: data.value }) : undefined;
}

/** Those of a bundle; of sources those that are annotated. Cost: that of parsing the modules that have one. */
export async function entrypointsOf(named: Named): Promise<string[]> {
  return trying(named, async (path, isFolder) => {
    if (!isFolder) return (await describeBundle(readFileSync(path))).entrypoints;
    const { library, set } = readPolicySet(nodeHost, [path]);
    const modules = [...library, ...set.rego.filter((r) => !r.test).map((r) => r.file)];
    return modules
      .filter(({ text }) => text.includes("entrypoint: true"))
      .flatMap((file) => entrypointsIn(parseModule(file).module));
  });
}

function entrypointsIn(module: Module | undefined): string[] {
  const folder = (module?.package.path.args ?? []).map(word);
  return (module?.annotations ?? []).flatMap(({ annotation: { entrypoint, target } }) => {
    if (!entrypoint) return [];
    const ref = target.kind === "Package" ? undefined : module?.rules[target.index]?.head.ref;
    return [...folder, ...(ref === undefined ? [] : [ref.head, ...ref.args].map(word))].join("/");
  });
}

function word(term: Term): string {
  return term.kind === "Var" ? term.name : term.kind === "String" ? term.value : "";
}

/** The policy is the option of that name, or the argument that is one. */
async function trying(
  { positional, options, argumentNames }: Named,
  read: (path: string, isFolder: boolean) => Promise<Iterable<string>>,
): Promise<string[]> {
  const place = argumentNames.findIndex((name) => ["policy", "bundle", "dir", "before"].includes(name));
  const path = options.get("policy") ?? (place === -1 ? undefined : positional[place]);
  if (path === undefined) return [];
  try {
    return [...new Set(await read(path, statSync(path).isDirectory()))].sort();
  } catch {
    // Completion is silent: the command itself says what is wrong with the policy.
    return [];
  }
}
