/** Executable documents, https://spec.graphql.org/October2021/#sec-Executable-Definitions */

import { fail } from "../family.ts";
import type { Field, Fragment, Operation, QueryDocument, Selection, VariableDefinition } from "./ast.ts";
import { Parser } from "./parser.ts";

class QueryParser extends Parser {
  document(): QueryDocument {
    const Operations: Operation[] = [];
    const Fragments: Fragment[] = [];
    while (!this.at("END")) {
      if (this.at("NAME", "fragment")) Fragments.push(this.fragment());
      else Operations.push(this.operation());
    }
    return { Operations, Fragments };
  }

  private operation(): Operation {
    // A comment before an operation without a name is not kept.
    if (this.at("{")) {
      return { Operation: "query", Name: "", VariableDefinitions: [], Directives: [], SelectionSet: this.selections() };
    }
    this.peek();
    const Comment = this.comment();
    const kind = this.name();
    if (!["query", "mutation", "subscription"].includes(kind)) fail("operation expected");
    return {
      Operation: kind,
      Name: this.at("NAME") ? this.name() : "",
      VariableDefinitions: this.variables(),
      Directives: this.directives(false),
      SelectionSet: this.selections(),
      Comment,
    };
  }

  private variables(): readonly VariableDefinition[] {
    return this.some("(", ")", () => {
      this.peek();
      const Comment = this.comment();
      this.expect("$");
      const Variable = this.name();
      this.expect(":");
      const Type = this.type();
      const DefaultValue = this.skip("=") ? this.value(true) : undefined;
      return { Variable, Type, DefaultValue, Directives: this.directives(false), Used: false, Comment };
    }).items;
  }

  private selections(): readonly Selection[] {
    if (!this.at("{")) fail("selections expected");
    return this.some("{", "}", () => (this.at("...") ? this.spread() : this.field())).items;
  }

  private field(): Field {
    this.peek();
    const Comment = this.comment();
    const Alias = this.name();
    const Name = this.skip(":") ? this.name() : Alias;
    const Arguments = this.arguments(false);
    const Directives = this.directives(false);
    return { Alias, Name, Arguments, Directives, SelectionSet: this.at("{") ? this.selections() : [], Comment };
  }

  private spread(): Selection {
    this.peek();
    const Comment = this.comment();
    this.expect("...");
    if (this.at("NAME") && !this.at("NAME", "on"))
      return { Name: this.name(), Directives: this.directives(false), Comment };
    const TypeCondition = this.skip("NAME", "on") ? this.name() : "";
    return { TypeCondition, Directives: this.directives(false), SelectionSet: this.selections(), Comment };
  }

  private fragment(): Fragment {
    const Comment = this.comment();
    this.expect("NAME", "fragment");
    if (this.at("NAME", "on")) fail("fragment name expected");
    const Name = this.name();
    const VariableDefinition = this.variables();
    this.expect("NAME", "on");
    const TypeCondition = this.name();
    return {
      Name,
      VariableDefinition,
      TypeCondition,
      Directives: this.directives(false),
      SelectionSet: this.selections(),
      Comment,
    };
  }
}

export function parseQuery(text: string): QueryDocument {
  return new QueryParser(text).document();
}
