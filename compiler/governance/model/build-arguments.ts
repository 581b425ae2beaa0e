/** `arguments` of a tool → what each argument may be; what no value could keep, or every value would, is refused. */

import type { Span } from "@portcullis/rego/diagnostics";
import { compareValues, type Value } from "@portcullis/rego/value";
import { patternMatches } from "@portcullis/rego/wasm";
import { entryOf, type MappingEntry, type SourceNode, toValue } from "../sources/index.ts";
import {
  ARGUMENT_TYPES,
  type Argument,
  type ArgumentApproval,
  type ArgumentRule,
  type ArgumentType,
  type Limit,
  type Members,
  type PathRule,
  type RoleLimit,
  type ToolArguments,
} from "./arguments.ts";
import { modelDiagnostic } from "./codes.ts";
import { parseCommandPattern, widthOf } from "./command-pattern.ts";
import { isScheme, parseHostEntry } from "./host-entry.ts";
import type { TreeReader } from "./read.ts";

/** `undefined` where the tool says nothing of its arguments. To deny others alone is to allow no argument. */
export function buildArguments(tool: SourceNode, reader: TreeReader): ToolArguments | undefined {
  const node = entryOf(tool, "arguments")?.value;
  const others = reader.string(tool, "other_arguments");
  if (node === undefined && others !== "deny") return undefined;
  const entries = node?.kind === "Mapping" ? node.entries : [];
  return {
    byName: new Map(entries.map((entry) => [entry.key, argumentOf(entry, reader)])),
    others: others === "allow" ? "allow" : "deny",
  };
}

function argumentOf(entry: MappingEntry, reader: TreeReader): Argument {
  const { key, keySpan, value: node } = entry;
  reader.checkId({ name: key, span: keySpan }, "the name of an argument");
  const rule = new RuleBuilder(key, reader).rule(entry);
  const each = entryOf(node, "each");
  return {
    name: { name: key, span: keySpan },
    required: reader.boolean(node, "required") ?? true,
    ...rule,
    each: each === undefined ? undefined : new RuleBuilder(key, reader).rule(each),
  };
}

/** The types of values that a member is for; members that are not here are for all. */
const TYPES_OF: { readonly [member: string]: readonly ArgumentType[] } = {
  each: ["list"],
  pattern: ["string"],
  max_length: ["string", "list"],
  min: ["integer", "number"],
  max: ["integer", "number"],
  paths: ["string"],
  hosts: ["string"],
  schemes: ["string"],
  commands: ["string"],
};

/** Reads the members of one argument, and reports what is wrong with them. */
class RuleBuilder {
  constructor(
    private readonly argument: string,
    private readonly reader: TreeReader,
  ) {}

  rule({ value: node, keySpan }: MappingEntry): ArgumentRule {
    const type = ARGUMENT_TYPES.find((t) => t === this.reader.string(node, "type")) ?? "string";
    this.checkTypes(node, type);
    const members = this.members(node, type);
    const approval = this.approval(entryOf(node, "approval"), type);
    this.checkTogether(members, entryOf(node, "schemes")?.keySpan ?? keySpan, node);
    if (approval?.kind === "Matching") {
      const patterns = entryOf(node, "approval") as MappingEntry;
      this.checkTogether(merged(members, approval.members), patterns.keySpan, patterns.value);
      this.checkResolved(members.paths, approval.members.paths, patterns.value);
    }
    return { type, members, approval };
  }

  private members(node: SourceNode, type: ArgumentType): Members {
    const texts = (key: string) => this.texts(entryOf(node, key)?.value);
    return {
      oneOf: this.oneOf(entryOf(node, "one_of")?.value, type),
      pattern: this.pattern(entryOf(node, "pattern")?.value),
      maxLength: this.reader.number(node, "max_length"),
      min: this.limit(entryOf(node, "min")?.value),
      max: this.limit(entryOf(node, "max")?.value),
      paths: this.paths(entryOf(node, "paths")?.value),
      hosts: texts("hosts")?.flatMap((item) => this.host(item)),
      schemes: texts("schemes")?.flatMap((item) => this.scheme(item)),
      commands: texts("commands")?.flatMap((item) => this.command(item)),
    };
  }

