/** Trees as values and back. OPA leaves empty members out of a tree. */

import {
  emptyObject,
  HostNumber,
  int,
  isArray,
  isObject,
  type JsonLike,
  type JsonObject,
  plain,
  plainInt64,
} from "@portcullis/runtime/host";
import { BuiltinError, fail } from "../family.ts";
import type {
  Argument,
  ArgumentDefinition,
  ChildValue,
  CommentGroup,
  Definition,
  DefinitionKind,
  Directive,
  DirectiveDefinition,
  EnumValueDefinition,
  FieldDefinition,
  Fragment,
  Operation,
  OperationType,
  QueryDocument,
  SchemaDefinition,
  SchemaDocument,
  Selection,
  Type,
  Value,
  VariableDefinition,
} from "./ast.ts";

/** The value of a tree; undefined for an empty one. */
export function treeValue(node: unknown): JsonLike | undefined {
  if (typeof node === "string" || typeof node === "boolean") return node;
  if (typeof node === "number") return int(node);
  if (Array.isArray(node)) {
    const items = node.map(treeValue).filter((item) => item !== undefined);
    return items.length === 0 ? undefined : items;
  }
  if (typeof node !== "object" || node === null) return undefined;
  const fields = Object.entries(node).map(([name, value]) => [name, treeValue(value)] as const);
  const kept = fields.filter((field): field is readonly [string, JsonLike] => field[1] !== undefined);
  return kept.length === 0 ? undefined : new Map<JsonLike, JsonLike>(kept);
}

/** Reads the fields of a tree given as a value: absent ones are empty, ones of another type are an error. */
class ObjectReader {
  private readonly node: JsonObject;

  constructor(node: JsonLike | undefined) {
    this.node = isObject(node) ? node : fail("object expected in a tree");
  }

  text(name: string): string {
    const value = this.node.get(name) ?? "";
    return typeof value === "string" ? value : fail(`${name} must be a string`);
  }

  flag(name: string): boolean {
    const value = this.node.get(name) ?? false;
    return typeof value === "boolean" ? value : fail(`${name} must be a boolean`);
  }

  number(name: string): number {
    const value = this.node.get(name) ?? int(0);
    const number = value instanceof HostNumber ? plainInt64(value.text) : undefined;
    return number === undefined ? fail(`${name} must be an integer`) : Number(number);
  }

  list<T>(name: string, read: (item: JsonLike) => T): readonly T[] {
    const value = this.node.get(name) ?? [];
    return isArray(value) ? value.map(read) : fail(`${name} must be an array`);
  }

  texts(name: string): readonly string[] {
    return this.list(name, (item) => {
      const value = item ?? "";
      return typeof value === "string" ? value : fail(`${name} must be strings`);
    });
  }

  child<T>(name: string, read: (item: JsonLike) => T): T {
    return read(this.node.get(name) ?? fail(`${name} is missing`));
  }

  /** A position is not shown, but it must be one. */
  position(): void {
    this.optional("Position", (node) => {
      for (const name of ["Start", "End", "Line", "Column"]) new ObjectReader(node).number(name);
    });
  }

  comment(name: string): CommentGroup | undefined {
    return this.optional(name, (group) => ({
      List: new ObjectReader(group).list("List", (item) => ({ Value: new ObjectReader(item).text("Value") })),
    }));
  }

  /** The comments of what can have a description. */
  comments(): Pick<Definition, "BeforeDescriptionComment" | "AfterDescriptionComment"> {
    return {
      BeforeDescriptionComment: this.comment("BeforeDescriptionComment"),
      AfterDescriptionComment: this.comment("AfterDescriptionComment"),
    };
  }

  optional<T>(name: string, read: (item: JsonLike) => T): T | undefined {
    const value = this.node.get(name) ?? null;
    return value === null ? undefined : read(value);
  }
}

function readValue(node: JsonLike): Value {
  const r = new ObjectReader(node);
  return {
    Raw: r.text("Raw"),
    Children: r.list("Children", readChild),
    Kind: r.number("Kind"),
    ExpectedTypeHasDefault: r.flag("ExpectedTypeHasDefault"),
    Comment: r.comment("Comment"),
  };
}

function readChild(node: JsonLike): ChildValue {
  const r = new ObjectReader(node);
  return { Name: r.text("Name"), Value: r.child("Value", readValue), Comment: r.comment("Comment") };
}

const readArgument = (node: JsonLike): Argument => readChild(node);

function readDirective(node: JsonLike): Directive {
  const r = new ObjectReader(node);
  return { Name: r.text("Name"), Arguments: r.list("Arguments", readArgument), Location: r.text("Location") };
}

function readType(node: JsonLike): Type {
  const r = new ObjectReader(node);
  const elem = r.optional("Elem", readType);
  return { NamedType: r.text("NamedType"), ...(elem === undefined ? {} : { Elem: elem }), NonNull: r.flag("NonNull") };
}

