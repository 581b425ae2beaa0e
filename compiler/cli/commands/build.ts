/** `portcullis build DIR… -o OUT`: compiles a policy set and writes the bundle and its parts. */

import { join, resolve } from "node:path";
import { nodeHost } from "@portcullis/documents/node";
import type { Compiled } from "@portcullis/governance";
import { BUNDLE_TARGETS, type BundleTarget, packBundle } from "@portcullis/rego/bundle";
import { hasErrors } from "@portcullis/rego/diagnostics";
import { EMIT_NAMES, type EmitName } from "@portcullis/rego/pipeline";
import { type SignOptions, signFiles, verifyFiles } from "@portcullis/rego/signing";
import type { VerificationKey } from "@portcullis/runtime/trust";
import { type Command, InvalidArgumentError, Option } from "commander";
import type { Context } from "../context.ts";
import { CliError, EXIT_FINDINGS, EXIT_OK, EXIT_USAGE, fileProblem, orFail } from "../exit.ts";
import {
  BUNDLE,
  earlierBuild,
  refuseOthersFiles,
  refuseSourceFolder,
  removeLeftovers,
  TYPES,
} from "../output-folder.ts";
import { compilePolicies } from "../policy/compile.ts";
import { BUILTIN_OPTION, type BuiltinFlags, CAPABILITIES_OPTION, readOwnBuiltins } from "../policy/own-builtins.ts";
import { readSchemas, SCHEMA_OPTION } from "../policy/schemas.ts";
import {
  FINDING_FORMATS,
  type FindingFormat,
  jsonDiagnostic,
  printNotes,
  reportDiagnostics,
} from "../render/report.ts";
import {
  readVerificationKey,
  SIGNING_KEY,
  type SigningFlags,
  signatureOptions,
  signOptions,
} from "../signing-options.ts";
import { refuseLinkedFolders, writeAllAtomic } from "../write.ts";
import { collect, STRICT_OPTION, wholeNumber } from "./options.ts";

interface BuildFlags extends SigningFlags, BuiltinFlags {
  readonly verificationKey?: string;
  readonly output: string;
  readonly entrypoint: string[];
  readonly revision?: string;
  readonly sequence?: string;
  readonly strict: boolean;
  readonly format: FindingFormat;
  readonly verbose: boolean;
  readonly allowBuiltin: string[];
  readonly schema?: string;
  readonly emit: EmitName[];
  readonly target: BundleTarget;
}

export function registerBuild(root: Command, context: Context): void {
  const command = root
    .command("build")
    .description("compile policy sources (governance files, Rego, data) into a bundle with WebAssembly")
    .argument("<dir...>", "folders with the sources")
    .requiredOption("-o, --output <dir>", "folder to write bundle.tar.gz and its parts to")
    .option("-e, --entrypoint <pkg/rule>", "a rule to compile as an entrypoint (may be repeated)", collect, [])
    .option("-r, --revision <text>", "revision of the bundle (default: a hash of its content)")
    .option("--sequence <n>", "place of the bundle in the order of bundles: hosts do not go back to a lower one")
    .addOption(
      new Option("-t, --target <target>", "what the bundle holds: the module, the Rego, or both")
        .choices(BUNDLE_TARGETS)
        .default("both"),
    )
    .option(...STRICT_OPTION)
    .option(
      "--allow-builtin <name>",
      "allow a non-deterministic builtin that the host will supply (may be repeated)",
      collect,
      [],
    )
    .addOption(
      new Option("--emit <text>", "write an intermediate form as text too, beside the bundle (may be repeated)")
        .choices(EMIT_NAMES)
        .argParser(collectEmit)
        .default([], ""),
    )
    .option(...SCHEMA_OPTION)
    .option(...CAPABILITIES_OPTION)
    .option(...BUILTIN_OPTION)
    .option("--verbose", "say which files were ignored", false)
    .option("--signing-key <file>", `sign the bundle: ${SIGNING_KEY}`)
    .option("--verification-key <file>", "check the fresh signature with this key before anything is written");
  signatureOptions(command)
    .addOption(new Option("--format <format>", "how to print findings").choices(FINDING_FORMATS).default("human"))
    .addHelpText(
      "after",
      `
Examples:
  portcullis build policies -o out
  portcullis build rules/ -o out -e app/authz/allow
  portcullis build policies -o out/opa --target rego
  portcullis build policies -o out --strict --format sarif > findings.sarif
  portcullis build policies -o out --signing-key private.pem --verification-key public.pem
  portcullis build policies -o out --sequence 42
  portcullis build policies -o out --emit plan.json --emit wat

--target says whom the bundle is for (\`portcullis inspect\` reads it off a bundle):
  both   the runtime, OPA's wasm SDKs, and an OPA with a wasm engine; auditors read the Rego in it
  wasm   the same, without the Rego
  rego   every OPA; one without a wasm engine (\`go install\`, some distributions) refuses the other two

--emit writes into OUT, and nothing of it into the bundle:
  ast.json    the syntax trees of all modules, by file, as \`opa parse --format json\` gives them
  plan.json   the plan in OPA's format (\`opa build -t plan\`), before the optimiser
  plan.txt    the plan after the optimiser, a statement a line
  wat         policy.wat: policy.wasm in the text format of WebAssembly, without its custom sections

Writes OUT/bundle.tar.gz (for \`load\` and for any OPA) and its parts: policy.wasm, data.json, the Rego, .manifest, types.ts.
What the build before wrote there is replaced, or removed; no other file is written over, and no folder of the sources is OUT.
Exit codes: 0 written; 1 findings (warnings too, with --strict); 2 wrong usage, or files that cannot be written.`,
    )
    .action((dirs: string[], flags: BuildFlags) => build(context, dirs, flags));
}

