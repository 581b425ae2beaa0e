/** Tables of what was asked in processes of their own: a row for each contender, a column for each decision. */

import type { Apart, ApartRow, Results } from "./results.ts";
import { notesOf, provenance, ratio, type Section, time } from "./tables.ts";

const TITLES = {
  peers: [
    "from bytes, beside peers in their own languages",
    "The UTF-8 of a request in, an answer out, each peer in a process of its own on the same new requests: median / 99 % of single decisions, and how many times the median of the first row the median is. Reading the clock is part of each time. Every answer is compared with ours before, on allowed requests and late denials: a peer that answers wrongly is not timed.",
  ],
  sdks: [
    "SDKs of OPA as they are, from bytes",
    "Our module, and the one that OPA makes of the same bundle, by the same SDK: median / 99 %, and how many times the median on our module that on OPA's is. The bytes are decoded and parsed as far as the SDK asks for it. Every answer is compared with ours before.",
  ],
  runtimes: [
    "on each runtime",
    "A typed call with a parsed request, and `evaluateJson` from bytes: nanoseconds a decision, the median and the 99th percentile of batches of 32. Each runtime in a process of its own, from npm.",
  ],
} as const;

export function apartSections(results: Results): Section[] {
  return (["peers", "sdks", "runtimes"] as const).flatMap((part) => {
    const found = results[part];
    return found === undefined ? [] : [sectionOf(found, TITLES[part])];
  });
}

function sectionOf(found: Apart, [title, text]: readonly [string, string]): Section {
  const { policy, rows } = found;
  const questions = [...new Set(rows.map(({ kind, what }) => (what === "" ? kind : `${kind}, ${what}`)))];
  const names = [...new Set(rows.map(({ name }) => name))];
  const rowOf = (name: string, question: string): ApartRow | undefined =>
    rows.find((row) => row.name === name && (row.what === "" ? row.kind : `${row.kind}, ${row.what}`) === question);
  const cellOf = (name: string, question: string): string => {
    const { timed, missing, beside } = rowOf(name, question) ?? {};
    if (timed === undefined) return missing === undefined || missing.is === "cannot" ? "-" : missing.is;
    const other = beside === undefined ? undefined : rowOf(beside, question)?.timed;
    const times = `${time(timed.p50Ns)} / ${time(timed.p99Ns)}`;
    return other === undefined ? times : `${times} ×${ratio(timed.p50Ns / other.p50Ns)}`;
  };
  const versionOf = (name: string): string => rows.find((row) => row.name === name && row.version)?.version ?? "-";
  const missing = rows.flatMap(({ name, kind, missing: why }) =>
    why === undefined
      ? []
      : [{ policy, name: why.is === "absent" ? `${name} is absent` : `${name}, ${kind}`, why: why.why }],
  );
  return {
    title: `Policies ${policy}: ${title}`,
    text: `${text} ${provenance({ ...found, quick: false })}`,
    rows: [
      ["", "version", ...questions],
      ...names.map((name) => [name, versionOf(name), ...questions.map((question) => cellOf(name, question))]),
    ],
    notes: notesOf(missing.filter(({ name }, i) => missing.findIndex((one) => one.name === name) === i)),
  };
}
