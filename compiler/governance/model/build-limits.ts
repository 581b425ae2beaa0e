/** limits.yaml → limits; what no call could keep, or every call would, is refused. */

import { didYouMean, type Extra, type Span } from "@portcullis/rego/diagnostics";
import { entryOf, LIMIT, type SourceDocument, type SourceNode } from "../sources/index.ts";
import { collect } from "./build-harness.ts";
import { modelDiagnostic } from "./codes.ts";
import { type CallLimit, type Hours, type LimitList, WEEKDAYS, windowOf } from "./limits.ts";
import type { Named } from "./model.ts";
import type { TreeReader } from "./read.ts";
import { readFields } from "./read-fields.ts";
import { isZone, zoneNames } from "./zones.ts";

/** Rules of a limit, as its keys; one at least has to be there. */
const RULES = ["max_calls", "max_sum", "only_after", "never_after", "only_during"];

export function buildLimits(documents: readonly SourceDocument[], reader: TreeReader): ReadonlyMap<string, CallLimit> {
  for (const { root } of documents) reader.checkSaid(root, "limits");
  return collect(documents, "limits", "limit", reader, (node) => new LimitBuilder(node, reader).limit());
}

/** Reads one limit, and reports what is wrong with it. */
class LimitBuilder {
  private readonly id: Named;

  constructor(
    private readonly node: SourceNode,
    private readonly reader: TreeReader,
  ) {
    this.id = readFields(LIMIT, node, reader).id;
  }

  limit(): CallLimit {
    const { id, node, reader } = this;
    const calls = entryOf(node, "calls")?.value;
    const maxCalls = reader.number(node, "max_calls");
    const maxSum = this.sum(entryOf(node, "max_sum")?.value);
    if (!RULES.some((rule) => entryOf(node, rule) !== undefined)) this.report("model/limit-without-rule", {}, id.span);
    const within = entryOf(node, "within");
    if (within !== undefined && maxCalls === undefined && maxSum === undefined)
      this.report("model/window-without-count", {}, within.keySpan);
    return {
      id,
      calls: {
        tools: this.list(calls, "tools"),
        roles: this.list(calls, "roles"),
        lanes: this.list(calls, "lanes"),
      },
      per: this.keys(),
      maxCalls,
      maxSum,
      withinMs: this.window(node),
      onlyAfter: this.onlyAfter(entryOf(node, "only_after")?.value),
      neverAfter: this.neverAfter(entryOf(node, "never_after")?.value),
      onlyDuring: this.hours(entryOf(node, "only_during")?.value),
    };
  }

  private report(code: Parameters<typeof modelDiagnostic>[0], params: object, span: Span, extra?: Extra): void {
    this.reader.diagnostics.push(modelDiagnostic(code, { limit: this.id.name, ...params } as never, span, extra));
  }

  private list(calls: SourceNode | undefined, list: LimitList): readonly Named[] | undefined {
    return this.names(calls, list, "it is about no call");
  }

  /** Names of a list that is not empty. */
  private names(node: SourceNode | undefined, key: string, consequence: string): readonly Named[] | undefined {
    const found = this.reader.names(node, key);
    const entry = entryOf(node, key);
    if (found?.length === 0 && entry !== undefined)
      this.report("model/empty-list-of-limit", { list: key, consequence }, entry.keySpan);
    return found;
  }

  private keys(): readonly Named[] {
    const keys = this.reader.names(this.node, "per") ?? [];
    const order = ["only_after", "never_after"].find((rule) => entryOf(this.node, rule) !== undefined);
    for (const { name: text, span } of keys) {
      if (["role", "lane", "tool"].includes(text)) {
        if (order !== undefined) this.report("model/limit-key-splits-order", { text, rule: order }, span);
      } else if (text !== "session" && !/^scope\../s.test(text)) {
        this.report("model/malformed-limit-key", { text }, span, didYouMean(text, ["role", "lane", "tool", "session"]));
      }
    }
    return keys;
  }

  private sum(node: SourceNode | undefined): CallLimit["maxSum"] {
    const of = this.reader.named(node, "of");
    const atMost = this.reader.number(node, "at_most");
    if (of === undefined || atMost === undefined) return undefined;
    if (!/^(?:args|scope)\../s.test(of.name)) this.report("model/malformed-sum", { text: of.name }, of.span);
    return { of, atMost };
  }

  /** In milliseconds. */
  private window(node: SourceNode | undefined): number | undefined {
    const within = this.reader.named(node, "within");
    if (within === undefined) return undefined;
    const { name: text, span } = within;
    const time = windowOf(text);
    const problem =
      time === undefined
        ? "it is written as `90s`, `15m`, `24h` or `7d`"
        : time < 1000 || time > LONGEST
          ? "it is from 1s to 366d"
          : undefined;
    if (problem !== undefined) this.report("model/malformed-window", { text, problem }, span);
    return problem === undefined ? time : undefined;
  }

  private onlyAfter(node: SourceNode | undefined): CallLimit["onlyAfter"] {
    if (node === undefined) return undefined;
    const tools = this.names(node, "tools", "no call can have come before") ?? [];
    return { tools, withinMs: this.window(node) };
  }

  private neverAfter(node: SourceNode | undefined): CallLimit["neverAfter"] {
    if (node === undefined) return undefined;
    return { tools: this.names(node, "tools", "every call keeps it") ?? [] };
  }

  private hours(node: SourceNode | undefined): Hours | undefined {
    const zone = this.reader.named(node, "zone");
    if (node === undefined || zone === undefined) return undefined;
    if (!isZone(zone.name))
      this.report("model/unknown-zone", { zone: zone.name }, zone.span, didYouMean(zone.name, zoneNames()));
    const days = this.names(node, "days", "no time is on one of them");
    for (const { name: text, span } of days ?? []) {
      if (!WEEKDAYS.some((day) => day === text))
        this.report("model/unknown-day", { text }, span, didYouMean(text, WEEKDAYS));
    }
    const from = this.minutes(node, "from", 1439);
    const to = this.minutes(node, "to", 1440);
    if (from.minutes === to.minutes && to.span !== undefined)
      this.report("model/empty-hours", { from: from.text, to: to.text }, to.span);
    return { days: days?.map(({ name }) => name) ?? WEEKDAYS, from: from.minutes, to: to.minutes, zone };
  }

  /** A time of the day, in minutes; one that is malformed is reported, and is after every other. */
  private minutes(node: SourceNode, key: "from" | "to", last: number) {
    const { name: text, span } = this.reader.named(node, key) ?? { name: "", span: undefined };
    const [, hours, minutes] = /^([0-9]{2}):([0-5][0-9])$/.exec(text) ?? [];
    const time = Number(hours) * 60 + Number(minutes);
    if (time <= last) return { text, span, minutes: time };
    const range = key === "to" ? 'it is from "00:00" to "24:00"' : 'it is from "00:00" to "23:59"';
    const problem = /^[0-9]:[0-5][0-9]$/.test(text) ? `it is written "0${text}"` : range;
    if (span !== undefined) this.report("model/malformed-time", { key, text, problem }, span);
    return { text, span: undefined, minutes: last };
  }
}

const LONGEST = 366 * 86_400_000;
