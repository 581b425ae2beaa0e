/** Whether a query may be asked of a schema, https://spec.graphql.org/October2021/#sec-Validation, rule by rule. */

import { fail, giveUp } from "../family.ts";
import {
  type Argument,
  type ArgumentDefinition,
  type ChildValue,
  type Definition,
  type Directive,
  type Field,
  type FieldDefinition,
  type Fragment,
  isField,
  isInline,
  namedType,
  type Operation,
  type QueryDocument,
  type Selection,
  type Type,
  type Value,
  type VariableDefinition,
  valueKinds,
} from "./ast.ts";
import { checkValue, isOneOf, isReadable } from "./check-value.ts";
import { fieldsCanMerge } from "./merge-fields.ts";
import { isCompatible, type Schema } from "./schema.ts";

/** Fragments may be spread any number of times; a walk that takes more steps than this is given up. */
const maxSteps = 200_000;

const composite = new Set(["OBJECT", "INTERFACE", "UNION"]);

function distinct(names: readonly string[], what: string): void {
  if (new Set(names).size !== names.length) fail(`${what} not unique`);
}

/** The type that is expected at the position of a value. */
interface Expectation {
  readonly type: Type;
  readonly definition: Definition | undefined;
  /** Whether the position has a default, so that a variable there may be null. */
  readonly hasDefault: boolean;
}

const isNotNull = (value: Value | undefined): boolean => value !== undefined && value.Kind !== valueKinds.null;

class Validator {
  private readonly schema: Schema;
  private readonly document: QueryDocument;
  private readonly fragments: ReadonlyMap<string, Fragment>;
  private operation: Operation | undefined;
  private readonly used = new Set<string>();
  /** Variables whose default has a number that cannot be read. */
  private readonly unreadable = new Set<string>();
  private readonly spread = new Set<string>();
  private walked = new Set<string>();
  private steps = 0;

  constructor(schema: Schema, document: QueryDocument) {
    this.schema = schema;
    this.document = document;
    this.fragments = new Map([...document.Fragments].reverse().map((fragment) => [fragment.Name, fragment]));
  }

  run(): void {
    const { Operations, Fragments } = this.document;
    distinct(
      Operations.map(({ Name }) => Name).filter((name) => name !== ""),
      "operation name",
    );
    distinct(
      Fragments.map(({ Name }) => Name),
      "fragment name",
    );
    if (Operations.length > 1 && Operations.some(({ Name }) => Name === "")) fail("anonymous operation beside others");
    this.refuseCycles();
    for (const operation of Operations) this.walkOperation(operation);
    const known = new Set(this.spread);
    for (const fragment of Fragments) {
      if (!known.has(fragment.Name)) fail("unused fragment");
      this.walkFragment(fragment);
    }
    const parents: (readonly [Definition | undefined, readonly Selection[]])[] = [
      ...Operations.map((o) => [this.schema.roots.get(o.Operation || "query"), o.SelectionSet] as const),
      ...Fragments.map((f) => [this.schema.types.get(f.TypeCondition), f.SelectionSet] as const),
    ];
    for (const [parent, selections] of parents) {
      if (!fieldsCanMerge(this.schema, this.fragments, parent, selections)) fail("fields cannot be merged");
    }
  }

  private refuseCycles(): void {
    const done = new Set<string>();
    const visit = (name: string, path: ReadonlySet<string>): void => {
      if (path.has(name)) fail("fragments in a cycle");
      if (done.has(name) || path.size > 200) return path.size > 200 ? giveUp("fragments nested too deep") : undefined;
      const inner = new Set([...path, name]);
      for (const next of spreadsOf(this.fragments.get(name)?.SelectionSet ?? [])) visit(next, inner);
      done.add(name);
    };
    for (const name of this.fragments.keys()) visit(name, new Set());
  }

  private walkOperation(operation: Operation): void {
    const kind = operation.Operation || "query";
    const root = this.schema.roots.get(kind) ?? fail("schema does not support the operation");
    this.operation = operation;
    this.used.clear();
    this.unreadable.clear();
    this.walked = new Set();
    distinct(
      operation.VariableDefinitions.map(({ Variable }) => Variable),
      "variable",
    );
    for (const variable of operation.VariableDefinitions) this.walkVariable(variable);
    for (const { Directives } of operation.VariableDefinitions) this.walkDirectives(Directives, "VARIABLE_DEFINITION");
    this.walkDirectives(operation.Directives, kind.toUpperCase());
    this.walkSelections(root, operation.SelectionSet);
    if (kind === "subscription") this.singleField(operation);
    for (const { Variable } of operation.VariableDefinitions) if (!this.used.has(Variable)) fail("unused variable");
    this.operation = undefined;
  }

