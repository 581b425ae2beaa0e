/** `portcullis inspect BUNDLE`: the contents of a bundle, without running it. */

import { describeBundle, type Fit } from "@portcullis/runtime";
import type { Command } from "commander";
import type { Context } from "../context.ts";
import { EXIT_OK } from "../exit.ts";
import { readBundleFile } from "../files.ts";
import { refusing } from "../policy/refusing.ts";
import { table } from "../terminal.ts";
import { formatOption, type HumanOrJson } from "./options.ts";

const FITS: { readonly [F in Fit]: string } = {
  wasm: "this runtime and OPA's wasm SDKs",
  "opa-wasm": "an OPA with a wasm engine",
  opa: "every OPA",
};

export function registerInspect(root: Command, context: Context): void {
  root
    .command("inspect")
    .description(
      "show the contents of a bundle or module: revision, sequence, roots, entrypoints, builtins, files, and who takes it",
    )
    .argument("<bundle>", "bundle.tar.gz or policy.wasm")
    .addOption(formatOption())
    .addHelpText(
      "after",
      `
Examples:
  portcullis inspect out/bundle.tar.gz
  portcullis inspect out/bundle.tar.gz --format json | jq .entrypoints

Exit codes: 0 shown; 2 wrong usage, a refused bundle.`,
    )
    .action(async (path: string, flags: { format: HumanOrJson }) => {
      const description = await refusing(path, () => describeBundle(readBundleFile(path)));
      if (flags.format === "json") {
        context.terminal.out(`${JSON.stringify(description, null, 2)}\n`);
      } else {
        const { bold } = context.terminal.paint;
        const rows: string[][] = [
          ["revision", description.revision ?? "-"],
          ...(description.sequence === undefined ? [] : [["sequence", String(description.sequence)]]),
          ["roots", description.roots.map((r) => (r === "" ? '""' : r)).join(", ") || "-"],
          ["made by", description.producer ?? "-"],
          [
            "fits",
            description.fits.map((fit) => FITS[fit]).join("; ") ||
              "no runtime: its manifest names a module that it lacks",
          ],
          ["host builtins", description.builtins.join(", ") || "none"],
          ...description.entrypoints.map((e, i) => [i === 0 ? "entrypoints" : "", e]),
          ...description.files.map((f, i) => [i === 0 ? "files" : "", `${f.path} (${f.bytes} bytes)`]),
        ];
        context.terminal.out(`${table(rows, (cell, column) => (column === 0 ? bold(cell) : cell))}\n`);
      }
      context.finish(EXIT_OK);
    });
}
