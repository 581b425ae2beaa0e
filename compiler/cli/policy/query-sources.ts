/** What a query is asked of: folders and files of Rego, bundles, and files of data. */

import { nodeHost } from "@portcullis/documents/node";
import type { SetQueryOptions } from "@portcullis/governance";
import type { SourceFile } from "@portcullis/rego/diagnostics";
import { merged, type Value, valueOfJson } from "@portcullis/rego/value";
import { readBundle } from "@portcullis/runtime";
import { readBytes } from "../commands/read.ts";
import { CliError, EXIT_USAGE, orFail } from "../exit.ts";
import { isFolder } from "../files.ts";
import type { Terminal } from "../terminal.ts";
import { refusing } from "./refusing.ts";

export type QuerySources = Pick<SetQueryOptions, "host" | "dirs" | "modules" | "data">;

/** Whether `--data` names JSON, or standard input: anything else has Rego in it, or may have. */
export function isJsonData(path: string): boolean {
  return path === "-" || path.endsWith(".json");
}

/** Reads what the paths name; of data that several give, the first counts. Throws CliError. */
export async function readQuerySources(terminal: Terminal, paths: readonly string[]): Promise<QuerySources> {
  const dirs: string[] = [];
  const modules: SourceFile[] = [];
  let data: Value | undefined;
  const add = (value: unknown): void => {
    const more = valueOfJson(value);
    data = data === undefined ? more : merged(data, more);
  };
  for (const path of paths) {
    if (isJsonData(path)) {
      const { readHostDataOrInput } = await import("../host-data.ts");
      add(await readHostDataOrInput(terminal, path));
    } else if (isFolder(path) || /\.(?:rego|ya?ml)$/.test(path)) dirs.push(path);
    else {
      const { bundleData, unloadedModules } = await import("@portcullis/governance/review");
      const files = await filesOf(path);
      modules.push(...orFail(unloadedModules(path, files)));
      add(orFail(bundleData(path, files)));
    }
  }
  return { host: nodeHost, dirs, modules, data };
}

/** A bundle, unpacked. Throws CliError for a bare module: it holds nothing that a query could be compiled with. */
async function filesOf(path: string): Promise<ReadonlyMap<string, Uint8Array>> {
  const bytes = readBytes(path);
  if (bytes[0] === 0)
    throw new CliError(
      `\`${path}\` is a bare module: it holds neither Rego nor data`,
      EXIT_USAGE,
      "name the bundle.tar.gz that it came in, or ask for one of its entrypoints: `pkg/rule`",
    );
  return refusing(path, () => readBundle(bytes));
}
