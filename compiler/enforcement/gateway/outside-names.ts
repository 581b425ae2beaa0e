/** Names that come from outside, as they are told. */

import { LONGEST_NAME } from "@portcullis/runtime";

/** A name from outside, in a message: quoted, and cut where it is too long to be one. */
export function quoted(name: string): string {
  return JSON.stringify(cut(name));
}

/** A name from outside as it is told. */
export function cut(name: string): string {
  return name.length > LONGEST_NAME ? `${name.slice(0, 32)}…` : name;
}

/** What every reader reads alike: letters, digits and signs of ASCII. */
export function isPlain(name: string): boolean {
  return /^[!-~]+$/.test(name);
}
