/** Whether fields with one response name can be one field, https://spec.graphql.org/October2021/#sec-Field-Selection-Merging */

import { giveUp } from "../family.ts";
import {
  type Argument,
  type ChildValue,
  type Definition,
  type Field,
  type Fragment,
  isField,
  isInline,
  namedType,
  type Selection,
  type Type,
  type Value,
  valueKinds,
} from "./ast.ts";
import type { Schema } from "./schema.ts";
import { fieldOf } from "./validate.ts";

const maxComparisons = 200_000;
/** Most parts of arguments that are compared. */
const maxParts = 5_000_000;

interface Located {
  readonly field: Field;
  readonly parent: Definition | undefined;
}

type Scope = readonly [parent: Definition | undefined, selections: readonly Selection[]];

class Merger {
  private readonly schema: Schema;
  private readonly fragments: ReadonlyMap<string, Fragment>;
  private comparisons = 0;
  private parts = 0;

  constructor(schema: Schema, fragments: ReadonlyMap<string, Fragment>) {
    this.schema = schema;
    this.fragments = fragments;
  }

  /** The fields of some scopes by response name, fragments looked into. */
  private collect(scopes: readonly Scope[]): Map<string, Located[]> {
    const found = new Map<string, Located[]>();
    const spread = new Set<string>();
    const visit = ([parent, selections]: Scope): void => {
      for (const selection of selections) {
        if (++this.comparisons > maxComparisons) giveUp("query takes too long to check");
        if (isField(selection)) {
          const name = selection.Alias || selection.Name;
          const list = found.get(name) ?? [];
          found.set(name, list);
          list.push({ field: selection, parent });
        } else if (isInline(selection)) {
          const type = selection.TypeCondition === "" ? parent : this.schema.types.get(selection.TypeCondition);
          visit([type, selection.SelectionSet]);
        } else if (!spread.has(selection.Name)) {
          spread.add(selection.Name);
          const fragment = this.fragments.get(selection.Name);
          if (fragment !== undefined) visit([this.schema.types.get(fragment.TypeCondition), fragment.SelectionSet]);
        }
      }
    };
    for (const scope of scopes) visit(scope);
    return found;
  }

  /** Whether the fields of every selection set from here on can merge. */
  everywhere(scope: Scope): boolean {
    if (!this.canMerge([scope], false)) return false;
    const [parent, selections] = scope;
    return selections.every((selection) => {
      if (isField(selection)) return this.everywhere(this.below({ field: selection, parent }));
      if (!isInline(selection)) return true;
      const type = selection.TypeCondition === "" ? parent : this.schema.types.get(selection.TypeCondition);
      return this.everywhere([type, selection.SelectionSet]);
    });
  }

  private canMerge(scopes: readonly Scope[], exclusive: boolean): boolean {
    for (const fields of this.collect(scopes).values()) {
      for (const [i, a] of fields.entries()) {
        for (const b of fields.slice(i + 1)) if (!this.pair(a, b, exclusive)) return false;
      }
    }
    return true;
  }

  private below({ field, parent }: Located): Scope {
    const known = parent && fieldOf(parent, field.Name);
    return [known && this.schema.types.get(namedType(known.Type)), field.SelectionSet];
  }

  private pair(a: Located, b: Located, exclusive: boolean): boolean {
    if (++this.comparisons > maxComparisons) giveUp("query takes too long to check");
    if (a.parent === undefined || b.parent === undefined) return true;
    const [knownA, knownB] = [fieldOf(a.parent, a.field.Name), fieldOf(b.parent, b.field.Name)];
    const apart = a.parent.Name !== b.parent.Name && a.parent.Kind === "OBJECT" && b.parent.Kind === "OBJECT";
    const separate = exclusive || (apart && knownA !== undefined && knownB !== undefined);
    if (!separate && (a.field.Name !== b.field.Name || !this.sameArguments(a.field.Arguments, b.field.Arguments)))
      return false;
    if (knownA !== undefined && knownB !== undefined && this.conflicts(knownA.Type, knownB.Type)) return false;
    return this.canMerge([this.below(a), this.below(b)], separate);
  }

  private conflicts(a: Type, b: Type): boolean {
    if (a.Elem !== undefined || b.Elem !== undefined) {
      return a.Elem === undefined || b.Elem === undefined || this.conflicts(a.Elem, b.Elem);
    }
    if (a.NonNull !== b.NonNull) return true;
    const isLeaf = (type: Type): boolean =>
      ["SCALAR", "ENUM"].includes(this.schema.types.get(type.NamedType)?.Kind ?? "");
    return isLeaf(a) && isLeaf(b) && a.NamedType !== b.NamedType;
  }

  private sameArguments(a: readonly Argument[], b: readonly Argument[]): boolean {
    return (
      a.length === b.length && a.every((x) => b.some((y) => x.Name === y.Name && this.sameValue(x.Value, y.Value)))
    );
  }

  /** The order of an object's fields does not count, that of a list does. */
  private sameValue(a: Value, b: Value): boolean {
    if (a.Kind !== b.Kind || a.Raw !== b.Raw || a.Children.length !== b.Children.length) return false;
    if ((this.parts += a.Children.length) > maxParts) giveUp("query takes too long to check");
    const ordered = (value: Value): readonly ChildValue[] =>
      value.Kind === valueKinds.object ? [...value.Children].sort(byName) : value.Children;
    const others = ordered(b);
    return ordered(a).every((x, i) => x.Name === others[i]?.Name && this.sameValue(x.Value, others[i].Value));
  }
}

const byName = (a: ChildValue, b: ChildValue): number => (a.Name < b.Name ? -1 : a.Name > b.Name ? 1 : 0);

export function fieldsCanMerge(
  schema: Schema,
  fragments: ReadonlyMap<string, Fragment>,
  parent: Definition | undefined,
  selections: readonly Selection[],
): boolean {
  return new Merger(schema, fragments).everywhere([parent, selections]);
}
