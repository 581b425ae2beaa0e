/** From a schema document to the types it describes, checked as far as OPA's library checks them. */

import { fail } from "../family.ts";
import {
  type ArgumentDefinition,
  type Definition,
  type Directive,
  type DirectiveDefinition,
  namedType,
  type SchemaDefinition,
  type SchemaDocument,
  type Type,
  valueKinds,
} from "./ast.ts";
import { refuseInputCycles } from "./input-cycles.ts";
import { parseSchema } from "./parse-schema.ts";
import { prelude } from "./prelude.ts";

export interface Schema {
  readonly types: ReadonlyMap<string, Definition>;
  readonly directives: ReadonlyMap<string, DirectiveDefinition>;
  readonly roots: ReadonlyMap<string, Definition>;
  /** The types that a value of a type can be of: the type itself for objects. */
  readonly possible: ReadonlyMap<string, readonly Definition[]>;
}

const redefinable = new Set(["include", "skip", "deprecated", "specifiedBy", "defer", "oneOf"]);

function merge(base: Definition, extension: Definition): Definition {
  if (base.Kind !== extension.Kind) fail("extension of another kind");
  return {
    ...base,
    Directives: [...base.Directives, ...extension.Directives],
    Interfaces: [...base.Interfaces, ...extension.Interfaces],
    Fields: [...base.Fields, ...extension.Fields],
    Types: [...base.Types, ...extension.Types],
    EnumValues: [...base.EnumValues, ...extension.EnumValues],
  };
}

function collectTypes(doc: SchemaDocument): Map<string, Definition> {
  const types = new Map<string, Definition>();
  for (const definition of doc.Definitions) {
    if (types.has(definition.Name)) fail("type declared twice");
    types.set(definition.Name, definition);
  }
  for (const extension of doc.Extensions) {
    const base = types.get(extension.Name);
    types.set(
      extension.Name,
      base === undefined ? { ...extension, Description: "", BuiltIn: false } : merge(base, extension),
    );
  }
  return types;
}

function collectPossible(types: ReadonlyMap<string, Definition>): Map<string, Definition[]> {
  const possible = new Map<string, Definition[]>();
  const add = (name: string, type: Definition | undefined): void => {
    const list = possible.get(name) ?? [];
    possible.set(name, list);
    if (type !== undefined) list.push(type);
  };
  for (const type of types.values()) {
    for (const member of type.Types) add(type.Name, types.get(member));
    for (const name of type.Interfaces) add(name, type);
    if (type.Kind === "OBJECT" || type.Kind === "INPUT_OBJECT") add(type.Name, type);
  }
  return possible;
}

/** Names that begin with two underscores belong to introspection. */
function checkName(name: string): void {
  if (name.startsWith("__")) fail("reserved name");
}

function refuseTwice(named: readonly { readonly Name: string }[], reason: string): void {
  if (new Set(named.map(({ Name }) => Name)).size !== named.length) fail(reason);
}

class Checker {
  private readonly types: ReadonlyMap<string, Definition>;
  private readonly directives: ReadonlyMap<string, DirectiveDefinition>;
  private readonly possible: ReadonlyMap<string, readonly Definition[]>;

  constructor(types: Checker["types"], directives: Checker["directives"], possible: Checker["possible"]) {
    this.types = types;
    this.directives = directives;
    this.possible = possible;
  }

  private typeOf(type: Type): Definition {
    return this.types.get(namedType(type)) ?? fail("undefined type");
  }

  /** Directives that stand at one place. */
  applied(directives: readonly Directive[], location: string, within?: DirectiveDefinition): void {
    this.used(directives, location, within);
    const single = directives.filter(({ Name }) => this.directives.get(Name)?.IsRepeatable !== true);
    refuseTwice(single, "directive used twice");
  }

