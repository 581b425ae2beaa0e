/** Who imports whom, read from the sources' text. */

import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";

export const root = fileURLToPath(new URL("../..", import.meta.url));

export interface Import {
  readonly file: string;
  /** A file by its path from the root, or a package. */
  readonly target: string;
  /** Nothing of it is there when the program runs. */
  readonly typesOnly: boolean;
  /** Fetched when the program asks for it. */
  readonly isDynamic: boolean;
  /** What braces hold of it that is there when the program runs; empty where it is taken whole. */
  readonly names: readonly string[];
}

/** TypeScript files, but those that are installed or built. */
export function filesBelow(folder: string): string[] {
  return readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter((e) => e.isFile() && e.name.endsWith(".ts"))
    .map((e) => relative(root, join(e.parentPath, e.name)).replaceAll("\\", "/"))
    .filter((f) => !/(^|\/)(node_modules|dist)\//.test(f));
}

const IMPORT =
  /(?:^|\n)\s*(?:import|export)\b([^;"']*?)from\s*["']([^"']+)["']|import\(\s*["']([^"']+)["']\s*\)|(?:^|\n)import\s+["']([^"']+)["']/g;

export function importsOf(file: string): Import[] {
  const text = readFileSync(join(root, file), "utf8");
  return [...text.matchAll(IMPORT)].map(([, names = "", from, dynamic, bare]) => {
    const specifier = (from ?? dynamic ?? bare) as string;
    const path = relative(root, resolve(root, dirname(file), specifier)).replaceAll("\\", "/");
    // AssemblyScript leaves the extension out.
    const target = !specifier.startsWith(".") ? packageFile(specifier) : path.endsWith(".ts") ? path : `${path}.ts`;
    const typesOnly = from !== undefined && isTypes(names.trim());
    return { file, target, typesOnly, isDynamic: dynamic !== undefined, names: typesOnly ? [] : valuesIn(names) };
  });
}

/** The file that a package of the compiler is entered by: `@portcullis/rego/plan` is `compiler/rego/plan/index.ts`. */
function packageFile(specifier: string): string {
  const [, name, room] = /^@portcullis\/(rego|documents|governance|enforcement|cli)(?:\/(.+))?$/.exec(specifier) ?? [];
  if (name === undefined) return specifier;
  if (room === "node") return `compiler/${name}/node.ts`;
  return `compiler/${name}/${room === undefined ? "" : `${room}/`}index.ts`;
}

/** `{ type A, b, c as d }`: `b` and `c`. */
function valuesIn(names: string): string[] {
  return (/\{([^}]*)\}/.exec(names)?.[1] ?? "")
    .split(",")
    .map((name) => name.trim())
    .filter((name) => name !== "" && !name.startsWith("type "))
    .map((name) => name.split(" as ")[0] as string);
}

/** `type …`, or braces in which every name is a type. */
function isTypes(names: string): boolean {
  if (names.startsWith("type ")) return true;
  const braces = /^\{([^}]*)\}$/.exec(names);
  const inside = braces?.[1]?.split(",").map((n) => n.trim()) ?? [""];
  return inside.filter((n) => n !== "").every((n) => n.startsWith("type ")) && braces !== null;
}

export function show(found: readonly Import[]): string[] {
  return found.map((i) => `${i.file} imports ${i.target}`);
}
