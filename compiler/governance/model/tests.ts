/**
 * Decision tests (`tests/*.yaml`) → single expectations. A case is one input and a part that its decision must contain; a
 * matrix is every combination of its axes: those that it lists must be allowed, all others denied.
 */

import { type Diagnostic, didYouMean, type Span } from "@portcullis/rego/diagnostics";
import { jsonText, replaced, type Value, valueAt } from "@portcullis/rego/value";
import type { DecisionKind } from "@portcullis/runtime/abi";
import { entryOf, type MappingEntry, type SourceDocument, type SourceNode, toValue } from "../sources/index.ts";
import { modelDiagnostic } from "./codes.ts";
import type { Model } from "./model.ts";
import { TreeReader } from "./read.ts";

/** One expectation. */
export interface DecisionTest {
  readonly file: string;
  /** Unique within its file; a combination of a matrix has its values in brackets. */
  readonly name: string;
  readonly span: Span;
  readonly decision: DecisionKind;
  readonly input: Value;
  /** An object that the decision must contain: its keys, with values that are equal or, for objects, contain in turn. */
  readonly expect: Value;
}

export interface TestsResult {
  readonly tests: readonly DecisionTest[];
  readonly diagnostics: readonly Diagnostic[];
}

/** Combinations of one matrix. */
const MAX_COMBINATIONS = 200_000;

/** What a test writes as an approval's `policy_revision`, for the revision of the policy that is tested. */
const THIS_POLICY = "this policy";
const POLICY_REVISION = ["approval", "policy_revision"] as const;

/** What tests are made for. */
export interface TestsOptions {
  /** False for findings alone: no combination of a matrix is made. */
  readonly expand?: boolean;
  /** What an approval `under this policy` names; without it such an approval is one under another policy. */
  readonly revision?: string | undefined;
}

export function buildTests(
  documents: readonly SourceDocument[],
  model: Model,
  { expand = true, revision }: TestsOptions = {},
): TestsResult {
  const builder = new Builder(model, expand);
  for (const document of documents) builder.file(document);
  const tests = revision === undefined ? builder.tests : builder.tests.map((test) => under(revision, test));
  return { tests, diagnostics: builder.diagnostics };
}

/** The test, with the revision in the one place where a call names it. */
function under(revision: string, test: DecisionTest): DecisionTest {
  const said = test.decision === "call" ? valueAt(test.input, POLICY_REVISION) : undefined;
  if (said?.kind !== "string" || said.value !== THIS_POLICY) return test;
  return { ...test, input: replaced(test.input, POLICY_REVISION, { kind: "string", value: revision }) };
}

/** A way of an axis through the input (`governance.contextSealed`), and its values. */
interface Axis {
  readonly name: string;
  readonly span: Span;
  readonly path: readonly string[];
  readonly values: readonly AxisValue[];
}

interface AxisValue {
  /** As JSON with every digit: numbers that are one number as doubles are two values. */
  readonly key: string;
  readonly value: Value;
}

class Builder {
  readonly tests: DecisionTest[] = [];
  readonly diagnostics: Diagnostic[] = [];
  private readonly reader = new TreeReader();
  private readonly model: Model;

  private readonly expand: boolean;

  constructor(model: Model, expand: boolean) {
    this.model = model;
    this.expand = expand;
  }

  file(document: SourceDocument): void {
    const seen = new Map<string, Span>();
    if (holdsNoTest(document.root)) this.asksNothing("the file holds no test: nothing is asked", document.root.span);
    for (const node of this.reader.items(document.root, "cases")) {
      const head = this.head(document, node, seen);
      const input = entryOf(node, "input")?.value;
      const expect = entryOf(node, "expect")?.value;
      if (head === undefined || input === undefined || expect === undefined) continue;
      if (expect.kind === "Mapping" && expect.entries.length === 0)
        this.asksNothing(`\`${head.name}\` expects nothing of the decision: it cannot fail`, expect.span);
      this.tests.push({ file: document.file.name, ...head, input: toValue(input), expect: toValue(expect) });
    }
    for (const node of this.reader.items(document.root, "matrices")) {
      const head = this.head(document, node, seen);
      if (head !== undefined) this.matrix(document.file.name, node, head);
    }
  }

