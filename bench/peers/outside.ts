/**
 * Peers that decide from the bytes of a request in a process of their own, in the language that they are written in: what each
 * needs, how it is built, what it cannot decide. The programs stand beside this file, and what is built of them in `out/bench/peers`.
 */

import { execFileSync } from "node:child_process";
import { cpSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import type { DecisionKind } from "@portcullis/runtime";
import { build } from "esbuild";
import { Absent, installed } from "../../test/hosts/installed.ts";
import type { Bundle } from "../bundles.ts";
import { POLICIES as CEDAR } from "./cedar.ts";
import { compiledByOpa } from "./opa.ts";

/** What a program is given, in a file whose name is its first argument. */
export interface Job {
  /** The bundle's: `bundle.tar.gz`, `data.json`, `kept.json` with its Rego, `cedar.policy`. */
  readonly folder: string;
  /** The module of an SDK, and its data as JSON. */
  readonly module?: string;
  readonly data?: string;
  /** How long it decides before the clock runs, and how long it may with it. With 0 it answers each request once. */
  readonly warmMs: number;
  readonly ms: number;
  /** Decisions between two readings of the clock; programs in other languages than JavaScript read it for each. */
  readonly batch: number;
  readonly asked: readonly {
    readonly kind: DecisionKind;
    readonly entrypoint: string;
    /** The first quarter is what it decides before the clock runs. */
    readonly requests: readonly string[];
  }[];
}

/** What it prints: for each question the answers, or nanoseconds a decision. */
export interface Told {
  readonly version: string;
  readonly told: readonly { readonly answers: readonly unknown[]; readonly nanos: readonly number[] }[];
}

export interface Outside {
  readonly name: string;
  /** What of its answers is compared: all of it, the verdict, or nothing, as it only reads the request. */
  readonly answers: "whole" | "verdict" | "none";
  /** The contender that its time is compared with. */
  readonly beside?: string;
  readonly cannot?: Partial<Record<DecisionKind, string>>;
  /** The program and its arguments, the job's file between them. Throws `Absent` with the reason where it is not to be had. */
  readonly command: () => Promise<readonly [program: readonly string[], after?: readonly string[]]>;
  /** What an SDK is given. */
  readonly given?: () => Pick<Job, "module" | "data">;
}

const BUILT = fileURLToPath(new URL("../../out/bench/peers/", import.meta.url));
const HERE = fileURLToPath(new URL("./", import.meta.url));
const BUILD_MS = 1_800_000;

const CEL_JS = "8.0.0";
const SDK_PACKAGE = join(HERE, "../../node_modules/@open-policy-agent/opa-wasm/package.json");
const NPM_SDK = `opa-wasm ${(JSON.parse(readFileSync(SDK_PACKAGE, "utf8")) as { readonly version: string }).version} (npm)`;

const OURS = "portcullis evaluateJson";
const NO_TEXTS = "no string operations for paths and records";
const CEDAR_CANNOT = {
  ...{ subagent: "no trimming of strings", lineage: "no iteration over a chain of any length" },
  ...{ handoff: NO_TEXTS, exec: NO_TEXTS, close: NO_TEXTS, call: NO_TEXTS },
};
/** They might decide it, in more text than a reader of a benchmark would check. */
const NOT_WRITTEN = {
  handoff: "not written: its rules over texts and lists are many",
  exec: "not written: paths would be compared by regular expressions",
  close: "not written: paths would be compared by regular expressions",
  call: "not written: letters that look alike would be folded one by one",
};

/** Peers, and what they are measured by. */
export function peersOutside(bundle: Bundle): Outside[] {
  writeFileSync(join(folderOf(bundle), "cedar.policy"), CEDAR);
  const beside = OURS;
  return [
    { name: OURS, answers: "whole", command: javascript("bytes") },
    { name: "JSON.parse of the text, alone", answers: "none", beside, command: javascript("parse") },
    { name: "hand-written, decoded and parsed", answers: "whole", beside, command: javascript("hand-written") },
    {
      name: `${NPM_SDK}, OPA's module`,
      answers: "whole",
      beside,
      given: () => opas(bundle),
      command: javascript("opa-wasm"),
    },
    { name: "regorus (Rust)", answers: "whole", beside, command: rust("regorus") },
    {
      ...{ name: "Cedar (Rust)", answers: "verdict", beside, command: rust("cedar") },
      cannot: CEDAR_CANNOT,
    },
    { name: `cel-js ${CEL_JS}`, answers: "verdict", beside, cannot: NOT_WRITTEN, command: celJs },
    {
      ...{ name: "SAPL (Java)", answers: "verdict", beside, command: java("Sapl") },
      cannot: { ...NOT_WRITTEN, lineage: "no function that tells whether run ids in a chain repeat" },
    },
  ];
}

/** SDKs of OPA as they are, on our module and on the one that OPA makes of the same bundle. */
export function sdks(bundle: Bundle): Outside[] {
  const languages = [
    [NPM_SDK, javascript("opa-wasm")],
    ["opa-java-wasm (Maven)", java("OpaWasm")],
    ["opa-wasmtime (PyPI)", python],
  ] as const;
  return languages.flatMap(([name, command]): Outside[] => {
    const beside = `${name}, our module`;
    return [
      { name: beside, answers: "whole", given: () => ours(bundle), command },
      { name: `${name}, OPA's module`, answers: "whole", beside, given: () => opas(bundle), command },
    ];
  });
}

/** Ours on the engines of JavaScript that npm has. */
export function runtimes(): Outside[] {
  const engines: readonly (readonly [name: string, binary: string, options: readonly string[]])[] = [
    ...["20", "22", "24", "26"].map((version) => [`Node ${version}`, "node", []] as const),
    ["Bun", "bun", ["run"]],
    ["Deno", "deno", ["run", "--allow-read"]],
  ];
  const ways = { "typed call": "typed", bytes: "bytes" } as const;
  return engines.flatMap(([engine, binary, options]) =>
    Object.entries(ways).map(([how, way]): Outside => {
      const spec = binary === "node" ? engine.toLowerCase().replace(" ", "@") : `${binary}@latest`;
      const folder = (): string => installed(spec.replace("@latest", "").replace("@", "-"), spec);
      const program = (): readonly string[] => [join(folder(), "node_modules", ".bin", binary), ...options];
      return { name: `${engine}, ${how}`, answers: "whole", command: javascript(way, program) };
    }),
  );
}

function folderOf({ path }: Bundle): string {
  return join(path, "..");
}

function ours(bundle: Bundle): ReturnType<NonNullable<Outside["given"]>> {
  return { module: join(folderOf(bundle), "policy.wasm"), data: "{}" };
}

function opas(bundle: Bundle): ReturnType<NonNullable<Outside["given"]>> {
  needed("opa", "version");
  const module = join(folderOf(bundle), "opa.wasm");
  writeFileSync(module, compiledByOpa(bundle));
  return { module, data: JSON.stringify(bundle.data) };
}

function javascript(way: string, engine: () => readonly string[] = () => [process.execPath]): Outside["command"] {
  return async () => {
    const outfile = join(BUILT, "javascript.mjs");
    await build({
      entryPoints: [join(HERE, "javascript.ts")],
      ...{ bundle: true, format: "esm", platform: "neutral", conditions: ["import"], logLevel: "error", outfile },
      external: ["node:*", "@open-policy-agent/opa-wasm"],
      // The built packages, as callers have them, and not their sources.
      tsconfig: join(HERE, "../tsconfig.json"),
    });
    return [[...engine(), outfile], [way]];
  };
}

const celJs: Outside["command"] = async () => {
  const folder = installed("cel-js", `@marcbachmann/cel-js@${CEL_JS}`);
  const entry = pathToFileURL(join(folder, "node_modules/@marcbachmann/cel-js/lib/index.js")).href;
  const [program] = await javascript("cel")();
  return [program, ["cel", entry]];
};

function rust(name: string): Outside["command"] {
  return async () => {
    needed("cargo");
    const folder = copied("rust");
    run(folder, "cargo", ["build", "--release", "--quiet"]);
    return [[join(folder, "target/release", name)]];
  };
}

function java(name: string): Outside["command"] {
  return async () => {
    needed("java");
    needed("mvn");
    const folder = copied("java");
    run(folder, "mvn", ["-q", "-B", "compile", "dependency:build-classpath", "-Dmdep.outputFile=classpath.txt"]);
    const path = `${join(folder, "target/classes")}:${readFileSync(join(folder, "classpath.txt"), "utf8").trim()}`;
    return [["java", "-cp", path, name]];
  };
}

const python: Outside["command"] = async () => {
  needed("python3");
  const folder = copied("python");
  run(folder, "python3", ["-m", "venv", "venv"]);
  run(folder, "venv/bin/pip", ["install", "--quiet", "opa-wasmtime==0.1.1", "wasmtime==50.0.1"]);
  return [[join(folder, "venv/bin/python"), join(folder, "opa_wasm.py")]];
};

function copied(name: string): string {
  const folder = join(BUILT, name);
  cpSync(join(HERE, name), folder, { recursive: true });
  return folder;
}

function needed(tool: string, version = "--version"): void {
  try {
    execFileSync(tool, [version], { stdio: "ignore" });
  } catch {
    throw new Absent(`no \`${tool}\` on the PATH`);
  }
}

function run(folder: string, program: string, args: readonly string[]): void {
  try {
    execFileSync(program, args, { cwd: folder, stdio: "pipe", timeout: BUILD_MS });
  } catch (error) {
    const { stdout = "", stderr = "" } = error as { readonly stdout?: Buffer; readonly stderr?: Buffer };
    const said = `${stdout}${stderr}`.split("\n").find((line) => /error/i.test(line)) ?? String(error);
    throw new Absent(`\`${program} ${args[0]}\` failed: ${said.trim().slice(0, 200)}`);
  }
}
