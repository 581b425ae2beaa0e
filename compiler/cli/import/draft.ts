/** What an importer makes: files of a policy set, and what could not be said in them, each with its reason. */

import { stringify } from "yaml";

/** Something of the source that the drafts do not say. Whatever it allowed is denied by the drafts. */
export interface LeftOut {
  /** As it stands in the source. */
  readonly what: string;
  readonly why: string;
}

export interface DraftFile {
  /** Below the folder of the drafts. */
  readonly path: string;
  readonly text: string;
}

export interface Draft {
  readonly files: readonly DraftFile[];
  /** How many entries of the source came over. */
  readonly kept: number;
  readonly leftOut: readonly LeftOut[];
}

/** Values of YAML; members that are `undefined` are not written. */
export type Written = string | number | boolean | readonly Written[] | { readonly [key: string]: Written | undefined };

/** A file with a heading, and with what is left out of it, as comments. What YAML 1.1 reads as more than a text (`<<`, `no`) is quoted. */
export function yamlFile(path: string, heading: string, content: Written, leftOut: readonly LeftOut[] = []): DraftFile {
  const said = [heading, ...leftOut.map(({ what, why }) => `Not said here: ${what}: ${why}`)];
  const comments = said.map((line) => `# ${line.replace(/[\r\n\u0085\u2028\u2029]+/g, " ")}\n`).join("");
  return { path, text: `${comments}${stringify(content, { lineWidth: 0, keepUndefined: false, compat: "yaml-1.1" })}` };
}
