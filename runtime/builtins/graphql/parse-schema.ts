/** Type system documents, https://spec.graphql.org/October2021/#sec-Type-System */

import { fail } from "../family.ts";
import type {
  ArgumentDefinition,
  CommentGroup,
  Definition,
  DefinitionKind,
  DirectiveDefinition,
  EnumValueDefinition,
  FieldDefinition,
  OperationType,
  SchemaDefinition,
  SchemaDocument,
} from "./ast.ts";
import { Parser } from "./parser.ts";

interface Described {
  readonly Description: string;
  readonly BeforeDescriptionComment: CommentGroup | undefined;
}

const kinds: ReadonlyMap<string, DefinitionKind> = new Map([
  ["scalar", "SCALAR"],
  ["type", "OBJECT"],
  ["interface", "INTERFACE"],
  ["union", "UNION"],
  ["enum", "ENUM"],
  ["input", "INPUT_OBJECT"],
]);

const locations = new Set(
  (
    "QUERY MUTATION SUBSCRIPTION FIELD FRAGMENT_DEFINITION FRAGMENT_SPREAD INLINE_FRAGMENT VARIABLE_DEFINITION SCHEMA SCALAR " +
    "OBJECT FIELD_DEFINITION ARGUMENT_DEFINITION INTERFACE UNION ENUM ENUM_VALUE INPUT_OBJECT INPUT_FIELD_DEFINITION"
  ).split(" "),
);

type Writable<T> = { -readonly [K in keyof T]: T[K] extends readonly (infer U)[] ? U[] : T[K] };

class SchemaParser extends Parser {
  private readonly builtIn: boolean;

  constructor(text: string, builtIn: boolean) {
    super(text);
    this.builtIn = builtIn;
  }

  document(): SchemaDocument {
    const doc: Writable<SchemaDocument> = {
      Schema: [],
      SchemaExtension: [],
      Directives: [],
      Definitions: [],
      Extensions: [],
    };
    while (!this.at("END")) {
      const described = this.description();
      const word = this.peek().value;
      const kind = kinds.get(word);
      if (!this.at("NAME")) fail("definition expected");
      if (kind !== undefined) doc.Definitions.push(this.definition(kind, described));
      else if (word === "schema") doc.Schema.push(this.schema(described));
      else if (word === "directive") doc.Directives.push(this.directiveDefinition(described));
      else if (word === "extend" && described.Description === "") this.extension(doc);
      else fail("definition expected");
    }
    doc.Comment = this.comment();
    return doc;
  }

  private description(): Described {
    if (!this.at("STRING") && !this.at("BLOCK")) return { Description: "", BeforeDescriptionComment: undefined };
    const comment = this.comment();
    return { Description: this.next().value, BeforeDescriptionComment: comment };
  }

  /** A description in front of a member; an empty one does not count. */
  private memberDescription(): Described & { readonly AfterDescriptionComment: CommentGroup | undefined } {
    const described = this.description();
    const { Description, BeforeDescriptionComment } = described;
    this.peek();
    const after = this.comment();
    return {
      Description,
      BeforeDescriptionComment: Description === "" ? undefined : BeforeDescriptionComment,
      AfterDescriptionComment: after,
    };
  }

  private keyword(word: string): CommentGroup | undefined {
    this.peek();
    const comment = this.comment();
    this.expect("NAME", word);
    return comment;
  }

  private schema(described: Described): SchemaDefinition {
    const after = this.keyword("schema");
    const Directives = this.directives(true);
    const { items, comment } = this.some("{", "}", () => this.operationType());
    return {
      ...described,
      AfterDescriptionComment: after,
      Directives,
      OperationTypes: items,
      EndOfDefinitionComment: comment,
    };
  }

  private operationType(): OperationType {
    this.peek();
    const Comment = this.comment();
    const Operation = this.name();
    if (!["query", "mutation", "subscription"].includes(Operation)) fail("operation expected");
    this.expect(":");
    return { Operation, Type: this.name(), Comment };
  }

  private definition(kind: DefinitionKind, described: Described): Definition {
    const word = [...kinds].find(([, known]) => known === kind)?.[0] as string;
    return { ...this.body(kind, this.keyword(word)), ...described };
  }

