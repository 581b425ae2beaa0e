/** A stream of documents. The first one counts; a fault in any of them is one of the stream. */

import { bad, type YamlNode } from "./node.ts";
import { Parser } from "./parser.ts";
import { Source } from "./source.ts";

/** The tree of the first document; throws YamlError for a stream that is not YAML, wherever the fault is. */
export function parseYaml(text: string): YamlNode {
  const source = new Source(text);
  const first = new Parser(source).document();
  while (nextDocument(source)) new Parser(source).document();
  return first;
}

/** Passes over the ends of documents (`...`); whether there is anything behind them, which begins with a marker of its own. */
function nextDocument(source: Source): boolean {
  source.skipToToken(true);
  while (source.atMarker() && source.char === ".") {
    source.at += 3;
    source.skipToToken(true);
    if (!source.atEnd && !source.atMarker() && source.text[source.at] !== "%")
      bad("did not find expected <document start>");
  }
  return !source.atEnd;
}
