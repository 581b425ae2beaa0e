/**
 * Where a file lies that an agent host's own tool will open. A hook hands no path on: the tool reads the text of the argument
 * itself, and each host makes something else of it. Seen: Claude Code cuts white space off and composes characters; Gemini CLI
 * passes over an `@` that stands first, reads escapes of URLs, and lets `replace` look for another file that ends alike; all of
 * them take `link/..` for nothing, where the file system follows the link first.
 *
 * INVARIANT: a text is resolved only where every one of these readings leads to one place.
 */

import { existsSync, readlinkSync, statfsSync } from "node:fs";
import { isAbsolute, join, parse, resolve, sep } from "node:path";
import type { PathResolver } from "@portcullis/runtime";
import { projectPaths } from "@portcullis/runtime/node";
import type { AskedCall } from "./asked-call.ts";

/** `root` is the project's folder. */
export function pathsAtHost(root: string, { host, name, cwd = root }: AskedCall): PathResolver {
  const place = projectPaths(root, cwd);
  // It looks for a file that is not there in all of the project.
  const mustBeThere = host === "gemini" && name === "replace";
  return (text) => {
    const found = place(text);
    if (found === undefined || isOwnToProcess(isAbsolute(text) ? text : `${cwd}${sep}${text}`)) return undefined;
    if (mustBeThere && !isAbsolute(text) && !existsSync(found.absolute)) return undefined;
    return readings(text, cwd).every((read) => place(read)?.absolute === found.absolute) ? found : undefined;
  };
}

/** What hosts make of a text. */
function readings(text: string, cwd: string): string[] {
  return [text.trim(), text.normalize("NFC"), text.replace(/^@[\\/]*/, ""), unescaped(text), resolve(cwd, text)];
}

function unescaped(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    // The host takes it as it is.
    return text;
  }
}

/** Type of a file system whose links lead each process elsewhere: `/proc/self/cwd`, and `/dev/fd`, which leads there. */
const PROC = 0x9fa0;

/**
 * Whether a link on the way belongs to the process that follows it: the host's own leads elsewhere. The path has been resolved, so
 * that its links have an end.
 */
function isOwnToProcess(path: string): boolean {
  const { root } = parse(path);
  const parts = path.slice(root.length).split(sep).reverse();
  let at = root;
  for (let part = parts.pop(); part !== undefined; part = parts.pop()) {
    const place = join(at, part);
    const target = linkTarget(place);
    if (target === undefined) at = place;
    else if (statfsSync(at).type === PROC) return true;
    else {
      const start = parse(target).root;
      if (start !== "") at = start;
      parts.push(...target.slice(start.length).split(sep).reverse());
    }
  }
  return false;
}

/** `undefined` where there is no link. */
function linkTarget(path: string): string | undefined {
  try {
    return readlinkSync(path);
  } catch {
    return undefined;
  }
}
