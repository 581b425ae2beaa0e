/** Whether a bundle decides by the library that searches know. */

import { libraryModules } from "../../library/index.ts";
import type { OpenedPolicy } from "../opened-policy.ts";

/** Whether the library in a bundle is that of this version, word for word: the search relies on how it decides. */
export function isOwnLibrary({ files }: OpenedPolicy): boolean {
  const own = new Map(libraryModules.map(({ name, text }) => [`portcullis/${name}`, text]));
  const texts = [...files].filter(([path]) => own.has(path));
  return (
    ["call", "lineage", "extension"].every((name) => files.has(`portcullis/${name}.rego`)) &&
    texts.every(([path, bytes]) => new TextDecoder().decode(bytes) === own.get(path))
  );
}
