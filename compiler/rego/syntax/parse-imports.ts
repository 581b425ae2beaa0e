/** The grammar of what stands above the rules: the package, and imports with the keywords that they bring. */

import type { Import, Package, Ref, StringTerm, Term, Var } from "./ast.ts";
import type { ParserMethod } from "./chevrotain.ts";
import { V1_KEYWORDS, V2_KEYWORDS } from "./keywords.ts";
import { asRef, BodyParser } from "./parse-bodies.ts";
import * as T from "./token.ts";

const importRoots: ReadonlySet<string> = new Set(["data", "input", "future", "rego"]);
/** The keywords that a module of v2 has, and that `import rego.v2` brings. */
export const versionKeywords: readonly string[] = [...V1_KEYWORDS, ...V2_KEYWORDS];

/** The keywords that an import adds to those that the module has. */
function keywordsOf({ head, args }: Ref): readonly string[] {
  const root = head.kind === "Var" ? head.name : "";
  const last = args.at(-1);
  const name = last?.kind === "String" ? last.value : "";
  if (root === "rego") return name === "v2" ? versionKeywords : V1_KEYWORDS;
  if (root !== "future") return [];
  return args.length === 1 ? versionKeywords : [name];
}

export abstract class ImportParser extends BodyParser {
  /** A path of names and strings; any keyword may be a part of it, the first too. */
  private readonly path: ParserMethod<[], Term> = this.define("path", () =>
    this.withParts(this.named(this.CONSUME(T.Name, { ERR_MSG: "path" })), false),
  );

  protected readonly package: ParserMethod<[], Package> = this.define("package", () => {
    const { startOffset: start } = this.CONSUME(T.Package);
    const written = this.SUBRULE(this.path);
    const path = this.ACTION(() => this.packagePath(written));
    return { kind: "Package", span: this.spanFrom(start), path };
  });

  private packagePath(written: Term): Ref {
    if (written.kind !== "Ref" && written.kind !== "Var") {
      this.fail("rego/illegal-package", { reason: "expected a path" }, written.span);
    }
    const { head, args } = asRef(written);
    if (head.kind !== "Var") this.fail("rego/illegal-package", { reason: "expected a name" }, head.span);
    for (const part of args) {
      if (part.kind !== "String") this.fail("rego/illegal-package", { reason: "expected string" }, part.span);
    }
    const name: StringTerm = { kind: "String", span: head.span, value: head.name, raw: false };
    const root: Var = { kind: "Var", span: head.span, name: "data" };
    return { kind: "Ref", span: written.span, head: root, args: [name, ...args] };
  }

  protected readonly import: ParserMethod<[], Import> = this.define("import", () => {
    const { startOffset: start } = this.CONSUME(T.Import);
    const written = this.SUBRULE(this.path);
    const alias = this.OPTION(() => {
      this.CONSUME(T.As);
      return this.alias(this.CONSUME(T.Identifier, { ERR_MSG: "variable" }));
    });
    const path = this.ACTION(() => this.importPath(written, alias));
    this.ACTION(() => {
      for (const word of keywordsOf(path)) this.addKeyword(word);
    });
    return { kind: "Import", span: this.spanFrom(start), path, alias };
  });

  private alias(token: T.Token): Var {
    const alias = this.named(token);
    if (alias.name === "input" || alias.name === "data") {
      this.fail("rego/illegal-import", { reason: `\`${alias.name}\` cannot be an alias` }, alias.span);
    }
    return alias;
  }

  private importPath(written: Term, alias: Var | undefined): Ref {
    const bad = (reason: string, at: Term, help?: string) =>
      this.fail("rego/illegal-import", { reason }, at.span, help);
    const path = asRef(written);
    const { head, args } = path;
    const root = head.kind === "Var" ? head.name : undefined;
    const names = args.map((part) => (part.kind === "String" ? part.value : bad("expected string", part)));
    if (root === undefined || !importRoots.has(root)) {
      return bad(`path must begin with \`data\`, \`input\`, \`future\` or \`rego\`, got \`${root ?? "a call"}\``, head);
    }
    if (root === "rego") {
      if (names.length !== 1 || (names[0] !== "v1" && names[0] !== "v2"))
        return bad("must be one of: `rego.v1`, `rego.v2`", path);
      return alias ? bad("`rego` imports cannot be aliased", alias) : path;
    }
    if (root === "future") {
      if (names[0] !== "keywords") return bad("must be `future.keywords`", path);
      if (alias) return bad("`future` imports cannot be aliased", alias);
      const [, word] = names;
      const known = [...versionKeywords];
      if (names.length === 2 && word !== undefined && !known.includes(word)) {
        return bad(`unexpected keyword \`${word}\`, must be one of ${known.sort().join(", ")}`, path);
      }
      return path;
    }
    const last = names.at(-1) ?? root;
    if (!alias && this.isKeyword(last)) {
      return bad(
        `path must not end with a keyword, got \`${last}\``,
        args.at(-1) ?? head,
        "import a different path or use an alias",
      );
    }
    return path;
  }
}
