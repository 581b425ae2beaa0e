/**
 * Engines of others that registries serve: how each is had, and how it is asked. What one needs is kept in a cache of the
 * user's, so that only the first run fetches and builds: Rust's takes some minutes.
 */

import { execFileSync } from "node:child_process";
import { copyFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { delimiter, join } from "node:path";
import { loadPolicy } from "@open-policy-agent/opa-wasm";
import { runOpa, succeeds } from "./opa.ts";
import type { Question } from "./questions.ts";

export interface Engine {
  readonly name: string;
  readonly version: string;
  /** What it takes of a bundle. */
  readonly takes: "the module" | "Rego and data";
  /** The last column of its row of the table: what a run said. */
  readonly answers: "the same answers" | "not run";
  /** Inputs that it does not hand to the module, or whose answers it does not hand back, as JSON. Its answer to one may be another, and permits nothing. */
  misreads?(input: unknown): boolean;
  /** Why it cannot be had here; `undefined` where it is there. Fetches and builds what it needs. */
  absent(): string | undefined;
  /** Result sets, in order. */
  ask(
    bundle: BundlePaths,
    questions: readonly Question[],
  ): Promise<readonly (readonly { readonly result: unknown }[])[]>;
}

export interface BundlePaths {
  readonly wasm: string;
  /** A bundle with the module, and without Rego: an OPA that has both evaluates the Rego. */
  readonly module: string;
  /** A bundle without a module. */
  readonly rego: string;
}

const cache = process.env["PORTCULLIS_SDKS"] ?? join(homedir(), ".cache", "portcullis-sdks");
const OPA = "github.com/open-policy-agent/opa@v1.22.2";

const npm: Engine = {
  name: "npm `@open-policy-agent/opa-wasm`",
  version: versionOf("node_modules/@open-policy-agent/opa-wasm/package.json"),
  takes: "the module",
  answers: "the same answers",
  absent: () => undefined,
  async ask({ wasm }, questions) {
    const policy = await loadPolicy(readFileSync(wasm) as Uint8Array<ArrayBuffer>);
    return questions.map(({ entrypoint, input }) => policy.evaluate(input, entrypoint) as { result: unknown }[]);
  },
};

function versionOf(file: string): string {
  return (JSON.parse(readFileSync(file, "utf8")) as { readonly version: string }).version;
}

const PYTHON = `
import json, sys
from opa_wasmtime import OPAPolicy
policy = OPAPolicy(sys.argv[1])
answers = []
for question in json.load(sys.stdin):
    answers.append(policy.evaluate(question["input"], question["entrypoint"]))
json.dump(answers, sys.stdout)
`;

export const python: Engine & { readonly env: { readonly PYTHONPATH: string } } = {
  name: "Python `opa-wasmtime`",
  version: "0.1.1",
  takes: "the module",
  answers: "the same answers",
  absent() {
    if (existsSync(join(cache, "python/opa_wasmtime"))) return undefined;
    const argv = [
      "-m",
      "pip",
      "install",
      "--quiet",
      "--target",
      join(cache, "python"),
      `opa-wasmtime==${this.version}`,
    ];
    return succeeds("python3", ...argv) ? undefined : "pip cannot install it";
  },
  ask: async ({ wasm }, questions) => asked("python3", ["-c", PYTHON, wasm], questions, python.env),
  env: { PYTHONPATH: join(cache, "python") },
};

const go: Engine = {
  name: "Go `opa/v1/rego`",
  version: "1.22.2",
  takes: "Rego and data",
  answers: "the same answers",
  absent() {
    if (!succeeds("go", "version")) return "no `go` on the PATH";
    const folder = join(cache, "go");
    mkdirSync(folder, { recursive: true });
    if (!succeeds("go", "mod", "download", OPA)) return `Go cannot fetch ${OPA}`;
    const sources = execFileSync("go", ["list", "-m", "-f", "{{.Dir}}", OPA], {
      cwd: folder,
      env: { ...process.env, GOFLAGS: "-mod=mod", GO111MODULE: "on" },
      encoding: "utf8",
    }).trim();
    // A module of its own with OPA's own list of dependencies.
    const modules = readFileSync(join(sources, "go.mod"), "utf8").replace(/^module .*/m, "module asked");
    writeFileSync(join(folder, "go.mod"), `${modules}\nrequire ${OPA.replace("@", " ")}\n`);
    copyFileSync(join(sources, "go.sum"), join(folder, "go.sum"));
    copyFileSync("test/opa/sdks/main.go", join(folder, "main.go"));
    const build = { cwd: folder, env: { ...process.env, GOFLAGS: "-mod=mod" }, stdio: "pipe" } as const;
    execFileSync("go", ["build", "-o", "asked", "."], build);
    return undefined;
  },
  ask: async ({ rego }, questions) => asked(join(cache, "go/asked"), [rego], questions),
};

const rust: Engine = {
  name: "Rust `opa-wasm`",
  version: "0.3.4",
  takes: "the module",
  answers: "the same answers",
  absent() {
    if (!succeeds("cargo", "--version")) return "no `cargo` on the PATH";
    const folder = join(cache, "rust");
    mkdirSync(join(folder, "src"), { recursive: true });
    copyFileSync("test/opa/sdks/Cargo.toml", join(folder, "Cargo.toml"));
    copyFileSync("test/opa/sdks/main.rs", join(folder, "src/main.rs"));
    const manifest = ["build", "--quiet", "--manifest-path", join(folder, "Cargo.toml")];
    return succeeds("cargo", ...manifest) ? undefined : "cargo cannot build it (its Rust has to be new)";
  },
  ask: async ({ wasm }, questions) => asked(join(cache, "rust/target/debug/asked"), [wasm], questions),
};

const java: Engine = {
  name: "Java `com.styra.opa:opa-java-wasm`",
  version: "1.0.4",
  takes: "the module",
  answers: "the same answers",
  absent() {
    if (!succeeds("javac", "--version")) return "no `javac` on the PATH";
    if (!succeeds("mvn", "--version")) return "no `mvn` on the PATH";
    const folder = join(cache, "java");
    mkdirSync(folder, { recursive: true });
    copyFileSync("test/opa/sdks/pom.xml", join(folder, "pom.xml"));
    const copies = ["-q", "-B", "-f", join(folder, "pom.xml"), "dependency:copy-dependencies", "-DoutputDirectory=lib"];
    if (!succeeds("mvn", ...copies)) return "Maven cannot fetch it";
    const classes = ["-cp", join(folder, "lib/*"), "-d", join(folder, "classes")];
    execFileSync("javac", ["-encoding", "UTF-8", ...classes, "test/opa/sdks/Asked.java"]);
    return undefined;
  },
  ask: async ({ wasm }, questions) =>
    asked(
      "java",
      // Not C2: of what the engine makes of the module, JDK 17's translates a part wrongly (compiler/README.md says how that
      // is seen), and whether it gets as far within a run depends on how busy the machine is.
      [
        "-XX:TieredStopAtLevel=1",
        "-Dfile.encoding=UTF-8",
        "-cp",
        `${join(cache, "java/lib/*")}${delimiter}${join(cache, "java/classes")}`,
        "Asked",
        wasm,
      ],
      questions,
    ),
};

/** The release's own server, built with the tag that gives it a wasm engine. */
const opaWithWasm: Engine = {
  name: "`opa run --server`, built with `-tags opa_wasm`,",
  version: "1.22.2",
  takes: "the module",
  answers: "the same answers",
  // It reads the answer as Rego: most control characters become `\x00`, and a byte-order mark is an error (500).
  misreads: (input) => /[^\P{Cc}\b\t\n\f\r]|\uFEFF/u.test(stringsOf(input).join("")),
  absent() {
    if (!succeeds("go", "version")) return "no `go` on the PATH";
    const folder = join(cache, "opa-wasm");
    mkdirSync(folder, { recursive: true });
    try {
      const env = { ...process.env, GOBIN: folder };
      execFileSync("go", ["install", "-tags=opa_wasm", OPA], { env, stdio: "pipe" });
    } catch {
      return `Go cannot build ${OPA}`;
    }
    return undefined;
  },
  async ask({ module }, questions) {
    const opa = await runOpa(["--bundle", module], join(cache, "opa-wasm/opa"));
    try {
      const answers: { result: unknown }[][] = [];
      for (const { entrypoint, input } of questions) {
        const url = `${opa.url}/v1/data/${entrypoint}?metrics`;
        const response = await fetch(url, { method: "POST", body: JSON.stringify({ input }) });
        const text = await response.text();
        if (response.status === 500 && opaWithWasm.misreads?.(input)) {
          answers.push([{ result: undefined }]);
          continue;
        }
        const { result, metrics } = JSON.parse(text) as { result: unknown; metrics?: object };
        if (metrics === undefined || !("timer_wasm_vm_eval_ns" in metrics))
          throw new Error(
            `the module was not asked for ${entrypoint} of ${JSON.stringify(input)}: ${response.status} ${text}`,
          );
        answers.push([{ result }]);
      }
      return answers;
    } finally {
      await opa.stop();
    }
  },
};

const dotnet: Engine = {
  name: ".NET `OpaDotNet.Wasm`",
  version: "2.5.0",
  takes: "the module",
  // Where the runs of the page are made, neither a .NET SDK nor NuGet can be had.
  answers: "not run",
  absent() {
    if (!succeeds("dotnet", "--version")) return "no `dotnet` on the PATH";
    const folder = join(cache, "dotnet");
    mkdirSync(folder, { recursive: true });
    for (const file of ["Asked.csproj", "Asked.cs"]) copyFileSync(join("test/opa/sdks", file), join(folder, file));
    const build = ["build", "--nologo", "--verbosity", "quiet", "--output", join(folder, "out"), folder];
    return succeeds("dotnet", ...build) ? undefined : "dotnet cannot build it";
  },
  ask: async ({ wasm }, questions) => asked("dotnet", [join(cache, "dotnet/out/Asked.dll"), wasm], questions),
};

function stringsOf(value: unknown): string[] {
  if (typeof value === "string") return [value];
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, member]) => [key, ...stringsOf(member)]);
}

function asked(
  program: string,
  argv: readonly string[],
  questions: readonly Question[],
  env: { readonly [name: string]: string } = {},
): readonly (readonly { readonly result: unknown }[])[] {
  const options = { input: JSON.stringify(questions), env: { ...process.env, ...env }, maxBuffer: 2 ** 26 };
  return JSON.parse(execFileSync(program, argv, options).toString()) as { result: unknown }[][];
}

export const ENGINES: readonly Engine[] = [npm, python, go, rust, java, opaWithWasm, dotnet];