  private texts(node: SourceNode | undefined): StringItem[] | undefined {
    if (node?.kind !== "Sequence") return undefined;
    return node.items.flatMap((item) => (item.kind === "String" ? [item] : []));
  }

  private checkTypes(node: SourceNode, type: ArgumentType): void {
    const approval = entryOf(node, "approval")?.value;
    for (const { key, keySpan } of [node, approval].flatMap((n) => (n?.kind === "Mapping" ? n.entries : []))) {
      const types = TYPES_OF[key];
      if (types === undefined || types.includes(type)) continue;
      const params = { argument: this.argument, type, member: key, types: types.join(", ") };
      this.reader.diagnostics.push(modelDiagnostic("model/member-of-other-type", params, keySpan));
    }
  }

  private checkTogether({ hosts, schemes, min, max }: Members, span: StringItem["span"], node: SourceNode): void {
    const { argument } = this;
    if (schemes !== undefined && hosts === undefined)
      this.reader.diagnostics.push(modelDiagnostic("model/schemes-without-hosts", { argument }, span));
    const crossed = min && max && crossing(min, max);
    if (crossed === undefined) return;
    const at = entryOf(node, "max")?.keySpan ?? entryOf(node, "min")?.keySpan ?? span;
    this.reader.diagnostics.push(modelDiagnostic("model/limits-at-odds", { argument, ...crossed }, at));
  }

  private checkResolved(alone: PathRule | undefined, asked: PathRule | undefined, approval: SourceNode): void {
    const at = entryOf(approval, "paths")?.keySpan;
    if (alone === undefined || asked === undefined || at === undefined || alone.resolve === asked.resolve) return;
    const params = { argument: this.argument };
    this.reader.diagnostics.push(modelDiagnostic("model/approval-resolves-otherwise", params, at));
  }

  private approval(entry: MappingEntry | undefined, type: ArgumentType): ArgumentApproval | undefined {
    if (entry === undefined) return undefined;
    const { argument } = this;
    const { value: node, keySpan } = entry;
    if (node.kind === "String") {
      if (node.value === "required" || node.value === "bound")
        return { kind: "Every", isBound: node.value === "bound" };
      this.reader.diagnostics.push(
        modelDiagnostic("model/unknown-approval", { argument, text: node.value }, node.span),
      );
      return undefined;
    }
    if (node.kind === "Mapping" && node.entries.some(({ key: member }) => member !== "bound"))
      return {
        kind: "Matching",
        isBound: this.reader.boolean(node, "bound") ?? false,
        members: this.members(node, type),
      };
    this.reader.diagnostics.push(modelDiagnostic("model/approval-without-members", { argument }, keySpan));
    return undefined;
  }

  private oneOf(node: SourceNode | undefined, type: ArgumentType): readonly Value[] | undefined {
    if (node?.kind !== "Sequence") return undefined;
    for (const item of node.items) {
      if (item.kind === "String") this.checkVisible(item, "`one_of`");
      if (isOfType(item, type)) continue;
      const params = { argument: this.argument, type, found: KINDS[item.kind] };
      this.reader.diagnostics.push(modelDiagnostic("model/value-of-other-type", params, item.span));
    }
    return node.items.map(toValue);
  }

  private pattern(node: SourceNode | undefined): string | undefined {
    if (node?.kind !== "String") return undefined;
    this.checkVisible(node, "`pattern`");
    if (patternMatches(node.value, "") === "no pattern")
      this.reader.diagnostics.push(modelDiagnostic("model/malformed-pattern", { argument: this.argument }, node.span));
    return node.value;
  }

  private checkVisible({ value: name, span }: StringItem, member: string): void {
    this.reader.checkVisible({ name, span }, `${member} of argument \`${this.argument}\``);
  }

  private limit(node: SourceNode | undefined): Limit | undefined {
    if (node?.kind === "Number") return { byRole: new Map(), otherwise: node.text, row: undefined };
    if (node?.kind !== "Mapping") return undefined;
    const byRole = new Map<string, RoleLimit>();
    let otherwise: string | undefined;
    let row: Span | undefined;
    for (const { key, keySpan, value } of node.entries) {
      if (value.kind !== "Number") continue;
      if (key === "default") [otherwise, row] = [value.text, keySpan];
      else byRole.set(key, { text: value.text, span: keySpan });
    }
    return { byRole, otherwise, row };
  }

