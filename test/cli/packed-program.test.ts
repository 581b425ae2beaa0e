/** The command line as one script with V8's code: it is taken, made again it is the same, and without it all is as with it. */

import { spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { codeHead, packedProgram, runProgram } from "../../compiler/cli/packed-program.ts";
import { removeFolder, temporaryFolder, write } from "./terminal.ts";

const compiler = fileURLToPath(new URL("../../compiler", import.meta.url));
const short = join(compiler, "dist/short");
let folder = "";
beforeAll(() => {
  folder = temporaryFolder();
});
afterAll(() => removeFolder(folder));

/** Another Node does not use the code, and would make another one. */
const isOfThisNode =
  existsSync(join(short, "program.code")) &&
  readFileSync(join(short, "program.code"), "latin1").startsWith(
    codeHead(readFileSync(join(short, "program.js"), "latin1")),
  );
if (!isOfThisNode)
  console.warn("SKIPPED: the code of commands was made by another Node, or not at all: `make clean build`");

const urlOf = (path: string): URL => pathToFileURL(join(path, "/"));

/** A folder with a program that only says `packed`, and data for it. */
function smallProgram(name: string, head: (source: string) => string): URL {
  const at = join(folder, name);
  const source = `//${"0a".repeat(32)}\n(function(module){module.exports={main:async()=>"packed"}})`;
  const { script } = runProgram(urlOf(at), source, undefined);
  write(join(at, "program.js"), source);
  writeFileSync(join(at, "program.code"), Buffer.concat([Buffer.from(head(source)), script.createCachedData()]));
  return urlOf(at);
}

describe("a packed program", () => {
  it("runs where it was made for this V8", async () => {
    const found = packedProgram(smallProgram("own", codeHead));
    expect(found?.script.cachedDataRejected).toBe(false);
    expect(await found?.program.main([])).toBe("packed");
  });

  it("has Node's modules and imports of its own", async () => {
    const word =
      "crypto.createHash('sha256').update(path.basename(file)).digest('hex') + (await load('data:text/javascript,export default 7')).default";
    const source = `(function(module,exports,require,file,load){const crypto=require("node:crypto"),path=require("node:path");module.exports={main:async()=>${word}}})`;
    const { createHash } = await import("node:crypto");
    const hash = createHash("sha256").update("program.js").digest("hex");
    expect(await runProgram(urlOf(folder), source, undefined).program.main([])).toBe(`${hash}7`);
  });

  it.each<[string, (source: string) => string]>([
    ["of another V8", (source) => codeHead(source).replace(process.versions.v8, "1.2.3")],
    ["of another processor", (source) => codeHead(source).replace(process.arch, "pdp11")],
    ["of another script", (source) => codeHead(source.replace("0a", "0b"))],
    ["cut off", (source) => codeHead(source).slice(0, 20)],
  ])("is left alone where its code is %s", (name, head) => {
    expect(packedProgram(smallProgram(name, head))).toBeUndefined();
  });

  it("is left alone where it is not there, or half of it", () => {
    expect(packedProgram(urlOf(join(folder, "nowhere")))).toBeUndefined();
    write(join(folder, "half/program.js"), "//\n(function(){})");
    expect(packedProgram(urlOf(join(folder, "half")))).toBeUndefined();
  });

  it("runs from its source where V8 refuses the code", async () => {
    const source = `//${"0c".repeat(32)}\n(function(module){module.exports={main:async()=>"packed"}})`;
    write(join(folder, "refused/program.js"), source);
    writeFileSync(join(folder, "refused/program.code"), codeHead(source) + "no code of V8".repeat(9));
    const found = packedProgram(urlOf(join(folder, "refused")));
    expect(found?.script.cachedDataRejected).toBe(true);
    expect(await found?.program.main([])).toBe("packed");
  });
});

describe.skipIf(!existsSync(join(short, "program.code")))("the command line as it is built", () => {
  const node = (...argv: string[]): { status: number | null; stdout: string; stderr: string } => {
    const { status, stdout, stderr } = spawnSync(process.execPath, argv, { encoding: "utf8", cwd: folder });
    return { status, stdout, stderr };
  };

  /** The package without dist/short. */
  const linked = (name: string): string => {
    const at = join(folder, name);
    mkdirSync(join(at, "dist"), { recursive: true });
    cpSync(join(compiler, "bin"), join(at, "bin"), { recursive: true });
    writeFileSync(join(at, "package.json"), '{ "type": "module" }');
    // By a link, Node would find what lies beside the true one.
    cpSync(join(compiler, "dist/bin"), join(at, "dist/bin"), { recursive: true });
    for (const part of ["binaryen.wasm.gz", "library.json", "rtlib.json"])
      symlinkSync(join(compiler, "dist", part), join(at, "dist", part));
    return at;
  };

  it.skipIf(!isOfThisNode)("has code that V8 takes under the flags of a short run", () => {
    const script = `
const { readFileSync } = require("node:fs");
for (const flag of ["--interrupt-budget=2400000", "--wasm-tiering-budget=1000000000"]) require("node:v8").setFlagsFromString(flag);
const source = readFileSync(${JSON.stringify(join(short, "program.js"))}, "latin1");
const cachedData = readFileSync(${JSON.stringify(join(short, "program.code"))}).subarray(128);
console.log(new (require("node:vm").Script)(source, { cachedData }).cachedDataRejected);`;
    expect(node("-e", script)).toEqual({ status: 0, stdout: "false\n", stderr: "" });
  });

  it.skipIf(!isOfThisNode)("is the same code when it is made again", () => {
    const at = join(linked("again"), "dist/short");
    mkdirSync(at);
    cpSync(join(short, "program.js"), join(at, "program.js"));
    const module = JSON.stringify(pathToFileURL(join(compiler, "build/code-cache.mjs")).href);
    expect(node("-e", `import(${module}).then((m) => m.writeCode(${JSON.stringify(at)}))`)).toMatchObject({
      status: 0,
    });
    expect(readFileSync(join(at, "program.code")).equals(readFileSync(join(short, "program.code")))).toBe(true);
  });

  it("says the same without it, and imports an author's builtins with it", () => {
    const bare = linked("bare");
    write(
      join(folder, "acme.mjs"),
      `export default { "acme.twice": (n) => 2 * n };
export const capabilities = { builtins: [{ name: "acme.twice", decl: { type: "function", args: [{ type: "number" }], result: { type: "number" } } }] };
`,
    );
    write(
      join(folder, "rules/own.rego"),
      'package own\n\n# METADATA\n# entrypoint: true\nfour := acme.twice(2)\n\nodd if input.x == "y" with input.x as unknown_name\n',
    );
    const argv = ["check", "rules", "--builtin", "acme.mjs"];
    const packed = node(join(compiler, "bin/portcullis.js"), ...argv);
    expect(packed).toEqual(node(join(bare, "bin/portcullis.js"), ...argv));
    expect(packed.status).toBe(1);
    expect(packed.stderr).toContain("var unknown_name is unsafe");
    expect(packed.stderr).not.toContain("acme");
  });
});
