/** The import rules of the design: which folder may know which, who may touch binaryen, and who the machine. */

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { filesBelow, importsOf, root, show } from "./import-graph.ts";

/** Folders that use the whole pipeline and not each other. */
const engines = ["testing", "review", "execution", "signing", "serving", "editor", "gateway"];
/** Each folder may import what stands to its left in a chain that it is part of; the command line stands right of all. */
const chains = engines.flatMap((engine) => [
  ["base", "sources", "model", "lower", "findings", "pipeline", engine, "index", "cli"],
  [
    "base",
    "rego",
    "analyze",
    "policy",
    "plan",
    "optimize",
    "wasm",
    "bundle",
    "findings",
    "pipeline",
    engine,
    "index",
    "cli",
  ],
]);
/** Folders and files of the runtime. `host` is what crosses to builtins, `operate` what a service does with a policy. */
const runtimeFolders = [
  ...[
    "platform",
    "errors",
    "options",
    "host",
    "json",
    "abi",
    "encode",
    "decode",
    "evaluate",
    "governance",
    "policy",
    "observe",
    "trust",
    "load",
    "operate",
    "testing",
  ],
  ...["index", "node"],
];
const stages = new Set(chains.flat());

/** `analyze` for a file in compiler/analyze; compiler's own top-level files are the pipeline, but for `index.ts`. */
function stageOf(path: string): string {
  const [, second, third] = path.split("/");
  if (path === "compiler/index.ts") return "index";
  return third === undefined ? "pipeline" : (second as string);
}

// The runtime library of modules is AssemblyScript, a program of its own; what builds the packages looks at all of them.
const files = [...filesBelow("compiler"), ...filesBelow("runtime")].filter(
  (f) => !f.startsWith("compiler/rego/wasm/rtlib/") && !f.startsWith("compiler/build/"),
);
const imports = files.flatMap(importsOf);

describe("import rules", () => {
  it("sees the sources", () => {
    expect(files.length).toBeGreaterThan(50);
    expect(imports.some((i) => i.file === "compiler/rego/wasm/binaryen.ts" && i.target === "binaryen")).toBe(true);
  });

  it("lets nothing import what builds the packages", () => {
    expect(show(imports.filter((i) => i.target.startsWith("compiler/build/")))).toEqual([]);
  });

  it("has no folder in compiler/ that the rules do not know", () => {
    const folders = readdirSync(join(root, "compiler"), { withFileTypes: true })
      .filter((e) => e.isDirectory())
      .map((e) => e.name);
    expect(
      folders.filter(
        (f) => !stages.has(f) && !["build", "library", "decisions", "bin", "dist", "node_modules"].includes(f),
      ),
    ).toEqual([]);
  });

  it("lets a stage import only what stands to its left", () => {
    const wrong = imports.filter(({ file, target }) => {
      if (!file.startsWith("compiler/") || !target.startsWith("compiler/")) return false;
      const from = stageOf(file);
      const to = stageOf(target);
      if (from === to || to === "library") return false;
      return !chains.some(
        (chain) => chain.includes(from) && chain.includes(to) && chain.indexOf(to) < chain.indexOf(from),
      );
    });
    expect(show(wrong)).toEqual([]);
  });

  it("lets only who loads policies know the runtime, and few what a module and the runtime agree on", () => {
    const wrong = imports.filter(({ file, target }) => {
      if (!file.startsWith("compiler/") || !(target.startsWith("@portcullis/runtime") || target.startsWith("runtime/")))
        return false;
      const stage = stageOf(file);
      if (target === "@portcullis/runtime/abi") return !["model", "policy", "wasm", "bundle", "cli"].includes(stage);
      return stage !== "cli" && !engines.includes(stage);
    });
    expect(show(wrong)).toEqual([]);
  });

  it("keeps the runtime free of the compiler, of builtins, and of every package", () => {
    const wrong = imports.filter(
      ({ file, target }) =>
        file.startsWith("runtime/") &&
        !file.startsWith("runtime/builtins/") &&
        (!target.startsWith("runtime/") || target.startsWith("runtime/builtins/")) &&
        !(file === "runtime/node.ts" && target.startsWith("node:")),
    );
    expect(show(wrong)).toEqual([]);
  });

  it("lets a folder of the runtime need only what stands to its left", () => {
    // Types may be named in both directions: they are gone before anything runs.
    const folderOf = (path: string): string => path.split("/").slice(1, 2).join().replace(/\.ts$/, "");
    const left = (path: string): number => runtimeFolders.indexOf(folderOf(path));
    const own = (path: string): boolean => path.startsWith("runtime/") && !path.startsWith("runtime/builtins/");
    const inside = imports.filter((i) => own(i.file) && own(i.target));
    expect(inside.map((i) => folderOf(i.file)).filter((folder) => !runtimeFolders.includes(folder))).toEqual([]);
    expect(show(inside.filter((i) => !i.typesOnly && left(i.target) > left(i.file)))).toEqual([]);
  });

  it("lets builtins know of the runtime what crosses to them, and the packages that they declare", () => {
    const { dependencies = {} } = JSON.parse(readFileSync(join(root, "runtime/builtins/package.json"), "utf8")) as {
      dependencies?: Record<string, string>;
    };
    const packageOf = (target: string): string => target.match(/^(@[^/]+\/)?[^/]+/)?.[0] ?? target;
    const wrong = imports.filter(
      ({ file, target }) =>
        file.startsWith("runtime/builtins/") &&
        !target.startsWith("runtime/builtins/") &&
        target !== "@portcullis/runtime/host" &&
        !Object.hasOwn(dependencies, packageOf(target)),
    );
    expect(show(wrong)).toEqual([]);
  });

  it("lets the command line know the builtins, and nobody else: who calls an engine brings them", () => {
    const wrong = imports.filter(
      ({ file, target }) =>
        file.startsWith("compiler/") && target.startsWith("@portcullis/builtins") && stageOf(file) !== "cli",
    );
    expect(show(wrong)).toEqual([]);
  });

  it("imports binaryen in one file", () => {
    expect(show(imports.filter((i) => i.target === "binaryen" && i.file !== "compiler/rego/wasm/binaryen.ts"))).toEqual(
      [],
    );
  });

  it("imports node: modules only on the host's side: the command line, execution, serving, signing, the gateway, and the two node.ts", () => {
    const allowed = /^(compiler\/(cli|execution|serving|signing|gateway)\/|(compiler|runtime)\/node\.ts$)/;
    const wrong = imports.filter(({ file, target }) => target.startsWith("node:") && !allowed.test(file));
    expect(show(wrong)).toEqual([]);
  });
});
