/** What stands before a node, its anchor and its tag; and before a document, its directives. */

import { bad } from "./node.ts";
import type { Source } from "./source.ts";

const longestName = 1024;

/** What may stand in the address that a tag is; go-yaml lets `,`, `[` and `]` be part of it, in a flow collection too. */
const uri = "(?:[\\w;/?:@&=+$,.!~*'()[\\]-]|%[0-9A-Fa-f]{2})";
const writtenTag = new RegExp(`^(?:!<(${uri}+)>|(![\\w-]*!|!)(${uri}*))`);
const tagDirective = new RegExp(`^TAG[ \\t]+(![\\w-]*!|!)[ \\t]+(${uri}+)$`);

function unescaped(address: string): string {
  return address.replace(/(?:%[0-9A-Fa-f]{2})+/g, (octets) => {
    try {
      return decodeURIComponent(octets);
    } catch {
      return bad("octets that are not text");
    }
  });
}

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
      const written = source.text
        .slice(source.at + 1, source.at + end)
        .replace(/[ \t]#.*$/, "")
        .trim();
      const words = written.split(/[ \t]+/);
      const [, handle, prefix] = tagDirective.exec(written) ?? [];
      source.at += end;
      if (words[0] === "YAML") {
        if (words[1] !== "1.1" || words.length !== 2) bad("found incompatible YAML document");
      } else if (handle !== undefined) this.tagHandles.set(handle, unescaped(prefix as string));
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
    const [all, verbatim, handle, suffix] = writtenTag.exec(rest) ?? bad("tag expected");
    source.at += all.length;
    if (!source.isBlankOrEnd(source.char)) bad("blank expected after a tag");
    if (verbatim !== undefined) return unescaped(verbatim);
    const prefix = this.tagHandles.get(handle as string) ?? bad("found undefined tag handle");
    if (handle !== "!" && suffix === "") bad("tag expected");
    return suffix === "" ? "!" : prefix + unescaped(suffix as string);
  }
}
