/** All packages, packed as a publisher packs them, and unpacked into the node_modules of an empty folder. */

import { execFileSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

export const root = fileURLToPath(new URL("../..", import.meta.url));

export interface PackedPackage {
  readonly folder: string;
  readonly name: string;
  readonly tarball: string;
  /** Where it is installed. */
  readonly installed: string;
  readonly manifest: Manifest;
}

export interface Manifest {
  readonly name: string;
  readonly dependencies?: Record<string, string>;
  readonly peerDependencies?: Record<string, string>;
  readonly bin?: Record<string, string>;
  readonly exports: Record<string, unknown>;
}

const FOLDERS = ["runtime", "runtime/agents", "runtime/builtins", "runtime/redis", "compiler/rego", "compiler"];

/** `npm pack` runs what finishes a package (`prepack`). Needs no network. */
export function packAll(): { folder: string; packages: PackedPackage[] } {
  const folder = mkdtempSync(join(tmpdir(), "portcullis-packed-"));
  writeFileSync(join(folder, "package.json"), '{ "name": "empty", "private": true }\n');
  const packages = FOLDERS.map((path) => {
    const manifest = JSON.parse(readFileSync(join(root, path, "package.json"), "utf8")) as Manifest & {
      version: string;
    };
    run("npm", ["pack", "--silent", "--pack-destination", folder], join(root, path));
    const tarball = join(folder, `${manifest.name.slice(1).replace("/", "-")}-${manifest.version}.tgz`);
    const installed = join(folder, "node_modules", manifest.name);
    mkdirSync(installed, { recursive: true });
    run("tar", ["xzf", tarball, "-C", installed, "--strip-components=1"], folder);
    return { folder: path, name: manifest.name, tarball, installed, manifest };
  });
  const modules = join(folder, "node_modules");
  for (const p of packages) installDependencies(p, modules);
  mkdirSync(join(modules, ".bin"));
  symlinkSync("../@portcullis/compiler/bin/portcullis.js", join(modules, ".bin/portcullis"));
  return { folder, packages };
}

/** An empty folder with one of the packages, the packages of ours that it needs, what they need, and what its user `brought`. */
export function installAlone(
  name: string,
  packages: readonly PackedPackage[],
  brought: readonly string[] = [],
): string {
  const folder = mkdtempSync(join(tmpdir(), "portcullis-alone-"));
  writeFileSync(join(folder, "package.json"), '{ "name": "alone", "private": true }\n');
  const install = (wanted: string): void => {
    const found = packages.find((p) => p.name === wanted);
    if (found === undefined) throw new Error(`${wanted} is not published`);
    const at = join(folder, "node_modules", wanted);
    if (existsSync(at)) return;
    cpSync(found.installed, at, { recursive: true });
    installDependencies(found, join(folder, "node_modules"));
    for (const needed of Object.keys({ ...found.manifest.dependencies, ...found.manifest.peerDependencies }))
      if (needed.startsWith("@portcullis/")) install(needed);
  };
  install(name);
  const dependencies = Object.fromEntries(brought.map((one) => [one, "*"]));
  for (const [one, at] of dependenciesOf({ name: "alone", dependencies, exports: {} }, root))
    cpSync(at, join(folder, "node_modules", one), { recursive: true });
  return folder;
}

function installDependencies({ manifest, folder }: PackedPackage, modules: string): void {
  for (const [name, at] of dependenciesOf(manifest, join(root, folder)))
    if (!existsSync(join(modules, name))) cpSync(at, join(modules, name), { recursive: true });
}

/** What is installed for a package besides itself, ours aside: name and folder, dependencies of dependencies too. */
export function dependenciesOf(
  manifest: Manifest,
  from: string,
  found = new Map<string, string>(),
): Map<string, string> {
  for (const name of Object.keys(manifest.dependencies ?? {})) {
    if (name.startsWith("@portcullis/") || found.has(name)) continue;
    const at = (createRequire(join(from, "package.json")).resolve.paths(name) ?? [])
      .map((path) => join(path, name))
      .find((path) => existsSync(join(path, "package.json")));
    if (at === undefined) throw new Error(`${name}, which ${dirname(from)} needs, is not installed`);
    found.set(name, at);
    dependenciesOf(JSON.parse(readFileSync(join(at, "package.json"), "utf8")) as Manifest, at, found);
  }
  return found;
}

export function run(command: string, args: readonly string[], cwd: string, input = ""): string {
  return execFileSync(command, args, { cwd, input, encoding: "utf8", stdio: ["pipe", "pipe", "pipe"] });
}
