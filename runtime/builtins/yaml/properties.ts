/** What stands before a node, its anchor and its tag; and before a document, its directives. */

import { bad } from "./node.ts";
import type { Source } from "./source.ts";

const longestName = 1024;

export interface Properties {
  readonly anchor: string;
  readonly tag: string;
}

export class PropertyReader {
  private readonly tagHandles = new Map([
    ["!", "!"],
    ["!!", "tag:yaml.org,2002:"],
  ]);

  constructor(private readonly source: Source) {}

  /** Those of the document; a directive may name a handle for tags. */
  directives(): void {
    const { source } = this;
    let any = false;
    for (;;) {
      source.skipToToken(false);
      if (source.char !== "%" || source.column !== 0) break;
      any = true;
      const end = /[\n\r\u0085\u2028\u2029]|$/.exec(source.text.slice(source.at))?.index ?? 0;
      const words = source.text
        .slice(source.at + 1, source.at + end)
        .replace(/[ \t]#.*$/, "")
        .trim()
        .split(/[ \t]+/);
      source.at += end;
      if (words[0] === "YAML") {
        if (words[1] !== "1.1" || words.length !== 2) bad("found incompatible YAML document");
      } else if (words[0] === "TAG" && words.length === 3) this.tagHandles.set(words[1] as string, words[2] as string);
      else bad("unknown directive");
    }
    if (any && !(source.atMarker() && source.char === "-")) bad("did not find expected <document start>");
    if (source.atMarker() && source.char === ".") bad("did not find expected node content");
  }

  /** Those of the node that follows; a part that is not there is empty. */
  read(): Properties {
    const { source } = this;
    let anchor = "";
    let tag = "";
    for (;;) {
      if (source.char === "&" && anchor === "") anchor = this.name();
      else if (source.char === "!" && tag === "") tag = this.tag();
      else return { anchor, tag };
      if (!source.isBlankOrEnd(source.char) && !",?:]}%@`".includes(source.char))
        bad("blank expected after a property");
      const hold = source.at;
      source.skipBlanks();
      if (source.char !== "&" && source.char !== "!") {
        source.at = hold;
        return { anchor, tag };
      }
    }
  }

  /** The name after `&` or `*`. */
  name(): string {
    const { source } = this;
    const name =
      /^[0-9A-Za-z_-]+/.exec(source.text.slice(source.at + 1, source.at + 1 + longestName))?.[0] ??
      bad("anchor expected");
    source.at += 1 + name.length;
    if (!source.isBlankOrEnd(source.char) && !"?:,]}%@`".includes(source.char)) bad("anchor expected");
    return name;
  }

  private tag(): string {
    const { source } = this;
    const rest = source.text.slice(source.at, source.at + 4096);
    const verbatim = /^!<([^ >\t\r\n]+)>/.exec(rest);
    if (verbatim !== null) {
      source.at += verbatim[0].length;
      return verbatim[1] as string;
    }
    const match = /^(![0-9A-Za-z_-]*!|!)([0-9A-Za-z;/?:@&=+$.~*'()_%-]*)/.exec(rest) ?? bad("tag expected");
    source.at += match[0].length;
    const prefix = this.tagHandles.get(match[1] as string) ?? bad("found undefined tag handle");
    if (match[1] !== "!" && match[2] === "") bad("tag expected");
    return match[2] === "" ? "!" : prefix + match[2];
  }
}
