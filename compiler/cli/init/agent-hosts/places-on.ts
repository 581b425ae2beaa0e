/** The way that a path takes, as the system takes it: `..` is the parent of what stands before it, behind its links. */

import { lstatSync, readlinkSync, realpathSync } from "node:fs";
import { dirname, isAbsolute, join, sep } from "node:path";

/**
 * The places that an absolute path passes, its own at the end. If the agent may write one of them, it decides where the path leads. A
 * folder that `..` leaves at once is passed, and nothing in it is. Throws for a path that leads nowhere.
 */
export function placesOn(path: string): string[] {
  const places: string[] = [];
  const names = path.split(sep);
  let at: string = sep;
  for (let name = names.shift(); name !== undefined; name = names.shift()) {
    if (name === "" || name === ".") continue;
    if (name === "..") {
      at = dirname(at);
      continue;
    }
    const place = join(at, name);
    places.push(place);
    if (!lstatSync(place).isSymbolicLink()) {
      at = realpathSync.native(place);
      continue;
    }
    const target = readlinkSync(place);
    if (isAbsolute(target)) at = sep;
    names.unshift(...target.split(sep));
  }
  return places;
}