  private walkVariable(variable: VariableDefinition): void {
    const definition = this.schema.types.get(namedType(variable.Type)) ?? fail("unknown type");
    if (composite.has(definition.Kind)) fail("variable is not of an input type");
    if (variable.DefaultValue === undefined) return;
    const expected = { type: variable.Type, definition, hasDefault: variable.DefaultValue.ExpectedTypeHasDefault };
    if (!this.walkValue(variable.DefaultValue, expected)) this.unreadable.add(variable.Variable);
  }

  private singleField(operation: Operation): void {
    const names = new Set<string>();
    const seen = new Set<string>();
    const collect = (selections: readonly Selection[]): void => {
      for (const selection of selections) {
        if (isField(selection)) names.add(selection.Name);
        else if (isInline(selection)) collect(selection.SelectionSet);
        else if (!seen.has(selection.Name)) {
          seen.add(selection.Name);
          collect(this.fragments.get(selection.Name)?.SelectionSet ?? []);
        }
      }
    };
    collect(operation.SelectionSet);
    if (names.size > 1 || [...names].some((name) => name.startsWith("__"))) fail("subscription to more than one field");
  }

  private walkFragment(fragment: Fragment): void {
    this.walked = new Set();
    const type = this.schema.types.get(fragment.TypeCondition) ?? fail("unknown type");
    if (!composite.has(type.Kind)) fail("fragment on a type without fields");
    this.walkDirectives(fragment.Directives, "FRAGMENT_DEFINITION");
    this.walkSelections(type, fragment.SelectionSet);
  }

  private walkDirectives(directives: readonly Directive[], location: string): void {
    distinct(
      directives.map(({ Name }) => Name).filter((name) => this.schema.directives.get(name)?.IsRepeatable !== true),
      "directive",
    );
    for (const directive of directives) {
      const known = this.schema.directives.get(directive.Name) ?? fail("unknown directive");
      if (!known.Locations.includes(location)) fail("directive at the wrong place");
      this.walkArguments(directive.Arguments, known.Arguments);
    }
  }

  private walkArguments(given: readonly Argument[], known: readonly ArgumentDefinition[]): void {
    distinct(
      given.map(({ Name }) => Name),
      "argument",
    );
    for (const argument of given) {
      const definition = known.find(({ Name }) => Name === argument.Name) ?? fail("unknown argument");
      this.walkValue(argument.Value, this.expectationOf(definition));
    }
    for (const { Name, Type, DefaultValue } of known) {
      if (Type.NonNull && DefaultValue === undefined && !given.some((argument) => argument.Name === Name)) {
        fail("required argument is missing");
      }
    }
  }

  private walkSelections(parent: Definition, selections: readonly Selection[]): void {
    if (++this.steps > maxSteps) giveUp("query takes too long to check");
    for (const selection of selections) {
      if (isField(selection)) this.walkField(parent, selection);
      else if (isInline(selection)) {
        const name = selection.TypeCondition;
        const type = name === "" ? parent : this.typeForFragment(parent, name);
        this.walkDirectives(selection.Directives, "INLINE_FRAGMENT");
        this.walkSelections(type, selection.SelectionSet);
      } else {
        const fragment = this.fragments.get(selection.Name) ?? fail("unknown fragment");
        this.spread.add(selection.Name);
        const type = this.typeForFragment(parent, fragment.TypeCondition);
        this.walkDirectives(selection.Directives, "FRAGMENT_SPREAD");
        if (!this.walked.has(selection.Name)) {
          this.walked.add(selection.Name);
          this.walkDirectives(fragment.Directives, "FRAGMENT_DEFINITION");
          this.walkSelections(type, fragment.SelectionSet);
        }
      }
    }
  }

  /** The type of a fragment, which must be one that values of the parent's type can have. */
  private typeForFragment(parent: Definition, name: string): Definition {
    const type = this.schema.types.get(name) ?? fail("unknown type");
    if (!composite.has(type.Kind)) fail("fragment on a type without fields");
    const possible = this.schema.possible.get(name) ?? [];
    const above = parent.Kind === "OBJECT" ? [parent] : (this.schema.possible.get(parent.Name) ?? []);
    return possible.some((a) => above.some((b) => a.Name === b.Name)) ? type : fail("fragment can never apply");
  }

  private walkField(parent: Definition, field: Field): void {
    const known = fieldOf(parent, field.Name) ?? fail("unknown field");
    this.walkArguments(field.Arguments, known.Arguments);
    this.walkDirectives(field.Directives, "FIELD");
    const type = this.schema.types.get(namedType(known.Type)) ?? fail("unknown type");
    const isLeaf = type.Kind === "SCALAR" || type.Kind === "ENUM";
    if (isLeaf !== (field.SelectionSet.length === 0)) fail("selections of a leaf, or none of a type with fields");
    if (field.Name === "__schema" || field.Name === "__type")
      this.checkIntrospection(field.SelectionSet, 0, new Set([field.Name]));
    this.walkSelections(type, field.SelectionSet);
  }