  /** A type's directives may stand at it and at each of its extensions: here one may come twice. */
  private used(directives: readonly Directive[], location: string, within?: DirectiveDefinition): void {
    for (const directive of directives) {
      checkName(directive.Name);
      if (directive.Name === within?.Name) fail("directive refers to itself");
      const known = this.directives.get(directive.Name) ?? fail("undefined directive");
      if (!known.Locations.includes(location)) fail("directive at the wrong place");
      for (const argument of directive.Arguments) {
        if (!known.Arguments.some(({ Name }) => Name === argument.Name)) fail("undefined argument of a directive");
      }
      for (const needed of known.Arguments) {
        const given = directive.Arguments.find(({ Name }) => Name === needed.Name);
        const missing = given === undefined || given.Value.Kind === valueKinds.null;
        if (needed.Type.NonNull && needed.DefaultValue === undefined && missing)
          fail("argument of a directive is missing");
      }
    }
  }

  private argumentsOf(definitions: readonly ArgumentDefinition[], within?: DirectiveDefinition): void {
    for (const argument of definitions) {
      checkName(argument.Name);
      if (!["SCALAR", "ENUM", "INPUT_OBJECT"].includes(this.typeOf(argument.Type).Kind)) fail("not an input type");
      this.applied(argument.Directives, "ARGUMENT_DEFINITION", within);
    }
  }

  directive(definition: DirectiveDefinition): void {
    checkName(definition.Name);
    this.argumentsOf(definition.Arguments, definition);
  }

  definition(type: Definition): void {
    this.fields(type);
    refuseTwice(type.EnumValues, "enum value defined twice");
    if (new Set(type.Types).size !== type.Types.length) fail("union member named twice");
    for (const member of type.Types) if (this.types.get(member)?.Kind !== "OBJECT") fail("union member is no object");
    for (const name of type.Interfaces) this.implementation(type, name);
    if (["OBJECT", "INTERFACE", "INPUT_OBJECT"].includes(type.Kind) && type.Fields.length === 0)
      fail("type without fields");
    if (type.Kind === "ENUM") this.enumeration(type);
    if (!type.BuiltIn) checkName(type.Name);
    this.used(type.Directives, type.Kind);
  }

  private fields(type: Definition): void {
    const isInput = type.Kind === "INPUT_OBJECT";
    for (const field of type.Fields) {
      checkName(field.Name);
      const { Kind } = this.typeOf(field.Type);
      this.argumentsOf(field.Arguments);
      this.applied(field.Directives, isInput ? "INPUT_FIELD_DEFINITION" : "FIELD_DEFINITION");
      const allowed = isInput ? ["SCALAR", "ENUM", "INPUT_OBJECT"] : ["SCALAR", "OBJECT", "INTERFACE", "UNION", "ENUM"];
      if ((isInput || type.Kind === "OBJECT" || type.Kind === "INTERFACE") && !allowed.includes(Kind))
        fail("field of the wrong kind");
    }
    refuseTwice(type.Fields, "field defined twice");
  }

  private enumeration(type: Definition): void {
    if (type.EnumValues.length === 0) fail("enum without values");
    for (const value of type.EnumValues) {
      if (["true", "false", "null"].includes(value.Name)) fail("reserved enum value");
      this.applied(value.Directives, "ENUM_VALUE");
    }
  }

  private implementation(type: Definition, name: string): void {
    const contract = this.types.get(name);
    if (contract?.Kind !== "INTERFACE") return fail("not an interface");
    for (const required of contract.Fields) {
      const found = type.Fields.find(({ Name }) => Name === required.Name) ?? fail("field of an interface is missing");
      if (!this.isCovariant(required.Type, found.Type)) fail("field of an interface has another type");
      for (const argument of required.Arguments) {
        const same = found.Arguments.find(({ Name }) => Name === argument.Name);
        if (same === undefined || !isCompatible(argument.Type, same.Type)) fail("argument of an interface is missing");
      }
      for (const argument of found.Arguments) {
        const added = !required.Arguments.some(({ Name }) => Name === argument.Name);
        if (added && argument.Type.NonNull && argument.DefaultValue === undefined)
          fail("added argument must be optional");
      }
    }
    for (const above of contract.Interfaces)
      if (!type.Interfaces.includes(above)) fail("interface of an interface is missing");
  }