  private asksNothing(problem: string, span: Span): void {
    this.diagnostics.push(modelDiagnostic("model/test-of-nothing", { problem }, span));
  }

  private head(
    document: SourceDocument,
    node: SourceNode,
    seen: Map<string, Span>,
  ): { name: string; span: Span; decision: DecisionKind } | undefined {
    const name = this.reader.string(node, "name") ?? "";
    const span = entryOf(node, "name")?.value.span ?? node.span;
    const first = seen.get(name);
    if (first !== undefined) {
      this.diagnostics.push(
        modelDiagnostic("model/test-name-repeated", { name }, span, {
          related: [{ message: "the other test", span: first }],
        }),
      );
    }
    seen.set(name, span);
    const decision = this.reader.string(node, "decision") ?? this.reader.string(document.root, "decision");
    if (decision === undefined) {
      this.diagnostics.push(modelDiagnostic("model/test-without-decision", { name }, span));
      return undefined;
    }
    // The schema allows no other word.
    return { name, span, decision: decision as DecisionKind };
  }

  private matrix(file: string, node: SourceNode, head: { name: string; span: Span; decision: DecisionKind }): void {
    const before = this.diagnostics.length;
    const axesNode = entryOf(node, "axes")?.value;
    const axes = (axesNode?.kind === "Mapping" ? axesNode.entries : []).map((e) => this.axis(e));
    this.checkApart(axes);
    const allowed = this.allowed(node, axes);
    const count = axes.reduce((product, axis) => product * axis.values.length, 1);
    if (count > MAX_COMBINATIONS) {
      this.diagnostics.push(
        modelDiagnostic("model/test-matrix-too-large", { name: head.name, count, limit: MAX_COMBINATIONS }, head.span),
      );
    }
    if (this.diagnostics.length > before || !this.expand) return;
    const base = entryOf(node, "input")?.value;
    const granted = entryOf(node, "expect")?.value;
    const inputBase: Value = base === undefined ? { kind: "object", entries: [] } : toValue(base);
    const denial: Value = replaced({ kind: "object", entries: [] }, ["allowed"], { kind: "boolean", value: false });
    const said: Value = granted === undefined ? { kind: "object", entries: [] } : toValue(granted);
    const grant =
      valueAt(said, ["allowed"]) === undefined ? replaced(said, ["allowed"], { kind: "boolean", value: true }) : said;
    for (const combination of combinations(axes)) {
      const input = combination.reduce((value, { axis, item }) => replaced(value, axis.path, item.value), inputBase);
      const label = combination.map(({ axis, item }) => `${axis.name}=${item.key}`).join(", ");
      const isAllowed = allowed.some((grid) => combination.every(({ item }, i) => grid[i]?.has(item.key)));
      this.tests.push({ file, ...head, name: `${head.name} [${label}]`, input, expect: isAllowed ? grant : denial });
    }
  }

  /** Axes about one member replace what each other says: the test would ask otherwise than its name. */
  private checkApart(axes: readonly Axis[]): void {
    for (const [i, axis] of axes.entries())
      for (const { name } of axes.slice(0, i))
        if (`${name}.`.startsWith(`${axis.name}.`) || `${axis.name}.`.startsWith(`${name}.`))
          this.badAxis(axis.name, `is about the same member as \`${name}\``, axis.span);
  }

  private badAxis(axis: string, problem: string, span: Span, near: ReturnType<typeof didYouMean> = {}): void {
    this.diagnostics.push(modelDiagnostic("model/invalid-test-axis", { axis, problem }, span, near));
  }

