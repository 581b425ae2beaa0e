/**
 * Writes dist/short/program.code: what V8 has compiled of program.js once each command that compiles has run, on the policy
 * set that `init` writes. A process of its own, with a fixed seed for hashes: same script, same Node, same bytes.
 */
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { setFlagsFromString } from "node:v8";
import { build } from "esbuild";

const command = fileURLToPath(new URL("../bin/portcullis.js", import.meta.url));
const self = fileURLToPath(import.meta.url);

/** Beside the program.js of `folder`. */
export function writeCode(folder) {
  // V8 forgets code that is not called for a while: here it must not.
  const flags = ["--hash-seed=1", "--random-seed=1", "--no-flush-bytecode"];
  const { status, stdout, stderr } = spawnSync(process.execPath, [...flags, self, folder], { encoding: "utf8" });
  if (status !== 0) throw new Error(`${self}: ${stdout}${stderr}`);
}

if (process.argv[1] === self) await write(pathToFileURL(join(process.argv[2], "/")));

async function write(folder) {
  const { codeHead, runProgram, tuneForShortRun } = await commandLinesOwn();
  tuneForShortRun();
  const source = readFileSync(new URL("program.js", folder), "latin1");
  const { program, script } = runProgram(folder, source, undefined);
  await train(program);
  // The flags of this process are no flags of those that read the code.
  for (const flag of ["--hash-seed=0", "--random-seed=0", "--flush-bytecode"]) setFlagsFromString(flag);
  writeFileSync(
    new URL("program.code", folder),
    Buffer.concat([Buffer.from(codeHead(source), "latin1"), script.createCachedData()]),
  );
}

/** What the command line loads its program with. */
async function commandLinesOwn() {
  const { outputFiles } = await build({
    stdin: {
      contents: `export { codeHead, runProgram } from "./packed-program.ts";
export { tuneForShortRun } from "./short-run.ts";`,
      resolveDir: fileURLToPath(new URL("../cli/", import.meta.url)),
    },
    bundle: true,
    format: "esm",
    platform: "node",
    write: false,
  });
  return import(`data:text/javascript;base64,${Buffer.from(outputFiles[0].contents).toString("base64")}`);
}

async function train({ main }) {
  const at = mkdtempSync(join(tmpdir(), "portcullis-code-"));
  const [policies, request] = [join(at, "policies"), join(at, "request.json")];
  const run = async (...argv) => {
    const code = await main(argv);
    if (code !== 0) throw new Error(`portcullis ${argv.join(" ")} exited ${code}`);
  };
  try {
    writeFileSync(request, "{}");
    const { status, stderr } = spawnSync(process.execPath, [command, "init", policies], { encoding: "utf8" });
    if (status !== 0) throw new Error(stderr);
    await run("check", policies);
    await run("types", policies, "-o", join(at, "types.ts"));
    await run("build", policies, "-o", join(at, "out"));
    await run("explain", join(at, "out/bundle.tar.gz"), "portcullis/tool/decision", "-i", request);
    await run("prove", policies);
    await run("test", policies);
  } finally {
    rmSync(at, { recursive: true, force: true });
  }
}
