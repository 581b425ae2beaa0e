/** `portcullis sign BUNDLE --signing-key FILE`: a bundle with a signature that OPA and `portcullis verify` check. */

import { packBundle } from "@portcullis/rego/bundle";
import { signFiles } from "@portcullis/rego/signing";
import { LoadError, readBundle, SourceError } from "@portcullis/runtime";
import { pushBundle } from "@portcullis/runtime/node";
import { SIGNATURES_FILE } from "@portcullis/runtime/trust";
import type { Command } from "commander";
import type { Context } from "../context.ts";
import { CliError, EXIT_OK, orFail } from "../exit.ts";
import { readBundleFile } from "../files.ts";
import { type OutputKind, refuseLink, refuseOthersFile } from "../output-file.ts";
import { refusing } from "../policy/refusing.ts";
import { isOci } from "../policy/remote-source.ts";
import { SIGNING_KEY, type SigningFlags, signatureOptions, signOptions } from "../signing-options.ts";
import { writeAtomic } from "../write.ts";
import { count, formatOption, type HumanOrJson } from "./options.ts";

interface SignFlags extends SigningFlags {
  readonly signingKey: string;
  readonly output?: string;
  readonly format: HumanOrJson;
}

export function registerSign(root: Command, context: Context): void {
  signatureOptions(
    root
      .command("sign")
      .description("sign a bundle: a `.signatures.json` over every file in it, as OPA writes and checks it")
      .argument("<bundle>", "bundle.tar.gz")
      .requiredOption("--signing-key <file>", SIGNING_KEY),
  )
    .option(
      "-o, --output <file>",
      "file to write, or oci://HOST/REPOSITORY:TAG to push to (default: the bundle itself)",
    )
    .addOption(formatOption())
    .addHelpText(
      "after",
      `
Examples:
  openssl genpkey -algorithm RSA -pkeyopt rsa_keygen_bits:3072 -out private.pem
  openssl pkey -in private.pem -pubout -out public.pem
  portcullis sign out/bundle.tar.gz --signing-key private.pem
  portcullis sign out/bundle.tar.gz --signing-key ec.pem --signing-alg ES256 -o out/signed.tar.gz
  portcullis sign out/bundle.tar.gz --signing-key private.pem -o oci://registry.example/policies/newsroom:stable
  portcullis verify out/bundle.tar.gz --verification-key public.pem

In a registry OPA and \`portcullis serve oci://…\` find the bundle, by its tag or by the digest that is printed; credentials are those of
\`docker login\`. A signature that is there already is replaced. \`portcullis build --signing-key FILE\` signs what it builds.
Any other file that is there is replaced only where this command wrote it.
Exit codes: 0 signed; 2 wrong usage, a key that does not fit, a refused bundle.`,
    )
    .action(async (path: string, flags: SignFlags) => {
      const options = signOptions(flags);
      const read = readBundleFile(path);
      if (flags.output === undefined) refuseLink(path, "sign");
      else if (!isOci(flags.output)) await refuseOthersFile(flags.output, outputOf(read));
      const files = await refusing(path, () => readBundle(read));
      const entries = [...files].map(([name, bytes]) => ({ path: name, bytes }));
      const signed = orFail(signFiles(entries, options));
      const output = flags.output ?? path;
      const bytes = await packBundle(signed);
      const digest = isOci(output) ? await pushed(output, bytes) : undefined;
      if (digest === undefined) writeAtomic(output, bytes);
      const where = digest === undefined ? {} : { digest };
      const report = { bundle: output, ...where, algorithm: options.key.algorithm, files: signed.length - 1 };
      context.terminal.out(
        flags.format === "json"
          ? `${JSON.stringify(report, null, 2)}\n`
          : `${output}${digest === undefined ? "" : `@${digest}`}: ${count(report.files, "file")} signed with ${report.algorithm}\n`,
      );
      context.finish(EXIT_OK);
    });
}

/** A signed bundle; or the bundle that is read, which is signed in its place. */
function outputOf(read: Uint8Array): OutputKind {
  return {
    command: "sign",
    option: "-o",
    names: "file",
    wrote: async (bytes) => bytes.equals(read) || isSigned(bytes),
  };
}

async function isSigned(bytes: Uint8Array): Promise<boolean> {
  try {
    return (await readBundle(bytes)).has(SIGNATURES_FILE);
  } catch (error) {
    if (error instanceof LoadError) return false;
    throw error;
  }
}

/** The digest under which the bundle is found. Throws CliError. */
async function pushed(reference: string, bytes: Uint8Array): Promise<string> {
  try {
    return await pushBundle(reference, bytes);
  } catch (error) {
    if (error instanceof SourceError || error instanceof TypeError) throw new CliError(error.message);
    throw error;
  }
}
