/**
 * ENFORCEMENT.md: by hand, but for the tables of gates, which are written between their marks from the library's METADATA.
 *
 *   npx tsx compiler/build/reference/enforcement.ts compiler/ENFORCEMENT.md
 */

import { readFileSync, writeFileSync } from "node:fs";
import { pathToFileURL } from "node:url";
import { DECISION_KINDS, GATES } from "@portcullis/runtime";
import { code, table } from "./markdown.ts";

const BLOCK = /(<!-- gates of (\w+) -->\n)[\s\S]*?(\n<!-- end -->)/g;

/** The page with its tables of gates as the library has them. Throws where a decision has no place, or two. */
export function enforcementPage(page: string): string {
  const places = [...page.matchAll(BLOCK)].map(([, , kind]) => kind);
  const wrong = DECISION_KINDS.filter((kind) => places.filter((place) => place === kind).length !== 1);
  if (wrong.length > 0 || places.length > DECISION_KINDS.length)
    throw new Error(`each decision has one table of gates: ${wrong.join(", ")}`);
  return page.replace(BLOCK, (_, begin: string, name: string, end: string) => {
    const kind = DECISION_KINDS.find((of) => of === name);
    const rows = (kind === undefined ? [] : GATES[kind]).map(({ gate, rule }) => [
      rule,
      "decides",
      code(`${name}:${gate}`),
    ]);
    return `${begin}\n${table(["rule", "", "held by"], rows)}\n${end}`;
  });
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const [, , file] = process.argv;
  if (file === undefined) throw new Error("usage: enforcement.ts FILE");
  writeFileSync(file, enforcementPage(readFileSync(file, "utf8")));
}