  /** Introspection may not ask for lists of lists of lists of types. */
  private checkIntrospection(selections: readonly Selection[], depth: number, path: ReadonlySet<string>): void {
    if (++this.steps > maxSteps) giveUp("query takes too long to check");
    for (const selection of selections) {
      if (isField(selection)) {
        const deeper =
          depth + (["fields", "interfaces", "possibleTypes", "inputFields"].includes(selection.Name) ? 1 : 0);
        if (deeper >= 3) fail("introspection too deep");
        this.checkIntrospection(selection.SelectionSet, deeper, path);
      } else if (isInline(selection)) this.checkIntrospection(selection.SelectionSet, depth, path);
      else if (!path.has(`...${selection.Name}`)) {
        const inner = this.fragments.get(selection.Name)?.SelectionSet ?? [];
        this.checkIntrospection(inner, depth, new Set([...path, `...${selection.Name}`]));
      }
    }
  }

  /** Checks a value, and answers whether all numbers in it can be read. */
  private walkValue(value: Value, expected: Expectation | undefined): boolean {
    if (value.Kind === valueKinds.variable) return this.walkVariableUse(value, expected);
    let readable = isReadable(value);
    if (value.Kind === valueKinds.object || value.Kind === valueKinds.list) {
      for (const child of value.Children)
        if (!this.walkValue(child.Value, this.expectedOf(value, child, expected))) readable = false;
    }
    if (value.Kind === valueKinds.object) {
      distinct(
        value.Children.map(({ Name }) => Name),
        "input field",
      );
      if (expected?.definition !== undefined && isOneOf(expected.definition)) this.refuseNullable(value.Children);
    }
    if (expected?.definition !== undefined) checkValue(value, expected.type, expected.definition, readable);
    return readable;
  }

  /** What is expected of a part of a list or an object. */
  private expectedOf(value: Value, child: ChildValue, expected: Expectation | undefined): Expectation | undefined {
    if (value.Kind === valueKinds.object) {
      const field = expected?.definition?.Fields.find(({ Name }) => Name === child.Name);
      return field && this.expectationOf(field);
    }
    const elem = expected?.type.Elem;
    const hasDefault = child.Value.ExpectedTypeHasDefault;
    return elem && { type: elem, definition: expected?.definition, hasDefault };
  }

  private expectationOf({ Type, DefaultValue }: ArgumentDefinition): Expectation {
    const definition = this.schema.types.get(namedType(Type));
    return { type: Type, definition, hasDefault: isNotNull(DefaultValue) };
  }

  private variableOf(value: Value): VariableDefinition | undefined {
    return this.operation?.VariableDefinitions.find(({ Variable }) => Variable === value.Raw);
  }

  /** Variables for the one field of an input object must have a value. */
  private refuseNullable(children: readonly ChildValue[]): void {
    for (const { Value } of children) {
      const variable = Value.Kind === valueKinds.variable ? this.variableOf(Value) : undefined;
      if (variable?.Type.NonNull === false) fail("variable for one field of many may be null");
    }
  }

  private walkVariableUse(value: Value, expected: Expectation | undefined): boolean {
    if (this.operation === undefined) return true;
    const variable = this.variableOf(value) ?? fail("undefined variable");
    this.used.add(value.Raw);
    if (expected !== undefined) {
      // A variable with a default is never null, whatever its type says; a position with one takes null.
      const nullable = isNotNull(variable.DefaultValue) || expected.hasDefault;
      const position = nullable ? { ...expected.type, NonNull: false } : expected.type;
      if (!isCompatible(variable.Type, position)) fail("variable of another type");
      if (expected.definition !== undefined) {
        checkValue(value, expected.type, expected.definition, !this.unreadable.has(value.Raw));
      }
    }
    return !this.unreadable.has(value.Raw);
  }
}

function spreadsOf(selections: readonly Selection[]): string[] {
  return selections.flatMap((selection) => {
    if (isField(selection) || isInline(selection)) return spreadsOf(selection.SelectionSet);
    return [selection.Name];
  });
}

const typename: FieldDefinition = {
  Description: "",
  Name: "__typename",
  Arguments: [],
  Type: { NamedType: "String", NonNull: false },
  Directives: [],
};

export function fieldOf(parent: Definition, name: string): FieldDefinition | undefined {
  return name === "__typename" ? typename : parent.Fields.find(({ Name }) => Name === name);
}

/** A builtin error where the query breaks a rule. */
export function checkQuery(schema: Schema, document: QueryDocument): void {
  new Validator(schema, document).run();
}