  /** Everything after the keyword of a definition. */
  private body(Kind: DefinitionKind, after: CommentGroup | undefined, extending = false): Definition {
    const Name = this.name();
    const implementing = Kind === "OBJECT" || (Kind === "INTERFACE" && !extending);
    const Interfaces = implementing && this.at("NAME", "implements") ? this.interfaces() : [];
    const Directives = this.directives(true);
    const composite = Kind === "OBJECT" || Kind === "INTERFACE";
    const fields = composite ? this.some("{", "}", () => this.field()) : { items: [], comment: undefined };
    const inputs =
      Kind === "INPUT_OBJECT" ? this.some("{", "}", () => this.input()) : { items: [], comment: undefined };
    const values = Kind === "ENUM" ? this.some("{", "}", () => this.enumValue()) : { items: [], comment: undefined };
    return {
      Kind,
      Description: "",
      Name,
      Directives,
      Interfaces,
      Fields: [...fields.items, ...inputs.items],
      Types: Kind === "UNION" ? this.members() : [],
      EnumValues: values.items,
      BuiltIn: this.builtIn,
      AfterDescriptionComment: after,
      EndOfDefinitionComment: fields.comment ?? inputs.comment ?? values.comment,
    };
  }

  private interfaces(): readonly string[] {
    this.expect("NAME", "implements");
    this.skip("&");
    const names = [this.name()];
    while (this.skip("&")) names.push(this.name());
    return names;
  }

  private members(): readonly string[] {
    if (!this.skip("=")) return [];
    this.skip("|");
    const names = [this.name()];
    while (this.skip("|")) names.push(this.name());
    return names;
  }

  private field(): FieldDefinition {
    const described = this.memberDescription();
    const Name = this.name();
    const Arguments = this.argumentDefinitions();
    this.expect(":");
    const Type = this.type();
    return { ...described, Name, Arguments, Type, Directives: this.directives(true) };
  }

  private input(): FieldDefinition {
    return { ...this.argument(), Arguments: [] };
  }

  private argument(): ArgumentDefinition {
    const described = this.memberDescription();
    const Name = this.name();
    this.expect(":");
    const Type = this.type();
    const DefaultValue = this.skip("=") ? this.value(true) : undefined;
    return { ...described, Name, Type, DefaultValue, Directives: this.directives(true) };
  }

  private argumentDefinitions(): readonly ArgumentDefinition[] {
    return this.some("(", ")", () => this.argument()).items;
  }

  private enumValue(): EnumValueDefinition {
    const described = this.memberDescription();
    return { ...described, Name: this.name(), Directives: this.directives(true) };
  }

  private directiveDefinition(described: Described): DirectiveDefinition {
    const after = this.keyword("directive");
    this.expect("@");
    const Name = this.name();
    const Arguments = this.argumentDefinitions();
    const IsRepeatable = this.skip("NAME", "repeatable");
    this.expect("NAME", "on");
    this.skip("|");
    const Locations = [this.location()];
    while (this.skip("|")) Locations.push(this.location());
    return { ...described, AfterDescriptionComment: after, Name, Arguments, Locations, IsRepeatable };
  }

  private location(): string {
    const name = this.name();
    return locations.has(name) ? name : fail("directive location expected");
  }

  private extension(doc: Writable<SchemaDocument>): void {
    const after = this.keyword("extend");
    const word = this.name();
    const kind = kinds.get(word);
    if (word === "schema") {
      const Directives = this.directives(true);
      const { items, comment } = this.some("{", "}", () => this.operationType());
      if (Directives.length + items.length === 0) fail("nothing is extended");
      const common = { Description: "", AfterDescriptionComment: after, EndOfDefinitionComment: comment };
      doc.SchemaExtension.push({ ...common, Directives, OperationTypes: items });
      return;
    }
    if (kind === undefined) return fail("extension of an unknown kind");
    const body = this.body(kind, after, true);
    const parts = [body.Interfaces, body.Directives, body.Fields, body.Types, body.EnumValues];
    if (parts.every((part) => part.length === 0)) fail("nothing is extended");
    doc.Extensions.push(body);
  }
}

export function parseSchema(text: string, builtIn = false): SchemaDocument {
  return new SchemaParser(text, builtIn).document();
}