  private paths(node: SourceNode | undefined): PathRule | undefined {
    if (node === undefined) return undefined;
    const list = (key: string): readonly string[] =>
      (this.texts(entryOf(node, key)?.value) ?? []).flatMap(({ value: path, span }) => {
        if (path === "." && key === "below") return [""];
        if (isCanonical(path) && !LIKE_A_PATTERN.test(path)) return [path];
        const code = isCanonical(path) ? "model/pattern-as-path" : "model/malformed-policy-path";
        this.reader.diagnostics.push(modelDiagnostic(code, { argument: this.argument, path }, span));
        return [];
      });
    return {
      below: list("below"),
      except: list("except"),
      resolve: this.reader.string(node, "resolve") === "text" ? "text" : "host",
    };
  }

  private host({ value, span }: StringItem) {
    const entry = parseHostEntry(value);
    if (!("problem" in entry)) return [entry];
    const params = { argument: this.argument, text: value, problem: entry.problem };
    this.reader.diagnostics.push(modelDiagnostic("model/malformed-host-entry", params, span));
    return [];
  }

  private scheme({ value, span }: StringItem): string[] {
    if (isScheme(value)) return [value];
    this.reader.diagnostics.push(
      modelDiagnostic("model/malformed-scheme", { argument: this.argument, text: value }, span),
    );
    return [];
  }

  private command({ value, span }: StringItem) {
    const { argument } = this;
    const pattern = parseCommandPattern(value);
    if ("problem" in pattern) {
      const params = { argument, text: value, problem: pattern.problem };
      this.reader.diagnostics.push(modelDiagnostic("model/malformed-command-pattern", params, span));
      return [];
    }
    const why = widthOf(pattern);
    if (why !== undefined)
      this.reader.diagnostics.push(
        modelDiagnostic("model/wide-command", { argument, text: value, why }, span, { help: FOLDER }),
      );
    return [pattern];
  }
}

type StringItem = Extract<SourceNode, { readonly kind: "String" }>;

const FOLDER = "a command means what the folder that it runs in makes of it; name the options and words that are meant";

const KINDS: { readonly [kind in SourceNode["kind"]]: string } = {
  Null: "null",
  Boolean: "`true` or `false`",
  Number: "a number",
  String: "a text",
  Sequence: "a list",
  Mapping: "a mapping",
};

/** The members that hold with a person's approval: each one that `approval` names in place of the argument's own. */
export function merged(members: Members, approval: Members): Members {
  const named = Object.entries(approval).filter(([, member]) => member !== undefined);
  return { ...members, ...Object.fromEntries(named) };
}

/** What shells and ignore files read as several files, or as another folder. Routes have `[id]` and `{id}` in their names. */
const LIKE_A_PATTERN = /[*?]|\{[^}]*,|^~(?:\/|$)/;

/** As `canonical` of the library's `arguments.rego`. */
function isCanonical(path: string): boolean {
  if (/[\\:\u0000-\u001f\u007f-\u009f]|~[0-9]/.test(path)) return false;
  return path.split("/").every((segment) => /[^. ]$/.test(segment));
}

/** A value that a list of values may hold for the argument's type. */
function isOfType(node: SourceNode, type: ArgumentType): boolean {
  switch (type) {
    case "string":
      return node.kind === "String";
    case "integer":
      return node.kind === "Number" && Number.isInteger(Number(node.text));
    case "number":
      return node.kind === "Number";
    case "boolean":
      return node.kind === "Boolean";
    case "list":
      return node.kind === "Sequence";
    case "object":
      return node.kind === "Mapping";
    case "any":
      return node.kind !== "Null";
  }
}

/** A `min` above the `max` of the same role. */
function crossing(min: Limit, max: Limit): { min: string; max: string; role: string } | undefined {
  for (const role of [undefined, ...min.byRole.keys(), ...max.byRole.keys()]) {
    const of = ({ byRole, otherwise }: Limit): string | undefined =>
      (role === undefined ? undefined : byRole.get(role)?.text) ?? otherwise;
    const [least, most] = [of(min), of(max)];
    if (least === undefined || most === undefined) continue;
    if (compareValues({ kind: "number", text: least }, { kind: "number", text: most }) > 0)
      return { min: least, max: most, role: role === undefined ? "" : ` for role \`${role}\`` };
  }
  return undefined;
}
