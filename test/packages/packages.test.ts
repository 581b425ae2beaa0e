/**
 * The packages as they are published: what is in them, what they weigh, and that they work from an empty folder, for
 * `import` and for `require`, with and without types of the platform.
 */

import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { checkPackage, createPackageFromTarballData } from "@arethetypeswrong/core";
import { publint } from "publint";
import { formatMessage } from "publint/utils";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { isWhole } from "../campaign.ts";
import { HAS_REDIS, startRedis } from "../runtime/redis/redis-server.ts";
import { dependenciesOf, installAlone, type PackedPackage, packAll, root, run } from "./packed.ts";
import { runReadme } from "./readme-programs.ts";

const MB = 1_000_000;
const policies = join(root, "policies");
let folder = "";
let packages: readonly PackedPackage[] = [];
beforeAll(() => {
  ({ folder, packages } = packAll());
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const filesOf = (at: string): string[] =>
  readdirSync(at, { recursive: true, withFileTypes: true })
    .filter((e) => e.isFile())
    .map((e) => join(e.parentPath, e.name).slice(at.length + 1));
const bytesOf = (at: string): number => filesOf(at).reduce((sum, file) => sum + statSync(join(at, file)).size, 0);
const names = [
  "@portcullis/runtime",
  "@portcullis/agents",
  "@portcullis/builtins",
  "@portcullis/redis",
  "@portcullis/rego",
  "@portcullis/compiler",
];
const packed = (name: string): PackedPackage => packages.find((p) => p.name === name) as PackedPackage;

describe.each(names)("%s as it is published", (name) => {
  it("has a page, the licence, and no leavings of the build", () => {
    const { installed } = packed(name);
    const files = filesOf(installed);
    expect(readFileSync(join(installed, "README.md"), "utf8")).toContain(`# ${name}\n`);
    expect(readFileSync(join(installed, "LICENSE"), "utf8")).toBe(readFileSync(join(root, "LICENSE"), "utf8"));
    const leavings = files.filter(
      (f) => !/^(README\.md|LICENSE|package\.json)$|^bin\/|^dist\//.test(f) || /\.test\.|tsbuildinfo|\.built$/.test(f),
    );
    expect(leavings).toEqual([]);
    expect(files.filter((f) => /\.ts$/.test(f) && !f.endsWith(".d.ts"))).toEqual([]);
  });

  it("has maps that hold their sources, for every module of the runtime, and names no folder of the machine that built it", () => {
    const { installed } = packed(name);
    const files = filesOf(installed).filter((f) => /^dist\/(?!bin\/)/.test(f));
    const maps = files.filter((f) => f.endsWith(".map"));
    const leadNowhere = (f: string): boolean =>
      JSON.parse(readFileSync(join(installed, f), "utf8")).sourcesContent === undefined;
    expect(maps.filter(leadNowhere)).toEqual([]);
    const modules = files.filter((f) => /\.js$/.test(f) && !/\/cjs\//.test(f));
    if (name === "@portcullis/runtime") expect(modules.filter((f) => !maps.includes(`${f}.map`))).toEqual([]);
    const texts = files.filter((f) => !f.endsWith(".wasm"));
    expect(texts.filter((f) => readFileSync(join(installed, f), "utf8").includes(root))).toEqual([]);
  });

  it("satisfies publint", async () => {
    const { installed, manifest } = packed(name);
    const { messages } = await publint({ pkgDir: installed, strict: true, pack: false });
    expect(messages.map((m) => formatMessage(m, manifest))).toEqual([]);
  });

  // Takes seconds a package: `make test-all`.
  it.runIf(isWhole)("has types that are right for every way of resolving it", async () => {
    const data = readFileSync(packed(name).tarball);
    const { problems, types } = (await checkPackage(createPackageFromTarballData(new Uint8Array(data)))) as {
      problems?: unknown[];
      types: unknown;
    };
    expect(types).toMatchObject({ kind: "included" });
    expect(problems).toEqual([]);
  });
});

describe("installed in an empty folder", () => {
  const use = (how: string): unknown =>
    JSON.parse(run(process.execPath, [join(folder, "consume.mjs"), how, policies], folder));

  it.each(["import", "require"])("they compile, load and decide through %s", (how) => {
    writeFileSync(join(folder, "consume.mjs"), readFileSync(join(root, "test/packages/consume.mjs")));
    expect(use(how)).toEqual({
      revision: expect.stringMatching(/^[0-9a-f]{16}$/),
      allowed: true,
      denied: false,
      refused: [true, expect.stringContaining("@portcullis/builtins/jwt")],
      header: { alg: "none" },
      unreadable: true,
      families: Object.keys(packed("@portcullis/builtins").manifest.exports).length - 2,
    });
  });

  it("the command line makes a policy, builds it and decides", () => {
    const portcullis = (args: readonly string[], input = ""): string =>
      run(process.execPath, [join(folder, "node_modules/.bin/portcullis"), ...args], folder, input);
    portcullis(["init", "mine"]);
    portcullis(["build", policies, "-o", "out"]);
    const answer = portcullis(
      ["eval", "out/bundle.tar.gz", "portcullis/lane/decision", "--input", "-", "--format", "json"],
      '{"role":"WRITER","lane":"DRAFTING"}',
    );
    expect(JSON.parse(answer)).toMatchObject({ result: { allowed: true } });
    expect(portcullis(["build", "mine", "-o", "out2"])).toContain("policy.wasm");
  });

  it("all packages and what they need take at most 25 MB", () => {
    const own = names.map((name) => bytesOf(packed(name).installed));
    const others = new Map(packages.flatMap((p) => [...dependenciesOf(p.manifest, join(root, p.folder))]));
    const all = [...own, ...[...others.values()].map(bytesOf)].reduce((sum, bytes) => sum + bytes, 0);
    expect(all / MB).toBeLessThanOrEqual(25);
  });

  it("the compiler leaves runtime and rego outside, so that one of each serves everybody, and needs nothing else", () => {
    const { installed, manifest } = packed("@portcullis/compiler");
    const library = filesOf(installed).filter((f) => /^dist\/(lib|cjs)\/.*\.(js|cjs)$/.test(f));
    const texts = library.map((f) => readFileSync(join(installed, f), "utf8"));
    const named = texts.flatMap((text) => [
      ...text.matchAll(/(?:from|import|require\(|import\()\s*["'](@portcullis\/[a-z]+)/g),
    ]);
    const needed = ["@portcullis/rego", "@portcullis/runtime"];
    expect([...new Set(named.map((m) => m[1]))].sort()).toEqual(needed);
    expect(Object.keys(manifest.dependencies ?? {}).sort()).toEqual(needed);
    // What only they hold: the runtime library of modules, and the version of what it and they agree on.
    expect(texts.filter((text) => text.includes("AGFzbQEAAAA")).length).toBe(0);
  });

  it.each(names)("%s depends on nothing that its modules do not load", (name) => {
    const { installed, manifest } = packed(name);
    const modules = filesOf(installed).filter((f) => /\.(?:js|cjs)$/.test(f));
    const texts = modules.map((f) => readFileSync(join(installed, f), "utf8"));
    const isLoaded = (dependency: string): boolean =>
      texts.some((text) => new RegExp(`(?:from|import|import\\(|require\\()\\s*["']${dependency}["'/]`).test(text));
    expect(Object.keys(manifest.dependencies ?? {}).filter((dependency) => !isLoaded(dependency))).toEqual([]);
  });

  // In Node16 a module for `require` names none that is there for `import` alone.
  it.each(["Node16", "NodeNext"])(
    "the declarations need neither DOM nor Node types, for import and for require: %s",
    (module) => {
      const imports = packages.flatMap((p) =>
        Object.keys(p.manifest.exports)
          .filter((subpath) => subpath !== "./package.json")
          .map((subpath) => p.name + subpath.slice(1)),
      );
      expect(imports.length).toBeGreaterThan(15);
      const program = [
        ...imports.map((specifier, i) => `import * as m${i} from "${specifier}";`),
        `export const all: object[] = [${imports.map((_, i) => `m${i}`).join(", ")}];\n`,
      ].join("\n");
      const at = join(folder, "types");
      mkdirSync(at, { recursive: true });
      writeFileSync(join(at, "a.mts"), program);
      writeFileSync(join(at, "b.cts"), program);
      const compilerOptions = {
        ...{ types: [], lib: ["ES2022"], target: "ES2022", module, moduleResolution: module },
        ...{ strict: true, exactOptionalPropertyTypes: true, skipLibCheck: false, noEmit: true },
      };
      writeFileSync(join(at, "tsconfig.json"), JSON.stringify({ compilerOptions, files: ["a.mts", "b.cts"] }));
      const tsc = createRequire(import.meta.url).resolve("typescript/bin/tsc");
      let report = "";
      try {
        run(process.execPath, [tsc, "-p", at], at);
      } catch (error) {
        report = (error as { stdout: string }).stdout;
      }
      expect(report).toBe("");
      // Before TypeScript 5.7 these types have no parameter.
      const read = run(process.execPath, [tsc, "-p", at, "--listFilesOnly"], at).split("\n");
      const ours = read.filter((file) => file.includes("@portcullis"));
      expect(ours.length).toBeGreaterThan(100);
      const isGeneric = (file: string): boolean =>
        /\b(?:\w+Array|DataView)<ArrayBuffer/.test(readFileSync(file, "utf8"));
      expect(ours.filter(isGeneric)).toEqual([]);
    },
  );
});

describe.each([
  { name: "@portcullis/runtime", page: "runtime", least: { programs: 6, claims: 20 }, beside: [] },
  { name: "@portcullis/agents", page: "runtime/agents", least: { programs: 0, claims: 0 }, beside: ["runtime"] },
  { name: "@portcullis/builtins", page: "runtime/builtins", least: { programs: 4, claims: 0 }, beside: ["runtime"] },
  { name: "@portcullis/rego", page: "compiler/rego", least: { programs: 3, claims: 10 }, beside: ["runtime"] },
  { name: "@portcullis/redis", page: "runtime/redis", least: { programs: 0, claims: 0 }, beside: ["runtime"] },
])("$name alone, in an empty folder", ({ name, page, least, beside }) => {
  let alone = "";
  beforeAll(() => {
    alone = installAlone(name, packages, name === "@portcullis/redis" ? ["ioredis"] : []);
    mkdirSync(join(alone, "out"));
    copyFileSync(join(root, "generated/bundle.tar.gz"), join(alone, "out/bundle.tar.gz"));
  });
  afterAll(() => rmSync(alone, { recursive: true, force: true }));

  it("needs no package of ours but those that it names, and puts nothing on the PATH", () => {
    expect(readdirSync(join(alone, "node_modules/@portcullis")).map((own) => `@portcullis/${own}`)).toEqual(
      [name, ...beside.map((own) => `@portcullis/${own}`)].sort(),
    );
    expect(packed(name).manifest.bin).toBeUndefined();
  });

  it.each(["import", "require"])("is entered by each of its doors through %s", (how) => {
    const doors = Object.keys(packed(name).manifest.exports)
      .filter((door) => door !== "./package.json")
      .map((door) => name + door.slice(1));
    const program = `
const { createRequire } = await import("node:module");
const get = ${how === "import" ? "(door) => import(door)" : `createRequire(${JSON.stringify(`${alone}/`)})`};
for (const door of ${JSON.stringify(doors)}) console.log(Object.keys(await get(door)).length > 0);`;
    writeFileSync(join(alone, "doors.mjs"), program);
    expect(run(process.execPath, [join(alone, "doors.mjs")], alone)).toBe("true\n".repeat(doors.length));
  });

  it.runIf(least.programs > 0)("runs every program of its page", () => {
    const { programs, claims, failures } = runReadme(alone, join(root, page, "README.md"));
    expect(failures).toEqual([]);
    expect(programs).toBeGreaterThanOrEqual(least.programs);
    expect(claims).toBeGreaterThanOrEqual(least.claims);
  });

  const ways = name === "@portcullis/rego" ? ["import", "require"] : [];
  it.each(ways)("compiles, checks, formats, tests and parses through %s", (how) => {
    writeFileSync(join(alone, "consume-rego.mjs"), readFileSync(join(root, "test/packages/consume-rego.mjs")));
    expect(JSON.parse(run(process.execPath, [join(alone, "consume-rego.mjs"), how], alone))).toEqual({
      answers: [true, false],
      found: [true, false, "a.rego:3:6: error[analyze/unsafe-var]: var unknown is unsafe"],
      formatted: "package a\n\nx := 1\n",
      rules: 2,
      tests: ["data.authz_test.test_ann pass"],
      compiler: how === "require" ? "MODULE_NOT_FOUND" : "ERR_MODULE_NOT_FOUND",
    });
  });

  it.runIf(name === "@portcullis/redis" && HAS_REDIS)("guards a call by a real Redis, as its page says", async () => {
    const server = await startRedis();
    const asked = `
const { allowed, decision } = await create(undefined);
if (!allowed) console.error(decision);
process.exit(allowed ? 0 : 1);`;
    const { programs, failures } = runReadme(alone, join(root, page, "README.md"), "types-only", (text) => {
      const ends =
        text.includes("create(") || text.includes("guardTool")
          ? asked
          : "\nprocess.exit(typeof options.wake === 'function' ? 0 : 1);";
      return text.replace("redis://127.0.0.1:6379", server.url) + ends;
    });
    await server.stop();
    expect(failures).toEqual([]);
    expect(programs).toBe(2);
  });
});

describe.runIf(process.env["PORTCULLIS_REGISTRY"] === "1")("installed by npm from their tarballs", () => {
  it("they work, and take at most 25 MB", () => {
    const at = join(folder, "registry");
    mkdirSync(at);
    writeFileSync(join(at, "package.json"), '{ "name": "empty", "private": true }\n');
    run("npm", ["install", "--no-audit", "--no-fund", "--silent", ...packages.map((p) => p.tarball)], at);
    expect(existsSync(join(at, "node_modules/binaryen"))).toBe(false);
    expect(bytesOf(join(at, "node_modules"))).toBeLessThan(25 * MB);
    writeFileSync(join(at, "consume.mjs"), readFileSync(join(root, "test/packages/consume.mjs")));
    for (const how of ["import", "require"])
      expect(JSON.parse(run(process.execPath, ["consume.mjs", how, policies], at))).toMatchObject({ allowed: true });
    expect(run(join(at, "node_modules/.bin/portcullis"), ["--version"], at)).toMatch(/^\d+\.\d+\.\d+\n$/);
  });
});
