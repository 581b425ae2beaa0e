/**
 * GraphQL documents. Fields have the names under which OPA shows them (those of the library it uses), so that a tree
 * becomes a value, and a value a tree, by its shape alone.
 */

export interface CommentGroup {
  readonly List: readonly { readonly Value: string }[];
}

export const valueKinds = {
  variable: 0,
  int: 1,
  float: 2,
  string: 3,
  block: 4,
  boolean: 5,
  null: 6,
  enum: 7,
  list: 8,
  object: 9,
} as const;

export interface Value {
  readonly Raw: string;
  readonly Children: readonly ChildValue[];
  /** One of `valueKinds`. */
  readonly Kind: number;
  readonly ExpectedTypeHasDefault: boolean;
  readonly Comment?: CommentGroup | undefined;
}

export interface ChildValue {
  readonly Name: string;
  readonly Value: Value;
  readonly Comment?: CommentGroup | undefined;
}

export interface Type {
  /** Empty for lists. */
  readonly NamedType: string;
  readonly Elem?: Type | undefined;
  readonly NonNull: boolean;
}

export interface Argument {
  readonly Name: string;
  readonly Value: Value;
  readonly Comment?: CommentGroup | undefined;
}

export interface Directive {
  readonly Name: string;
  readonly Arguments: readonly Argument[];
  readonly Location: string;
}

export interface Field {
  readonly Alias: string;
  readonly Name: string;
  readonly Arguments: readonly Argument[];
  readonly Directives: readonly Directive[];
  readonly SelectionSet: readonly Selection[];
  readonly Comment?: CommentGroup | undefined;
}

export interface InlineFragment {
  readonly TypeCondition: string;
  readonly Directives: readonly Directive[];
  readonly SelectionSet: readonly Selection[];
  readonly Comment?: CommentGroup | undefined;
}

export interface FragmentSpread {
  readonly Name: string;
  readonly Directives: readonly Directive[];
  readonly Comment?: CommentGroup | undefined;
}

export type Selection = Field | InlineFragment | FragmentSpread;

export const isField = (selection: Selection): selection is Field => "Alias" in selection;
export const isInline = (selection: Selection): selection is InlineFragment => "TypeCondition" in selection;

export interface VariableDefinition {
  readonly Variable: string;
  readonly Type: Type;
  readonly DefaultValue?: Value | undefined;
  readonly Directives: readonly Directive[];
  readonly Used: boolean;
  readonly Comment?: CommentGroup | undefined;
}

export interface Operation {
  readonly Operation: string;
  readonly Name: string;
  readonly VariableDefinitions: readonly VariableDefinition[];
  readonly Directives: readonly Directive[];
  readonly SelectionSet: readonly Selection[];
  readonly Comment?: CommentGroup | undefined;
}

export interface Fragment {
  readonly Name: string;
  readonly VariableDefinition: readonly VariableDefinition[];
  readonly TypeCondition: string;
  readonly Directives: readonly Directive[];
  readonly SelectionSet: readonly Selection[];
  readonly Comment?: CommentGroup | undefined;
}

export interface QueryDocument {
  readonly Operations: readonly Operation[];
  readonly Fragments: readonly Fragment[];
  /** Only trees that are given have one. */
  readonly Comment?: CommentGroup | undefined;
}

interface Described {
  readonly Description: string;
  readonly BeforeDescriptionComment?: CommentGroup | undefined;
  readonly AfterDescriptionComment?: CommentGroup | undefined;
}

export interface ArgumentDefinition extends Described {
  readonly Name: string;
  readonly DefaultValue?: Value | undefined;
  readonly Type: Type;
  readonly Directives: readonly Directive[];
}

export interface FieldDefinition extends ArgumentDefinition {
  readonly Arguments: readonly ArgumentDefinition[];
}

export interface EnumValueDefinition extends Described {
  readonly Name: string;
  readonly Directives: readonly Directive[];
}

export type DefinitionKind = "SCALAR" | "OBJECT" | "INTERFACE" | "UNION" | "ENUM" | "INPUT_OBJECT";

export interface Definition extends Described {
  readonly Kind: DefinitionKind;
  readonly Name: string;
  readonly Directives: readonly Directive[];
  readonly Interfaces: readonly string[];
  readonly Fields: readonly FieldDefinition[];
  readonly Types: readonly string[];
  readonly EnumValues: readonly EnumValueDefinition[];
  readonly BuiltIn: boolean;
  readonly EndOfDefinitionComment?: CommentGroup | undefined;
}

export interface DirectiveDefinition extends Described {
  readonly Name: string;
  readonly Arguments: readonly ArgumentDefinition[];
  readonly Locations: readonly string[];
  readonly IsRepeatable: boolean;
}

export interface SchemaDefinition extends Described {
  readonly Directives: readonly Directive[];
  readonly OperationTypes: readonly OperationType[];
  readonly EndOfDefinitionComment?: CommentGroup | undefined;
}

export interface OperationType {
  readonly Operation: string;
  readonly Type: string;
  readonly Comment?: CommentGroup | undefined;
}

export interface SchemaDocument {
  readonly Schema: readonly SchemaDefinition[];
  readonly SchemaExtension: readonly SchemaDefinition[];
  readonly Directives: readonly DirectiveDefinition[];
  readonly Definitions: readonly Definition[];
  readonly Extensions: readonly Definition[];
  readonly Comment?: CommentGroup | undefined;
}

/** The innermost named type; in a given tree a named type may have elements too, which do not count. */
export function namedType(type: Type): string {
  return type.NamedType !== "" || type.Elem === undefined ? type.NamedType : namedType(type.Elem);
}
