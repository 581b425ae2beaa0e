/**
 * Percentiles of single decisions as SVG: a row for each kind of decision and request, on a logarithmic scale, with the
 * bounds of REQ-14. The worse of allow and late denial is drawn.
 */

import { machineText } from "../compiler/cli/bench/machine.ts";
import { boundOf } from "../compiler/cli/bench/requirement.ts";
import type { LatencyRow, Results } from "./results.ts";
import { time } from "./tables.ts";

const WIDTH = 900;
const LEFT = 150;
const RIGHT = 30;
const ROW = 24;
const TOP = 76;
const LOW = 10;
const HIGH = 1e6;
const PERCENTILES = [
  { key: "p50", label: "median", colour: "#0f766e" },
  { key: "p99", label: "99 %", colour: "#b45309" },
  { key: "p999", label: "99.9 %", colour: "#9f1239" },
] as const;

interface Row {
  readonly kind: string;
  readonly what: string;
  readonly ns: readonly number[];
  /** For each percentile; the median has none. */
  readonly bounds: readonly (number | undefined)[];
}

export function chartOf(results: Results): string {
  const policies = [...new Set(results.latency.map(({ policy }) => policy))];
  const parts: string[] = [];
  let y = TOP;
  for (const policy of policies) {
    parts.push(`<text x="8" y="${y + 6}" font-weight="600">policies ${policy}</text>`);
    y += ROW;
    for (const row of rowsOf(results.latency.filter((r) => r.policy === policy))) {
      parts.push(drawn(row, y));
      y += ROW;
    }
    y += ROW / 2;
  }
  const height = y + 30;
  const grid = [10, 100, 1e3, 1e4, 1e5, 1e6].map(
    (ns) =>
      `<line x1="${x(ns)}" x2="${x(ns)}" y1="${TOP - 12}" y2="${y}" stroke="#e5e7eb"/><text x="${x(ns)}" y="${TOP - 18}" text-anchor="middle" fill="#6b7280">${time(ns)}</text>`,
  );
  const legend = PERCENTILES.map(
    ({ label, colour }, i) =>
      `<circle cx="${LEFT + 6 + i * 90}" cy="34" r="4" fill="${colour}"/><text x="${LEFT + 16 + i * 90}" y="38">${label}</text>`,
  );
  const boundAt = LEFT + 6 + PERCENTILES.length * 90;
  legend.push(
    `<line x1="${boundAt}" x2="${boundAt}" y1="27" y2="41" stroke="#374151" stroke-width="2"/><text x="${boundAt + 8}" y="38">its bound (REQ-14), in the percentile's colour; what is above it has a black rim</text>`,
  );
  const note = `${machineText(results.machine)}, load ${results.machine.loadAtStart} to ${results.machine.loadAtEnd}; revision ${results.revision}`;
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH}" height="${height}" font-family="system-ui, sans-serif" font-size="11">
<rect width="100%" height="100%" fill="#fff"/>
<text x="8" y="18" font-size="14" font-weight="600">Single decisions on new requests, the worse of allow and late denial (logarithmic)</text>
${legend.join("\n")}
${grid.join("\n")}
${parts.join("\n")}
<text x="8" y="${height - 10}" fill="#6b7280">${xml(note)}</text>
</svg>
`;
}

/** The worse of the outcomes of each kind and request. */
function rowsOf(latency: readonly LatencyRow[]): Row[] {
  const rows = new Map<string, Row>();
  for (const { kind, size, what, p50, p99, p999 } of latency) {
    const ns = [p50.ns, p99.ns, p999.ns];
    const before = rows.get(`${kind} ${what}`)?.ns ?? ns;
    const { p99: bound, p999: rare } = boundOf(kind, size === "large");
    rows.set(`${kind} ${what}`, {
      kind,
      what,
      bounds: [undefined, bound, rare],
      ns: ns.map((value, i) => Math.max(value, before[i] ?? 0)),
    });
  }
  return [...rows.values()];
}

function drawn({ kind, what, ns, bounds }: Row, y: number): string {
  const [first = LOW, last = LOW] = [ns[0], ns.at(-1)];
  const name = what === "" ? kind : `${kind}, ${what}`;
  return [
    `<text x="${LEFT - 10}" y="${y + 4}" text-anchor="end">${xml(name)}</text>`,
    `<line x1="${x(first)}" x2="${x(last)}" y1="${y}" y2="${y}" stroke="#9ca3af" stroke-width="2"/>`,
    ...PERCENTILES.map(({ colour }, i) => {
      const bound = bounds[i];
      if (bound === undefined) return "";
      const at = x(bound);
      return `<line x1="${at}" x2="${at}" y1="${y - 8}" y2="${y + 8}" stroke="${colour}" stroke-width="2" opacity="0.55"/>`;
    }),
    ...PERCENTILES.map(({ colour, label }, i) => {
      const value = ns[i] ?? LOW;
      const over = value > (bounds[i] ?? HIGH);
      return `<circle cx="${x(value)}" cy="${y}" r="${over ? 6 : 4}" fill="${colour}"${over ? ' stroke="#000" stroke-width="1.5"' : ""}><title>${xml(name)}: ${label} ${time(value)}</title></circle>`;
    }),
  ].join("\n");
}

function x(ns: number): string {
  const share = (Math.log10(Math.min(HIGH, Math.max(LOW, ns))) - Math.log10(LOW)) / Math.log10(HIGH / LOW);
  return (LEFT + share * (WIDTH - LEFT - RIGHT)).toFixed(1);
}

function xml(text: string): string {
  return text.replace(/&/g, "&amp;").replace(/</g, "&lt;");
}
