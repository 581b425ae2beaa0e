/** `portcullis schema [NAME]`: the JSON Schema of a file format, for editors and other tools. */

import { join } from "node:path";
import { FILE_FORMATS, schemaText, schemaUrl } from "@portcullis/governance/editor";
import { didYouMean } from "@portcullis/rego/diagnostics";
import { type Command, Option } from "commander";
import type { Context } from "../context.ts";
import { CliError, EXIT_OK, EXIT_USAGE } from "../exit.ts";
import { memberOf, type OutputKind, REPLACES, refuseOthersFile } from "../output-file.ts";
import { VERSION } from "../version.ts";
import { writeAtomic } from "../write.ts";

interface SchemaFlags {
  readonly output?: string;
  readonly format: "human" | "json";
}

const OUTPUT: OutputKind = {
  command: "schema",
  option: "-o",
  names: "folder",
  wrote: (bytes) => String(memberOf(bytes, "$id")).startsWith("urn:portcullis:schema:"),
};

export function registerSchema(root: Command, context: Context): void {
  root
    .command("schema")
    .description("print the JSON Schema of a file format; without a name, list the formats")
    .argument("[schema]", "a format, or its file: `lanes`, `lanes.yaml`")
    .option("-o, --output <dir>", "write the schema, or every schema, into a folder as NAME.json")
    .addOption(new Option("--format <format>", "how to list the formats").choices(["human", "json"]).default("human"))
    .addHelpText(
      "after",
      `
Examples:
  portcullis schema
  portcullis schema lanes > lanes.schema.json
  portcullis schema -o .schemas                # every one, for an editor without network

The first line of a YAML file tells editors with a YAML language server of its schema; \`portcullis init\` writes it:
  # yaml-language-server: $schema=${schemaUrl("lanes", VERSION)}
and that of a TOML file, for editors with Taplo:
  #:schema ${schemaUrl("manifest", VERSION)}

${REPLACES}
Exit codes: 0 printed or written; 2 no such format, or a folder that cannot be written.`,
    )
    .action(async (name: string | undefined, { output, format: listing }: SchemaFlags) => {
      const { terminal } = context;
      const chosen = name === undefined ? FILE_FORMATS : [formatNamed(name)];
      if (output !== undefined) {
        const files = chosen.map((format) => ({
          path: join(output, `${format.name}.json`),
          content: schemaText(format),
        }));
        for (const { path } of files) await refuseOthersFile(path, OUTPUT);
        for (const { path, content } of files) {
          writeAtomic(path, content);
          terminal.out(`${terminal.paint.dim("wrote")} ${path}\n`);
        }
      } else if (name !== undefined) {
        terminal.out(chosen.map(schemaText).join(""));
      } else if (listing === "json") {
        const rows = FILE_FORMATS.map((f) => ({ name: f.name, files: f.files, url: schemaUrl(f.name, VERSION) }));
        terminal.out(`${JSON.stringify({ formats: rows }, null, 2)}\n`);
      } else {
        const width = Math.max(...FILE_FORMATS.map((f) => f.name.length));
        for (const f of FILE_FORMATS) terminal.out(`${f.name.padEnd(width)}  ${terminal.paint.dim(f.files)}\n`);
      }
      context.finish(EXIT_OK);
    });
}

function formatNamed(name: string): (typeof FILE_FORMATS)[number] {
  const bare = name.replace(/\.ya?ml$/, "");
  const found = FILE_FORMATS.find((f) => f.name === (bare === "portcullis" ? "settings" : bare));
  if (found !== undefined) return found;
  const names = FILE_FORMATS.map((f) => f.name);
  const help = didYouMean(bare, names).help ?? `the formats are ${names.join(", ")}`;
  throw new CliError(`there is no format \`${name}\``, EXIT_USAGE, help);
}
