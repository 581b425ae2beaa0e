/** Bundles to measure: compiled once, kept below out/bench until the compiler or the sources change. */

import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { nodeHost } from "../compiler/documents/node.ts";
import { compile } from "../compiler/index.ts";
import { SourceFile } from "../compiler/rego/diagnostics/source-file.ts";
import { compileModules } from "../compiler/rego/pipeline/compile-modules.ts";
import { jsonText } from "../compiler/rego/value/index.ts";
import { generatePolicies, hostOf, type Size } from "./generate-policies.ts";

export type PolicyName = "example" | Size;

export interface Bundle {
  readonly name: PolicyName;
  /** The file that `bytes` are from. */
  readonly path: string;
  readonly bytes: Uint8Array;
  readonly wasm: Uint8Array;
  /** The bundle's data.json, parsed. */
  readonly data: { readonly portcullis: { readonly policy: PolicyTables } };
  /** Its Rego by path. */
  readonly rego: ReadonlyMap<string, string>;
  /** How long compiling took, in milliseconds, when it was compiled. */
  readonly compileMs: number;
  /** Resident memory of the process right after it, in bytes. */
  readonly compileRss: number;
}

/** The tables as every contender reads them. */
type Names = Readonly<Record<string, true>>;

/** A tool's arguments, with the members that the benchmark's policies have. */
export type ArgumentTable = Readonly<
  Record<
    string,
    {
      readonly type: string;
      readonly required: boolean;
      readonly alone?: {
        readonly one_of?: readonly unknown[];
        readonly max_length?: number;
        readonly min?: ArgumentLimit;
        readonly max?: ArgumentLimit;
        readonly paths?: { readonly below: readonly string[]; readonly except?: readonly string[] };
      };
    }
  >
>;

interface ArgumentLimit {
  readonly roles: Readonly<Record<string, number>>;
  readonly default?: number;
}

export interface PolicyTables {
  /** How names of people are read. */
  readonly names?: {
    readonly folds: Readonly<Record<string, string>>;
    readonly others: string;
    readonly apart: string;
    readonly second: Readonly<Record<string, string>>;
  };
  readonly settings: {
    readonly lineage?: { readonly depth?: string; readonly max_chain?: number; readonly require?: boolean };
    readonly call?: { readonly lineage: string; readonly unknown_agents: string };
    readonly subagents?: { readonly approvers: string };
  };
  readonly roles: Readonly<Record<string, object>>;
  readonly lanes: Readonly<
    Record<
      string,
      {
        readonly roles: Names;
        readonly tools: Names;
        readonly writes: Readonly<Record<string, Names>>;
        readonly requires: Names;
        readonly prohibits: Names;
      }
    >
  >;
  readonly tools: Readonly<
    Record<
      string,
      {
        readonly enabled?: boolean;
        readonly implementation_status?: string;
        readonly lanes?: Names;
        readonly scope_keys: Names;
        readonly prohibited_flags: Names;
        readonly write_targets?: Names;
        readonly approval: string;
        readonly arguments?: ArgumentTable;
      }
    >
  >;
  readonly approvers?: Readonly<Record<string, { readonly tools?: Names; readonly until_ms?: number }>>;
  readonly approval_revision?: string;
  readonly agents: Readonly<
    Record<
      string,
      { readonly type: number; readonly allowlist: readonly string[]; readonly delegated: readonly string[] }
    >
  >;
  readonly manifests: Readonly<
    Record<string, { readonly can_spawn: Names; readonly max_spawn_depth: number; readonly tools?: Names }>
  >;
  readonly handoff?: {
    readonly required_fields?: readonly string[];
    readonly forbidden_mutations?: Readonly<Record<string, true>>;
    readonly placeholders?: Readonly<Record<string, true>>;
    readonly agents?: Readonly<Record<string, "master" | "sub">>;
    readonly forbidden_paths?: Readonly<Record<string, true>>;
  };
  readonly exec?: {
    readonly modes: Readonly<Record<string, true>>;
    readonly inline_modes: Readonly<Record<string, true>>;
    readonly staging_root: string | null;
    readonly script_extensions: readonly string[];
    readonly hat_lifetime_seconds?: number | null;
  };
}

interface Kept {
  readonly compileMs: number;
  readonly compileRss: number;
  readonly rego: readonly (readonly [string, string])[];
}

const FOLDER = "out/bench";

export async function bundleOf(name: PolicyName): Promise<Bundle> {
  const folder = join(FOLDER, `${name}-${stampOf(name)}`);
  if (!existsSync(join(folder, "kept.json"))) await compileInto(folder, name);
  const kept = JSON.parse(readFileSync(join(folder, "kept.json"), "utf8")) as Kept;
  return {
    name,
    path: join(folder, "bundle.tar.gz"),
    bytes: readFileSync(join(folder, "bundle.tar.gz")),
    wasm: readFileSync(join(folder, "policy.wasm")),
    data: JSON.parse(readFileSync(join(folder, "data.json"), "utf8")) as Bundle["data"],
    rego: new Map(kept.rego),
    compileMs: kept.compileMs,
    compileRss: kept.compileRss,
  };
}

async function compileInto(folder: string, name: PolicyName): Promise<void> {
  const host = name === "example" ? nodeHost : hostOf(generatePolicies(name));
  // Loading the compiler itself is no part of compiling a policy.
  await compileModules({
    modules: [new SourceFile("warm.rego", "package warm\n\nup := true")],
    entrypoints: ["warm/up"],
  });
  const started = performance.now();
  const { compiled, diagnostics } = await compile({ host, dirs: ["policies"] });
  const compileMs = performance.now() - started;
  if (compiled === undefined) {
    const first = diagnostics.find((d) => d.severity === "error");
    throw new Error(`the policies of size ${name} do not compile: ${first?.code}: ${first?.message}`);
  }
  const utf8 = new TextDecoder();
  const rego = compiled.files
    .filter((file) => file.path.endsWith(".rego"))
    .map((file) => [file.path, utf8.decode(file.bytes)] as const);
  const kept: Kept = { compileMs, compileRss: process.memoryUsage.rss(), rego };
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "bundle.tar.gz"), compiled.bundle);
  writeFileSync(join(folder, "policy.wasm"), compiled.wasm);
  writeFileSync(join(folder, "data.json"), jsonText(compiled.data));
  writeFileSync(join(folder, "kept.json"), JSON.stringify(kept));
}

/** Hash of what a bundle is made from: the compiler's and the runtime's sources, the generator, the example policies. */
function stampOf(name: PolicyName): string {
  const hash = createHash("sha256");
  const folders = name === "example" ? ["compiler", "runtime/abi", "policies"] : ["compiler", "runtime/abi"];
  const files = folders.flatMap((folder) =>
    readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath ?? entry.path, entry.name))
      .filter((path) => !/node_modules|dist|compiler\/cli/.test(path)),
  );
  for (const path of [...files, "bench/generate-policies.ts"].sort()) hash.update(path).update(readFileSync(path));
  return hash.digest("hex").slice(0, 12);
}

/** Writes files below a folder, making the folders between. */
export function writeTree(folder: string, files: ReadonlyMap<string, string>): void {
  for (const [path, text] of files) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
}
