/** `portcullis explore POLICY -o page.html`: a policy as one page, which decides by itself and needs no network. */

import { existsSync, readFileSync } from "node:fs";
import { basename, relative, resolve } from "node:path";
import { gunzipSync } from "node:zlib";
import { nodeHost } from "@portcullis/documents/node";
import {
  type ExploreCoverage,
  type ExploreFinding,
  exploreFacts,
  explorePage,
  isExplorePage,
  type OpenedPolicy,
  openBundle,
  type PageAssets,
} from "@portcullis/governance/review";
import { runTests, type TestOptions } from "@portcullis/governance/testing";
import type { Command } from "commander";
import type { Context } from "../context.ts";
import { CliError, EXIT_FINDINGS, EXIT_OK, EXIT_USAGE, orFail } from "../exit.ts";
import { isFolder } from "../files.ts";
import { type OutputKind, REPLACES, refuseOthersFile } from "../output-file.ts";
import { compilePolicies, compilePolicyTests } from "../policy/compile.ts";
import { withHostOptions } from "../policy/host-options.ts";
import { loadWithBuiltins } from "../policy/load-policy.ts";
import { openPolicyArgument } from "../policy/policy-argument.ts";
import { refusing } from "../policy/refusing.ts";
import { reportDiagnostics } from "../render/report.ts";
import { sampleResults } from "../sample-results.ts";
import { writeAtomic } from "../write.ts";
import { formatOption, type HumanOrJson, POLICY_FORMAT } from "./options.ts";

interface ExploreFlags {
  readonly output: string;
  readonly against?: string;
  readonly format: HumanOrJson;
}

const OUTPUT: OutputKind = {
  command: "explore",
  option: "-o",
  names: "file",
  wrote: (bytes) => isExplorePage(bytes.toString()),
};

export function registerExplore(root: Command, context: Context): void {
  root
    .command("explore")
    .description("write a page on which a reviewer sees who may do what, and asks the policy itself")
    .argument("<policy>", "a folder of sources, or a bundle.tar.gz")
    .requiredOption("-o, --output <file>", "the page, one HTML file")
    .option("--against <policy>", "another policy, to show what was added and removed")
    .addOption(formatOption(POLICY_FORMAT))
    .addHelpText(
      "after",
      `
The page needs no network and no server. It holds the policy's own module and asks it: every cell of its tables and every answer
of its form is a decision. For a folder it has findings and the coverage of tests besides. Who has the page has the policy.
${REPLACES}

Examples:
  portcullis explore policies -o policies.html
  portcullis explore policies --against main.tar.gz -o change.html

Exit codes: 0 written; 1 errors in the sources; 2 wrong usage, a policy that cannot be read or is refused.`,
    )
    .action(async (path: string, flags: ExploreFlags) => {
      const { terminal } = context;
      await refuseOthersFile(flags.output, OUTPUT);
      const subject = await openSubject(context, path, flags);
      if (subject === undefined) return context.finish(EXIT_FINDINGS);
      const before = flags.against === undefined ? undefined : await openPolicyArgument(terminal, flags.against, flags);
      if (flags.against !== undefined && before === undefined) return context.finish(EXIT_FINDINGS);
      const facts = await exploreFacts(subject.opened, before, subject);
      const page = await explorePage(facts, subject.opened, before, pageAssets());
      writeAtomic(flags.output, page);
      const bytes = Buffer.byteLength(page);
      if (flags.format === "json") terminal.out(`${JSON.stringify({ file: flags.output, bytes }, null, 2)}\n`);
      else terminal.out(`${flags.output}: ${(bytes / 1024).toFixed(0)} KB\n`);
      context.finish(EXIT_OK);
    });
}

interface Subject {
  readonly opened: OpenedPolicy;
  readonly findings?: readonly ExploreFinding[];
  readonly coverage?: ExploreCoverage | undefined;
}

/** A folder is compiled with its tests for findings and coverage; the page's policy is the one without them. */
async function openSubject(context: Context, path: string, { format }: ExploreFlags): Promise<Subject | undefined> {
  const { terminal } = context;
  if (!isFolder(path)) {
    const opened = await openPolicyArgument(terminal, path, { format });
    return opened && { opened };
  }
  const { compiled, diagnostics } = await compilePolicies(terminal, { host: nodeHost, dirs: [path] });
  if (compiled === undefined) {
    reportDiagnostics(terminal, diagnostics, format);
    return undefined;
  }
  const opened = orFail(
    await refusing(path, () => openBundle(basename(resolve(path)), compiled.bundle, {}, loadWithBuiltins)),
  );
  const findings = diagnostics.map(({ severity, code, span, message, help }) => {
    const at = span?.file.positionAt(span.start);
    const place =
      span === undefined || at === undefined ? "" : `${inFolder(path, span.file.name)}:${at.line}:${at.column}`;
    return { severity, code, place, message, help };
  });
  return { opened, findings, coverage: await coverageOf(context, path) };
}

async function coverageOf({ terminal }: Context, path: string): Promise<ExploreCoverage | undefined> {
  const { compiled } = await compilePolicyTests(terminal, { host: nodeHost, dirs: [path], coverage: "only" });
  if (compiled === undefined || compiled.wasm === undefined) return undefined;
  const also: TestOptions["also"] = (policy) => sampleResults(policy, compiled.samples);
  const { coverage } = await withHostOptions([], undefined, (load) => runTests(compiled, { load, also }));
  if (coverage === undefined) return undefined;
  const files = Object.entries(coverage.files)
    .filter(([, f]) => f.own || f.not_covered.length > 0)
    .map(([file, f]) => ({
      file: f.own ? inFolder(path, file) : file,
      percent: f.coverage,
      notCovered: f.not_covered,
    }));
  return { percent: coverage.coverage, own: coverage.own_coverage, files };
}

/** A file of the policy set without the folder's own path, which says where somebody keeps it. */
function inFolder(folder: string, file: string): string {
  const path = relative(resolve(folder), resolve(file));
  return path === "" || path.startsWith("..") ? file : path.replaceAll("\\", "/");
}

/** Beside the program as it is installed, or in the build of the sources that run. */
function pageAssets(): PageAssets {
  const folder = ["../explore/", "../../dist/explore/"]
    .map((relative) => new URL(relative, import.meta.url))
    .find((url) => existsSync(new URL("page.js", url)));
  if (folder === undefined)
    throw new CliError("the page's own files are missing", EXIT_USAGE, "install portcullis again");
  const read = (name: string): string => readFileSync(new URL(name, folder), "utf8");
  const family = (name: string): string =>
    gunzipSync(readFileSync(new URL(`families/${name}.js.gz`, folder))).toString();
  return { script: read("page.js"), style: read("page.css"), family };
}
