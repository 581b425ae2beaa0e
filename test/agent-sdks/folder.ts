/** The folder of SDKs: they are large, so that no default install has them. */

import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import type { Sdk } from "./newsroom.ts";

export const folder =
  process.env["AGENT_SDKS_FOLDER"] ?? fileURLToPath(new URL("../../out/agent-sdks", import.meta.url));

const installedAs = ({ package: name, alias }: Sdk): string => alias ?? name;

/** The version that is installed. */
export function versionOf(sdk: Sdk): string | undefined {
  const manifest = join(folder, "node_modules", installedAs(sdk), "package.json");
  return existsSync(manifest) ? (JSON.parse(readFileSync(manifest, "utf8")) as { version: string }).version : undefined;
}

/** Installs the SDKs that are not there yet; one that npm cannot install stays away. */
export function install(sdks: readonly Sdk[]): void {
  const missing = sdks.filter((sdk) => versionOf(sdk) === undefined);
  if (missing.length === 0) return;
  mkdirSync(folder, { recursive: true });
  const wanted = missing.flatMap((sdk) => [specifierOf(sdk), ...(sdk.beside ?? [])]);
  const words = ["install", "--no-audit", "--no-fund", "--loglevel=error", "--prefix", folder, ...wanted];
  spawnSync("npm", words, { stdio: "inherit" });
}

/** Without a major npm takes the newest that says it runs on this Node. */
function specifierOf({ package: name, major, alias }: Sdk): string {
  const wanted = major === undefined ? name : `${name}@${major}`;
  return alias === undefined ? wanted : `${alias}@npm:${wanted}`;
}

/** Imports a module of the folder, as a program there would. */
export async function imported(specifier: string): Promise<never> {
  const entry = join(folder, `entry-${specifier.replaceAll(/[^\w-]/g, "-")}.mjs`);
  writeFileSync(entry, `export * from ${JSON.stringify(specifier)};\n`);
  return (await import(/* @vite-ignore */ pathToFileURL(entry).href)) as never;
}