/** OPA takes a selection of a tree for a field, then for a spread, then for an inline fragment, and leaves out anything else. */
function readSelection(node: JsonLike): Selection | undefined {
  const r = attempt(() => new ObjectReader(node === null ? emptyObject : node));
  if (r === undefined) return undefined;
  const below = attempt(() => {
    r.position();
    return readSelections(r);
  });
  const directives = attempt(() => r.list("Directives", readDirective));
  if (directives === undefined) return undefined;
  const field = attempt(() => ({
    Alias: r.text("Alias"),
    Name: r.text("Name"),
    Arguments: r.list("Arguments", readArgument),
    Directives: directives,
    SelectionSet: below ?? fail("SelectionSet must be an array"),
  }));
  const spread = (): Selection => ({
    Name: r.text("Name"),
    Directives: directives,
    Comment: r.comment("Comment"),
  });
  const inline = (): Selection => ({
    TypeCondition: r.text("TypeCondition"),
    Directives: directives,
    SelectionSet: below ?? fail("SelectionSet must be an array"),
  });
  return field ?? attempt(spread) ?? attempt(inline);
}

function readSelections(r: ObjectReader): readonly Selection[] {
  return r.list("SelectionSet", readSelection).filter((selection) => selection !== undefined);
}

function attempt<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if (error instanceof BuiltinError) return undefined;
    throw error;
  }
}

function readVariable(node: JsonLike): VariableDefinition {
  const r = new ObjectReader(node);
  return {
    Variable: r.text("Variable"),
    Type: r.child("Type", readType),
    DefaultValue: r.optional("DefaultValue", readValue),
    Directives: r.list("Directives", readDirective),
    Used: r.flag("Used"),
    Comment: r.comment("Comment"),
  };
}

function readOperation(node: JsonLike): Operation {
  const r = new ObjectReader(node);
  r.position();
  return {
    Operation: r.text("Operation"),
    Name: r.text("Name"),
    VariableDefinitions: r.list("VariableDefinitions", readVariable),
    Directives: r.list("Directives", readDirective),
    SelectionSet: readSelections(r),
  };
}

function readFragment(node: JsonLike): Fragment {
  const r = new ObjectReader(node);
  r.position();
  return {
    Name: r.text("Name"),
    VariableDefinition: r.list("VariableDefinition", readVariable),
    TypeCondition: r.text("TypeCondition"),
    Directives: r.list("Directives", readDirective),
    SelectionSet: readSelections(r),
  };
}

export function readQueryTree(value: JsonLike): QueryDocument {
  const r = new ObjectReader(plain(value));
  return {
    Operations: r.list("Operations", readOperation),
    Fragments: r.list("Fragments", readFragment),
    Comment: r.comment("Comment"),
  };
}

function readArgumentDefinition(node: JsonLike): ArgumentDefinition {
  const r = new ObjectReader(node);
  return {
    Description: r.text("Description"),
    Name: r.text("Name"),
    DefaultValue: r.optional("DefaultValue", readValue),
    Type: r.child("Type", readType),
    Directives: r.list("Directives", readDirective),
    ...r.comments(),
  };
}

function readField(node: JsonLike): FieldDefinition {
  return {
    ...readArgumentDefinition(node),
    Arguments: new ObjectReader(node).list("Arguments", readArgumentDefinition),
  };
}

function readEnumValue(node: JsonLike): EnumValueDefinition {
  const r = new ObjectReader(node);
  const Directives = r.list("Directives", readDirective);
  return { Description: r.text("Description"), Name: r.text("Name"), Directives, ...r.comments() };
}

function readDefinition(node: JsonLike): Definition {
  const r = new ObjectReader(node);
  return {
    Kind: r.text("Kind") as DefinitionKind,
    Description: r.text("Description"),
    Name: r.text("Name"),
    Directives: r.list("Directives", readDirective),
    Interfaces: r.texts("Interfaces"),
    Fields: r.list("Fields", readField),
    Types: r.texts("Types"),
    EnumValues: r.list("EnumValues", readEnumValue),
    BuiltIn: r.flag("BuiltIn"),
    ...r.comments(),
    EndOfDefinitionComment: r.comment("EndOfDefinitionComment"),
  };
}

function readDirectiveDefinition(node: JsonLike): DirectiveDefinition {
  const r = new ObjectReader(node);
  return {
    Description: r.text("Description"),
    Name: r.text("Name"),
    Arguments: r.list("Arguments", readArgumentDefinition),
    Locations: r.texts("Locations"),
    IsRepeatable: r.flag("IsRepeatable"),
    ...r.comments(),
  };
}

function readOperationType(node: JsonLike): OperationType {
  const r = new ObjectReader(node);
  return { Operation: r.text("Operation"), Type: r.text("Type"), Comment: r.comment("Comment") };
}

function readSchemaDefinition(node: JsonLike): SchemaDefinition {
  const r = new ObjectReader(node);
  return {
    Description: r.text("Description"),
    Directives: r.list("Directives", readDirective),
    OperationTypes: r.list("OperationTypes", readOperationType),
    ...r.comments(),
    EndOfDefinitionComment: r.comment("EndOfDefinitionComment"),
  };
}

export function readSchemaTree(value: JsonLike): SchemaDocument {
  const r = new ObjectReader(plain(value));
  return {
    Schema: r.list("Schema", readSchemaDefinition),
    SchemaExtension: r.list("SchemaExtension", readSchemaDefinition),
    Directives: r.list("Directives", readDirectiveDefinition),
    Definitions: r.list("Definitions", readDefinition),
    Extensions: r.list("Extensions", readDefinition),
    Comment: r.comment("Comment"),
  };
}
