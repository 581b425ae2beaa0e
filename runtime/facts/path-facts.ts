/** Where the files of a call's arguments lie: what the host finds out before the call is decided, and hands on to the tool. */

import { own } from "../host/own.ts";

/** A file or folder that a text names, links followed. */
export interface ResolvedPath {
  /** From the project's root, with `/` between segments. */
  readonly path: string;
  /** For the tool: what it opens is then what was decided on. */
  readonly absolute: string;
}

/**
 * Where the file lies that a text names; `undefined` where it lies outside of the project, or cannot be told. `projectPaths` of
 * `@portcullis/runtime/node` is one.
 */
export type PathResolver = (text: string) => ResolvedPath | undefined;

/** By argument: a path from the project's root, or `null`; for a list, a list. */
export interface PathFacts {
  readonly [argument: string]: string | null | readonly (string | null)[];
}

/** By tool, the arguments whose files a policy asks the host about. */
export interface PathArguments {
  readonly [tool: string]: readonly string[];
}

/** The facts, and the arguments with absolute paths in place of the texts. Throws what `resolve` throws. */
export function resolvedArguments(
  args: unknown,
  names: readonly string[],
  resolve: PathResolver,
): { readonly paths: PathFacts; readonly args: unknown } {
  const paths = Object.create(null) as { [argument: string]: PathFacts[string] };
  const handed = Object.create(null) as { [argument: string]: unknown };
  const one = (value: unknown): ResolvedPath | undefined => (typeof value === "string" ? resolve(value) : undefined);
  for (const name of names) {
    const value = own(args, name);
    if (Array.isArray(value)) {
      const found = value.map(one);
      paths[name] = found.map((place) => place?.path ?? null);
      handed[name] = Object.freeze(value.map((given, i) => found[i]?.absolute ?? given));
    } else if (typeof value === "string") {
      const found = one(value);
      paths[name] = found?.path ?? null;
      handed[name] = found?.absolute ?? value;
    }
  }
  if (Object.keys(handed).length === 0) return { paths, args };
  return { paths, args: Object.freeze({ ...(args as object), ...handed }) };
}