  private isCovariant(required: Type, actual: Type): boolean {
    if (required.NonNull && !actual.NonNull) return false;
    if (required.NamedType !== "") {
      if (required.NamedType === actual.NamedType) return true;
      return this.possible.get(required.NamedType)?.some(({ Name }) => Name === actual.NamedType) ?? false;
    }
    if (required.Elem === undefined || actual.Elem === undefined) return false;
    return this.isCovariant(required.Elem, actual.Elem);
  }
}

/** Whether a value of one type can stand where another is expected. */
export function isCompatible(type: Type, expected: Type): boolean {
  if (type.NamedType !== expected.NamedType) return false;
  if (type.Elem !== undefined && (expected.Elem === undefined || !isCompatible(type.Elem, expected.Elem))) return false;
  return !expected.NonNull || type.NonNull;
}

/** The prelude is parsed once: nothing changes a tree. */
let builtIn: SchemaDocument | undefined;

function withPrelude(doc: SchemaDocument): SchemaDocument {
  builtIn ??= parseSchema(prelude, true);
  return {
    Schema: doc.Schema,
    SchemaExtension: doc.SchemaExtension,
    Directives: [...builtIn.Directives, ...doc.Directives],
    Definitions: [...builtIn.Definitions, ...doc.Definitions],
    Extensions: doc.Extensions,
  };
}

function addIntrospection(roots: Map<string, Definition>, types: Map<string, Definition>): void {
  const query = roots.get("query");
  if (query === undefined) return;
  const common = { Description: "", Directives: [] };
  const named = (NamedType: string, NonNull: boolean): Type => ({ NamedType, NonNull });
  const name = { ...common, Name: "name", Type: named("String", true) };
  const fields = [
    { ...common, Name: "__schema", Arguments: [], Type: named("__Schema", true) },
    { ...common, Name: "__type", Arguments: [name], Type: named("__Type", false) },
  ];
  const extended = { ...query, Fields: [...query.Fields, ...fields] };
  for (const [operation, root] of roots) if (root === query) roots.set(operation, extended);
  types.set(query.Name, extended);
}

/** The schema of a document; a builtin error for one that is not valid. */
export function buildSchema(document: SchemaDocument): Schema {
  const doc = withPrelude(document);
  const types = collectTypes(doc);
  const possible = collectPossible(types);
  const directives = new Map<string, DirectiveDefinition>();
  for (const directive of doc.Directives) {
    if (directives.has(directive.Name) && !redefinable.has(directive.Name)) fail("directive declared twice");
    directives.set(directive.Name, directive);
  }
  const checker = new Checker(types, directives, possible);
  const roots = new Map<string, Definition>();
  const enter = (definition: SchemaDefinition): void => {
    for (const { Operation, Type } of definition.OperationTypes)
      roots.set(Operation, types.get(Type) ?? fail("undefined root type"));
    checker.applied(definition.Directives, "SCHEMA");
  };
  if (doc.Schema.length > 1) fail("schema defined twice");
  for (const definition of [...doc.Schema, ...doc.SchemaExtension]) enter(definition);
  for (const type of types.values()) checker.definition(type);
  refuseInputCycles(types);
  for (const directive of directives.values()) checker.directive(directive);
  if (doc.Schema.length === 0) {
    for (const [operation, name] of [
      ["query", "Query"],
      ["mutation", "Mutation"],
      ["subscription", "Subscription"],
    ] as const) {
      const type = types.get(name);
      if (type !== undefined && !roots.has(operation)) roots.set(operation, type);
    }
  }
  addIntrospection(roots, types);
  return { types, directives, roots, possible };
}
