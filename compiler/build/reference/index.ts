/**
 * Writes the reference pages from the code that they describe, into the folder that is named: `make generate` into
 * generated/reference, `make check` elsewhere, to compare.
 *
 *   npx tsx compiler/build/reference/index.ts generated/reference
 */

import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { builtinsPage } from "./builtins.ts";
import { commandLinePage } from "./command-line.ts";
import { decisionsPage } from "./decisions.ts";
import { diagnosticsPage } from "./diagnostics.ts";
import { fileFormatsPage } from "./file-formats.ts";
import { grammarPage } from "./grammar.ts";

const [folder] = process.argv.slice(2);
if (folder === undefined) throw new Error("usage: index.ts FOLDER");

/** The release of OPA whose language this is, as the suites hold it. */
const makefile = readFileSync(new URL("../../../Makefile", import.meta.url), "utf8");
const opaVersion = /^OPA_VERSION := (\S+)$/m.exec(makefile)?.[1];
if (opaVersion === undefined) throw new Error("the Makefile names no OPA_VERSION");

mkdirSync(folder, { recursive: true });
const pages = {
  "builtins.md": builtinsPage(opaVersion),
  "command-line.md": await commandLinePage(),
  "decisions.md": decisionsPage(),
  "diagnostics.md": diagnosticsPage(),
  "file-formats.md": fileFormatsPage(),
  "grammar.html": grammarPage(),
};
for (const [name, text] of Object.entries(pages)) writeFileSync(join(folder, name), text);
