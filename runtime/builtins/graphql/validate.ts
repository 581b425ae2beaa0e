/** Whether a query may be asked of a schema, https://spec.graphql.org/October2021/#sec-Validation, rule by rule. */

import { fail } from "../family.ts";
import {
  type Argument,
  type ArgumentDefinition,
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
import { fieldsCanMerge } from "./merge-fields.ts";
import { isCompatible, type Schema } from "./schema.ts";

/** Fragments may be spread any number of times; a walk that takes more steps than this is given up. */
const maxSteps = 200_000;

const composite = new Set(["OBJECT", "INTERFACE", "UNION"]);
const builtInScalars = new Set(["Int", "Float", "String", "Boolean", "ID"]);

function distinct(names: readonly string[], what: string): void {
  if (new Set(names).size !== names.length) fail(`${what} not unique`);
}

/** The type that is expected at the position of a value. */
interface Expectation {
  readonly type: Type;
  readonly definition: Definition | undefined;
}

class Validator {
  private readonly schema: Schema;
  private readonly document: QueryDocument;
  private readonly fragments: ReadonlyMap<string, Fragment>;
  private operation: Operation | undefined;
  private readonly used = new Set<string>();
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
      if (done.has(name) || path.size > 200) return path.size > 200 ? fail("fragments nested too deep") : undefined;
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
    this.walked = new Set();
    distinct(
      operation.VariableDefinitions.map(({ Variable }) => Variable),
      "variable",
    );
    for (const variable of operation.VariableDefinitions) this.walkVariable(variable);
    this.walkDirectives(operation.Directives, kind.toUpperCase());
    this.walkSelections(root, operation.SelectionSet);
    if (kind === "subscription") this.singleField(operation);
    for (const { Variable } of operation.VariableDefinitions) if (!this.used.has(Variable)) fail("unused variable");
    this.operation = undefined;
  }

  private walkVariable(variable: VariableDefinition): void {
    const definition = this.schema.types.get(namedType(variable.Type)) ?? fail("unknown type");
    if (composite.has(definition.Kind)) fail("variable is not of an input type");
    if (variable.DefaultValue) this.walkValue(variable.DefaultValue, { type: variable.Type, definition });
    this.walkDirectives(variable.Directives, "VARIABLE_DEFINITION");
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
      directives.map(({ Name }) => Name).filter((name) => name !== "repeatable"),
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
      const { Type } = known.find(({ Name }) => Name === argument.Name) ?? fail("unknown argument");
      this.walkValue(argument.Value, { type: Type, definition: this.schema.types.get(namedType(Type)) });
    }
    for (const { Name, Type, DefaultValue } of known) {
      if (Type.NonNull && DefaultValue === undefined && !given.some((argument) => argument.Name === Name)) {
        fail("required argument is missing");
      }
    }
  }

  private walkSelections(parent: Definition, selections: readonly Selection[]): void {
    if (++this.steps > maxSteps) fail("query takes too long to check");
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
    if (++this.steps > maxSteps) fail("query takes too long to check");
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

  private walkValue(value: Value, expected: Expectation | undefined): void {
    if (value.Kind === valueKinds.variable) return this.walkVariableUse(value, expected?.type);
    if (value.Kind === valueKinds.object) {
      distinct(
        value.Children.map(({ Name }) => Name),
        "input field",
      );
      for (const child of value.Children) {
        const field = expected?.definition?.Fields.find(({ Name }) => Name === child.Name);
        this.walkValue(
          child.Value,
          field && { type: field.Type, definition: this.schema.types.get(namedType(field.Type)) },
        );
      }
    }
    if (value.Kind === valueKinds.list) {
      const elem = expected?.type.Elem;
      for (const child of value.Children)
        this.walkValue(child.Value, elem && { type: elem, definition: expected?.definition });
    }
    if (expected?.definition !== undefined) this.checkValue(value, expected.type, expected.definition);
  }

  private walkVariableUse(value: Value, expected: Type | undefined): void {
    if (this.operation === undefined) return;
    const variable =
      this.operation.VariableDefinitions.find(({ Variable }) => Variable === value.Raw) ?? fail("undefined variable");
    this.used.add(value.Raw);
    if (expected === undefined) return;
    // A variable with a default is never null, whatever its type says.
    const hasDefault = variable.DefaultValue !== undefined && variable.DefaultValue.Kind !== valueKinds.null;
    const position = hasDefault ? { ...expected, NonNull: false } : expected;
    if (!isCompatible(variable.Type, position)) fail("variable of another type");
  }

  private checkValue(value: Value, type: Type, definition: Definition): void {
    const { Name, Kind } = definition;
    if (value.Kind === valueKinds.null) return type.NonNull ? fail("null where it is not allowed") : undefined;
    if (Kind === "SCALAR" && !builtInScalars.has(Name)) return;
    const oneOf = (...names: readonly string[]): void =>
      names.includes(Name) ? undefined : fail("value of another type");
    switch (value.Kind) {
      case valueKinds.list:
        return type.Elem === undefined ? fail("list where none is expected") : undefined;
      case valueKinds.int: {
        const number = BigInt(/^-?[0-9]+$/.test(value.Raw) ? value.Raw : fail("malformed integer"));
        if (number < -(2n ** 63n) || number >= 2n ** 63n) fail("integer out of range");
        return oneOf("Int", "Float", "ID");
      }
      case valueKinds.float:
        return Number.isFinite(Number(value.Raw)) ? oneOf("Float") : fail("number out of range");
      case valueKinds.string:
      case valueKinds.block:
        return Kind === "ENUM" ? fail("text for an enum") : oneOf("String", "ID");
      case valueKinds.enum:
        return Kind === "ENUM" && definition.EnumValues.some((known) => known.Name === value.Raw)
          ? undefined
          : fail("unknown enum value");
      case valueKinds.boolean:
        return oneOf("Boolean");
      case valueKinds.object:
        return this.checkObject(value, definition);
      default:
        return fail("unknown kind of value");
    }
  }

  private checkObject(value: Value, definition: Definition): void {
    for (const field of definition.Fields) {
      const given = value.Children.some(({ Name }) => Name === field.Name);
      if (field.Type.NonNull && field.DefaultValue === undefined && !given) fail("required input field is missing");
    }
    if (definition.Directives.some(({ Name }) => Name === "oneOf")) {
      const [only] = value.Children;
      if (only === undefined || value.Children.length > 1 || only.Value.Kind === valueKinds.null)
        fail("exactly one field is needed");
      else if (only.Value.Kind === valueKinds.variable) {
        const variable = this.operation?.VariableDefinitions.find(({ Variable }) => Variable === only.Value.Raw);
        if (variable?.Type.NonNull !== true) fail("exactly one field is needed");
      }
    }
    for (const { Name } of value.Children)
      if (!definition.Fields.some((field) => field.Name === Name)) fail("unknown input field");
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
