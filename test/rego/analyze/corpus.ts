/** The corpus of erroneous modules: `errors/KIND.txt` holds cases, `errors/opa.json` what OPA reports of each. */

import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

export interface ErrorCase {
  readonly kind: string;
  readonly title: string;
  readonly strict: boolean;
  readonly modules: readonly { readonly name: string; readonly text: string }[];
}

export const folder = fileURLToPath(new URL("errors/", import.meta.url));

/** `== title [strict]` begins a case, `-- file NAME` a further module of it. */
export function readCases(): ErrorCase[] {
  const cases: ErrorCase[] = [];
  for (const file of readdirSync(folder)
    .filter((f) => f.endsWith(".txt"))
    .sort()) {
    const kind = file.replace(/\.txt$/, "");
    for (const part of readFileSync(folder + file, "utf8")
      .split(/^== /m)
      .slice(1)) {
      const end = part.indexOf("\n");
      const heading = part.slice(0, end);
      const modules = part
        .slice(end + 1)
        .split(/^-- file /m)
        .map((text, i) => {
          if (i === 0) return { name: "a.rego", text };
          const nameEnd = text.indexOf("\n");
          return { name: text.slice(0, nameEnd), text: text.slice(nameEnd + 1) };
        });
      const strict = heading.endsWith(" [strict]");
      cases.push({ kind, title: heading.replace(/ \[strict\]$/, ""), strict, modules });
    }
  }
  return cases;
}

/** What OPA said of each case when `opa.json` was made: `code file:row:column message`. */
export function recorded(): Record<string, readonly string[]> {
  return JSON.parse(readFileSync(`${folder}opa.json`, "utf8")) as Record<string, readonly string[]>;
}

export const nameOf = (c: ErrorCase): string => `${c.kind}/${c.title}`;