async function build(context: Context, dirs: readonly string[], flags: BuildFlags): Promise<void> {
  const started = performance.now();
  const signing = signOptions(flags);
  const verifying = verificationOf(flags);
  refuseSourceFolder(flags.output, dirs);
  const { declared, allowed } = await readOwnBuiltins(flags);
  const result = await compilePolicies(context.terminal, {
    host: nodeHost,
    dirs,
    isReplaced: (folder) => resolve(folder) === resolve(flags.output),
    entrypoints: flags.entrypoint,
    strict: flags.strict,
    allowBuiltins: [...flags.allowBuiltin, ...allowed],
    ...readSchemas(flags.schema),
    ...declared,
    emit: flags.emit,
    target: flags.target,
    revision: flags.revision,
    ...(flags.sequence === undefined ? {} : { sequence: wholeNumber("--sequence", flags.sequence) }),
  });
  printNotes(context.terminal, result.notes, flags.verbose);
  const failed = result.compiled === undefined || hasErrors(result.diagnostics);
  if (flags.format !== "json") reportDiagnostics(context.terminal, result.diagnostics, flags.format);
  const signed =
    result.compiled === undefined || failed || signing === undefined
      ? result.compiled
      : await sign(result.compiled, signing, { verifying, allowWeak: flags.allowWeakKeys ?? false });
  if (signed !== undefined && !failed) await writeBundle(flags.output, signed);
  if (flags.format === "json") {
    context.terminal.out(
      `${JSON.stringify(jsonReport(result.compiled, result.diagnostics.map(jsonDiagnostic), failed, flags.output), null, 2)}\n`,
    );
  } else if (result.compiled !== undefined && !failed && flags.format === "human") {
    const { compiled } = result;
    const ms = (performance.now() - started).toFixed(0);
    const count = compiled.entrypoints.length;
    context.terminal.out(
      `${join(flags.output, "bundle.tar.gz")}: ${count} ${count === 1 ? "entrypoint" : "entrypoints"}, ${flags.target === "rego" ? "no module" : `policy.wasm ${size(compiled.wasm.length)}`}, ` +
        `revision ${compiled.revision} (${ms} ms)\n`,
    );
  }
  context.finish(failed ? EXIT_FINDINGS : EXIT_OK);
}

/** Commander's `choices` keeps the last value of a repeated option only. */
function collectEmit(value: string, previous: readonly EmitName[]): EmitName[] {
  const name = EMIT_NAMES.find((known) => known === value);
  if (name === undefined) throw new InvalidArgumentError(`Allowed choices are ${EMIT_NAMES.join(", ")}.`);
  return [...previous, name];
}

/** The key that the signature must hold under; it needs a signature. Throws CliError. */
function verificationOf(flags: BuildFlags): VerificationKey | undefined {
  const { verificationKey, signingKey } = flags;
  if (verificationKey === undefined) return undefined;
  if (signingKey === undefined)
    throw new CliError("`--verification-key` checks what `--signing-key` signs", EXIT_USAGE, "give both, or neither");
  return readVerificationKey(verificationKey, flags);
}

async function sign(
  compiled: Compiled,
  options: SignOptions,
  { verifying, allowWeak }: { verifying: VerificationKey | undefined; allowWeak: boolean },
): Promise<Compiled> {
  const files = orFail(signFiles(compiled.files, options));
  if (verifying !== undefined) {
    const byPath = new Map(files.map(({ path, bytes }) => [path, bytes]));
    const { problems } = await verifyFiles(byPath, { ...options, key: verifying, allowWeak });
    if (problems.length > 0) throw new CliError(`the bundle cannot be verified: ${problems.join("; ")}`);
  }
  return { ...compiled, files, bundle: await packBundle(files) };
}

function jsonReport(compiled: Compiled | undefined, diagnostics: object[], failed: boolean, output: string): object {
  if (failed || compiled === undefined) return { ok: false, diagnostics };
  return {
    ok: true,
    diagnostics,
    bundle: join(output, "bundle.tar.gz"),
    revision: compiled.revision,
    entrypoints: compiled.entrypoints,
    wasm_bytes: compiled.wasm.length,
  };
}

async function writeBundle(output: string, compiled: Compiled): Promise<void> {
  try {
    const { files, types, emitted, bundle } = compiled;
    const written = [
      ...files.map(({ path, bytes }) => ({ path, content: bytes })),
      ...(types === undefined ? [] : [{ path: TYPES, content: types }]),
      ...emitted.map(({ name, text }) => ({ path: name, content: text })),
      { path: BUNDLE, content: bundle },
    ];
    const paths = written.map(({ path }) => path);
    refuseLinkedFolders(output, paths);
    const earlier = await earlierBuild(output);
    refuseLinkedFolders(output, [...(earlier?.keys() ?? [])]);
    refuseOthersFiles(output, paths, earlier);
    writeAllAtomic(written.map(({ path, content }) => ({ path: join(output, path), content })));
    removeLeftovers(output, paths, earlier);
  } catch (error) {
    if (error instanceof CliError) throw error;
    throw new CliError(`cannot write to \`${output}\`: ${fileProblem(error)}`);
  }
}

function size(bytes: number): string {
  return bytes < 10_240 ? `${bytes} B` : `${(bytes / 1024).toFixed(1)} KB`;
}
