/** `portcullis verify BUNDLE --verification-key FILE`: is every file of a bundle the one that was signed? */

import { verifyFiles } from "@portcullis/rego/signing";
import { readBundle } from "@portcullis/runtime";
import type { Command } from "commander";
import type { Context } from "../context.ts";
import { EXIT_FINDINGS, EXIT_OK } from "../exit.ts";
import { readBundleFile } from "../files.ts";
import { refusing } from "../policy/refusing.ts";
import { printableLine } from "../printer.ts";
import { readVerificationKey, type SigningFlags, signatureOptions, VERIFICATION_KEY } from "../signing-options.ts";
import { count, formatOption, type HumanOrJson } from "./options.ts";

interface VerifyFlags extends SigningFlags {
  readonly verificationKey: string;
  readonly format: HumanOrJson;
}

export function registerVerify(root: Command, context: Context): void {
  signatureOptions(
    root
      .command("verify")
      .description("check the signature of a bundle, and every file in it against the signature")
      .argument("<bundle>", "bundle.tar.gz")
      .requiredOption("--verification-key <file>", VERIFICATION_KEY),
  )
    .addOption(formatOption())
    .addHelpText(
      "after",
      `
Examples:
  portcullis verify out/bundle.tar.gz --verification-key public.pem
  portcullis verify out/bundle.tar.gz --verification-key ec.pub --signing-alg ES256 --scope production

The algorithm is the one given here, whatever the signature says of itself. A file too many, too few or changed fails.
Exit codes: 0 the signature covers every file; 1 it does not, or is missing; 2 wrong usage, a refused bundle.`,
    )
    .action(async (path: string, flags: VerifyFlags) => {
      const key = readVerificationKey(flags.verificationKey, flags);
      const files = await refusing(path, () => readBundle(readBundleFile(path)));
      const { problems, ...facts } = await verifyFiles(files, {
        key,
        keyId: flags.verificationKeyId,
        scope: flags.scope,
        allowWeak: flags.allowWeakKeys ?? false,
      });
      const ok = problems.length === 0;
      const { red, green } = context.terminal.paint;
      if (flags.format === "json") context.terminal.out(`${JSON.stringify({ ok, problems, ...facts }, null, 2)}\n`);
      else if (ok) context.terminal.out(`${green("verified:")} ${count(facts.files, "file")}, ${key.algorithm}\n`);
      else for (const problem of problems) context.terminal.err(`${red("error:")} ${printableLine(problem)}\n`);
      context.finish(ok ? EXIT_OK : EXIT_FINDINGS);
    });
}
