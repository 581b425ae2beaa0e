/** The page of Rego's grammar: chevrotain's syntax diagrams, with their scripts and styles in the page, which needs no network. */

import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { createSyntaxDiagramsCode } from "chevrotain";
import { RegoParser } from "../../rego/syntax/parse-module.ts";

const TITLE = `<title>The grammar of Rego, as Portcullis reads it</title>
<h1>The grammar of Rego, as Portcullis reads it</h1>
<p>Drawn from the parser itself. Its actions hold what a diagram cannot show: statements of a body stand on lines of their own or
behind a <code>;</code>, the parts of a reference touch each other, and <code>and</code>, <code>or</code> and the <code>not</code> of a body have to be imported.
The scripts and styles are chevrotain's (Apache-2.0) and railroad-diagrams' (CC0).</p>
`;

/** One HTML document. Same grammar, same bytes. */
export function grammarPage(): string {
  const folder = diagramsFolder();
  // INVARIANT: no text of the page ends its own block, and a replacement has no `$` that means something.
  const ruleText = (name: string): string =>
    readFileSync(join(folder, name), "utf8").replaceAll("</script", "<\\/script");
  const page = createSyntaxDiagramsCode(new RegoParser().getSerializedGastProductions(), {
    resourceBase: "",
    css: "diagrams.css",
  });
  return page
    .replace(
      /<link rel='stylesheet' href='([^']+)'>/,
      (_, name: string) => `<style>\n${ruleText(name)}</style>\n${TITLE}`,
    )
    .replace(/<script src='([^']+)'><\/script>/g, (_, name: string) => `<script>\n${ruleText(name)}</script>`);
}

/** The package keeps them beside what its `exports` name: lib/src/api.js. */
function diagramsFolder(): string {
  return join(dirname(createRequire(import.meta.url).resolve("chevrotain")), "../../diagrams");
}
