/** Reads names and values out of source trees that satisfy their schema. */

import { assert, type Diagnostic, INVISIBLE, lookalike, meaning, mixedAlphabet } from "@portcullis/rego/diagnostics";
import { entryOf, type SourceNode } from "../sources/index.ts";
import { modelDiagnostic } from "./codes.ts";
import type { Named } from "./model.ts";

/** Longer lists are looked through by a map. */
const FEW = 16;

/** A loop, as it runs for every name of a policy set. */
function namedAs(names: readonly Named[], name: string): Named | undefined {
  for (const named of names) if (named.name === name) return named;
  return undefined;
}

/** Collects the findings of building; every reader reports through it. */
export class TreeReader {
  readonly diagnostics: Diagnostic[] = [];
  /** Names without a fault: the same are read a hundred thousand times. */
  private readonly sound = new Set<string>();
  /** What was found to be empty: a section is looked at for each of its fields. */
  private readonly empty = new Set<SourceNode>();

  string(node: SourceNode | undefined, key: string): string | undefined {
    const value = entryOf(node, key)?.value;
    return value?.kind === "String" ? value.value : undefined;
  }

  /** Text with its place. */
  named(node: SourceNode | undefined, key: string): Named | undefined {
    const value = entryOf(node, key)?.value;
    return value?.kind === "String" ? { name: value.value, span: value.span } : undefined;
  }

  boolean(node: SourceNode | undefined, key: string): boolean | undefined {
    const value = entryOf(node, key)?.value;
    return value?.kind === "Boolean" ? value.value : undefined;
  }

  number(node: SourceNode | undefined, key: string): number | undefined {
    const value = entryOf(node, key)?.value;
    return value?.kind === "Number" ? Number(value.text) : undefined;
  }

  /** The items of a list of mappings; none for null and absent. */
  items(node: SourceNode | undefined, key: string): readonly SourceNode[] {
    const value = entryOf(node, key)?.value;
    return value?.kind === "Sequence" ? value.items : [];
  }

  /** The id of a definition. */
  id(node: SourceNode, key: string): Named {
    const value = entryOf(node, key)?.value;
    assert(value?.kind === "String", `the schema requires ${key}`);
    const named = { name: value.value, span: value.span };
    this.checkId(named, `\`${key}\``);
    return named;
  }

  /** A list of names, without repetitions; `undefined` when the key is absent, empty when it is null. */
  names(node: SourceNode | undefined, key: string): readonly Named[] | undefined {
    const value = entryOf(node, key)?.value;
    if (value === undefined) return undefined;
    const names: Named[] = [];
    let seen: Map<string, Named> | undefined;
    for (const item of value.kind === "Sequence" ? value.items : []) {
      assert(item.kind === "String", `the schema makes ${key} a list of strings`);
      const named = { name: item.value, span: item.span };
      this.checkId(named, `an entry of \`${key}\``);
      if (names.length > FEW) seen ??= new Map(names.map((n) => [n.name, n]));
      const first = seen === undefined ? namedAs(names, named.name) : seen.get(named.name);
      if (first !== undefined) {
        const related = [{ message: "first listed here", span: first.span }];
        this.diagnostics.push(modelDiagnostic("model/repeated-entry", { name: named.name }, named.span, { related }));
        continue;
      }
      seen?.set(named.name, named);
      names.push(named);
    }
    return names;
  }

  /** What restricts has something behind its key: `null` and a comment restrict nothing, and an empty list says that it is meant. */
  checkSaid(node: SourceNode | undefined, key: string): void {
    const value = entryOf(node, key)?.value;
    if (value?.kind !== "Null" || this.empty.has(value)) return;
    this.empty.add(value);
    this.diagnostics.push(modelDiagnostic("model/nothing-behind-key", { key }, value.span));
  }

  /** A text that values of a request are compared with: a character that cannot be seen makes it another one than is read. */
  checkVisible({ name, span }: Named, what: string): void {
    const problem = invisibleIn(name);
    if (problem !== undefined) this.diagnostics.push(modelDiagnostic("model/invalid-id", { what, problem }, span));
  }

  checkId({ name, span }: Named, what: string): void {
    if (this.sound.has(name)) return;
    const problem = idProblem(name);
    if (problem !== undefined) this.diagnostics.push(modelDiagnostic("model/invalid-id", { what, problem }, span));
    const mixed = problem === undefined ? mixedAlphabet(name) : undefined;
    if (mixed === undefined) {
      if (problem === undefined) this.sound.add(name);
      return;
    }
    const params = { id: name, character: mixed.name, ascii: mixed.ascii };
    this.diagnostics.push(modelDiagnostic("model/confusable-id", params, span, meaning(lookalike(name))));
  }
}

function idProblem(name: string): string | undefined {
  if (name.trim() === "") return "empty";
  if (name.trim() !== name) return `\`${name}\`, with white space around it`;
  for (const c of name) {
    const code = c.codePointAt(0) as number;
    if (code < 0x20 || (code >= 0x7f && code < 0xa0)) return "text with a control character";
    if (code === 0xfffd) return "text with U+FFFD, which stands for whatever could not be read";
  }
  const blank = /(?! )\p{Zs}/u.exec(name)?.[0];
  return blank === undefined ? invisibleIn(name) : `text with a blank that is not a plain one, ${hex(blank)}`;
}

function invisibleIn(name: string): string | undefined {
  const found = INVISIBLE.exec(name)?.[0];
  return found === undefined ? undefined : `text with an invisible character, ${hex(found)}`;
}

/** `U+00A0` */
function hex(character: string): string {
  return `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}`;
}
