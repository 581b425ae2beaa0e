/** A module against the parts of the language that a capabilities file allows. OPA refuses these while it parses. */

import type { Diagnostic, Span } from "../diagnostics/index.ts";
import {
  eachNode,
  type Import,
  isKeyword,
  type Language,
  type Module,
  type Node,
  type Ref,
  V1_KEYWORDS,
  V2_KEYWORDS,
} from "../syntax/index.ts";
import { analyzeDiagnostic } from "./codes.ts";

export function checkLanguage(module: Module, language: Language): Diagnostic[] {
  const found: Diagnostic[] = [];
  const refuse = (problem: string, at: Span): void => {
    found.push(analyzeDiagnostic("analyze/beyond-capabilities", { problem }, at));
  };
  const { file } = module.span;
  if (file.regoVersion === 2 && !language.features.has("rego_v2")) {
    const problem = "illegal capabilities: rego_v2 feature required for parsing v2 Rego";
    return [analyzeDiagnostic("analyze/beyond-capabilities", { problem }, module.package.span)];
  }
  for (const imported of module.imports) checkImport(imported, language, refuse);
  if (isWhole(language)) return found;
  const keywords = keywordsOf(module, language);
  const features = file.regoVersion === 2 ? new Set([...language.features, ...IMPLIED_BY_V2]) : language.features;
  for (const rule of module.rules) eachNode(rule, (node) => checkNode(node, features, keywords, refuse));
  return found;
}

/** Whether nothing is refused but imports: each keyword of a module comes with an import, or with its version. */
function isWhole({ features, futureKeywords }: Language): boolean {
  return IMPLIED_BY_V2.every((name) => features.has(name)) && V2_KEYWORDS.every((word) => futureKeywords.has(word));
}

/** What OPA takes for granted in a module whose bundle says that it is of v2. */
const IMPLIED_BY_V2 = ["keywords_in_refs", "template_strings"];

type Refuse = (problem: string, at: Span) => void;

/** The parts of an import of the language itself: `rego.v2`, `future.keywords.or`. */
function partsOf({ path }: Import): readonly string[] {
  const { head, args } = path;
  return [head.kind === "Var" ? head.name : "", ...args.map((part) => (part.kind === "String" ? part.value : ""))];
}

const hasV2 = ({ features }: Language): boolean => features.has("rego_v2") || features.has("rego_v2_import");

function checkImport(imported: Import, language: Language, refuse: Refuse): void {
  const [root, name, keyword] = partsOf(imported);
  if (root === "rego" && name === "v2" && !hasV2(language))
    refuse("invalid import, `rego.v2` is not supported by current capabilities", imported.path.span);
  if (root !== "future" || keyword === undefined) return;
  const ofVersion = imported.span.file.regoVersion === 2 ? V2_KEYWORDS : [];
  const allowed = [...new Set([...V1_KEYWORDS, ...ofVersion, ...language.futureKeywords])].sort();
  if (!allowed.includes(keyword))
    refuse(`unexpected keyword, must be one of [${allowed.join(" ")}]`, imported.path.span);
}

/** The keywords of v2 that the module has; those of a refused import are there, since the import is told of already. */
function keywordsOf(module: Module, language: Language): ReadonlySet<string> {
  const words = new Set<string>(module.span.file.regoVersion === 2 ? V2_KEYWORDS : []);
  for (const [root, name, keyword] of module.imports.map(partsOf)) {
    if (root === "rego" && name === "v2") for (const word of V2_KEYWORDS) words.add(word);
    if (root === "future" && keyword !== undefined) words.add(keyword);
    if (root === "future" && keyword === undefined) for (const word of language.futureKeywords) words.add(word);
  }
  return words;
}

function checkNode(node: Node, features: ReadonlySet<string>, keywords: ReadonlySet<string>, refuse: Refuse): void {
  if (node.kind === "TemplateString" && !features.has("template_strings"))
    refuse("template strings are not supported by current capabilities", node.span);
  // `import future.keywords` alone brings what is allowed. Without its keyword `not x` would say something else.
  const word = node.kind === "Logical" ? node.operator : node.kind === "Not" ? "not" : undefined;
  if (word !== undefined && !keywords.has(word))
    refuse(`keyword \`${word}\` is not supported by current capabilities`, node.span);
  if (node.kind === "Ref" && !features.has("keywords_in_refs")) checkParts(node, refuse);
}

/** `x.if`; `x["if"]` needs no feature. */
function checkParts({ head, args }: Ref, refuse: Refuse): void {
  const named = [...(head.kind === "Var" ? [{ word: head.name, span: head.span }] : []), ...args.flatMap(dotted)];
  for (const { word, span } of named)
    if (isKeyword(word)) refuse(`unexpected ${word} keyword: expected identifier`, span);
}

function dotted(part: Ref["args"][number]): { readonly word: string; readonly span: Span }[] {
  if (part.kind !== "String" || !/^\w/.test(part.span.file.text.slice(part.span.start))) return [];
  return [{ word: part.value, span: part.span }];
}