  private axis({ key, keySpan, value }: MappingEntry): Axis {
    const fail = (problem: string, span: Span): Axis => {
      this.badAxis(key, problem, span);
      return { name: key, span: keySpan, path: key.split("."), values: [] };
    };
    if (value.kind === "Sequence") return this.axisOf(key, value.items.map(axisValue), keySpan);
    if (value.kind !== "Mapping") return fail("must be a list, or `{ every: … }`", value.span);
    const unknown = value.entries.find((e) => e.key !== "every" && e.key !== "also");
    if (unknown !== undefined) return fail(`has an unknown key \`${unknown.key}\``, unknown.keySpan);
    const every = entryOf(value, "every")?.value;
    const ids = every?.kind === "String" ? this.idsOf(every.value) : undefined;
    if (ids === undefined)
      return fail("needs `every`: roles, lanes, tools, agents or agent_types", every?.span ?? value.span);
    const also = entryOf(value, "also")?.value;
    if (also !== undefined && also.kind !== "Sequence") return fail("needs a list in `also`", also.span);
    const values = ids.map((id): AxisValue => ({ key: JSON.stringify(id), value: { kind: "string", value: id } }));
    return this.axisOf(key, [...values, ...(also?.items ?? []).map(axisValue)], keySpan);
  }

  private axisOf(key: string, values: readonly AxisValue[], span: Span): Axis {
    if (values.length === 0) this.badAxis(key, "has no values", span);
    const unique = values.filter((v, i) => values.findIndex((w) => w.key === v.key) === i);
    return { name: key, span, path: key.split("."), values: unique };
  }

  private idsOf(kind: string): readonly string[] | undefined {
    switch (kind) {
      case "roles":
      case "lanes":
      case "tools":
        return [...this.model[kind].keys()].sort();
      case "agents":
        return [...this.model.agents.values()].map((a) => a.name.name).sort();
      case "agent_types":
        return [...this.model.manifests.keys()].sort();
      default:
        return undefined;
    }
  }

  /** For each `allow` entry, the keys that it admits on each axis. */
  private allowed(node: SourceNode, axes: readonly Axis[]): readonly (readonly ReadonlySet<string>[])[] {
    return this.reader.items(node, "allow").map((grid) => {
      for (const entry of grid.kind === "Mapping" ? grid.entries : []) {
        if (axes.some((a) => a.name === entry.key)) continue;
        const near = didYouMean(
          entry.key,
          axes.map((a) => a.name),
        );
        this.badAxis(entry.key, "is not an axis of the matrix", entry.keySpan, near);
      }
      return axes.map((axis) => {
        const value = entryOf(grid, axis.name)?.value;
        if (value === undefined) {
          this.badAxis(axis.name, "is missing in the `allow` entry", grid.span);
          return new Set<string>();
        }
        const items = value.kind === "Sequence" ? value.items : [value];
        if (items.length === 0) this.badAxis(axis.name, "has no values in the `allow` entry", value.span);
        // An axis without values has been reported itself.
        for (const item of axis.values.length === 0 ? [] : items) {
          if (axis.values.some((v) => v.key === valueKey(item))) continue;
          const near =
            item.kind === "String"
              ? didYouMean(
                  item.value,
                  axis.values.flatMap((v) => (v.value.kind === "string" ? [v.value.value] : [])),
                )
              : {};
          this.badAxis(axis.name, `has no value ${valueKey(item)}`, item.span, near);
        }
        return new Set(items.map(valueKey));
      });
    });
  }
}

function axisValue(node: SourceNode): AxisValue {
  return { key: valueKey(node), value: toValue(node) };
}

function valueKey(node: SourceNode): string {
  return jsonText(toValue(node));
}

function* combinations(axes: readonly Axis[]): Iterable<readonly { readonly axis: Axis; readonly item: AxisValue }[]> {
  const [axis, ...rest] = axes;
  if (axis === undefined) {
    yield [];
    return;
  }
  for (const item of axis.values) for (const others of combinations(rest)) yield [{ axis, item }, ...others];
}

/** Whether a file has everything that a file of tests may have, and no test. */
function holdsNoTest(root: SourceNode): boolean {
  if (root.kind === "Null") return true;
  const isEmpty = ({ key, value }: MappingEntry): boolean =>
    key === "description" ||
    key === "decision" ||
    ((key === "cases" || key === "matrices") &&
      (value.kind === "Null" || (value.kind === "Sequence" && value.items.length === 0)));
  return root.kind === "Mapping" && root.entries.every(isEmpty);
}
