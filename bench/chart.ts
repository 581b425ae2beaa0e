/** A bar chart as SVG, on a logarithmic scale: tens of nanoseconds and milliseconds are in one picture. */

import { time } from "./report.ts";
import type { Results } from "./results.ts";

const WIDTH = 860;
const LEFT = 210;
const RIGHT = 90;
const BAR = 15;
const COLOURS: Readonly<Record<string, string>> = {
  "hand-written": "#6b7280",
  "portcullis typed": "#0f766e",
  "typed, evaluated each time": "#14919b",
  "portcullis evaluate": "#2dd4bf",
};

/** Allowed decisions on varied requests, each size and kind a group. */
export function chartOf(results: Results): string {
  const groups = results.scenarios.filter((s) => s.style === "varied" && s.outcome === "allow");
  const all = groups.flatMap((g) => g.measured.map((m) => m.medianNs));
  const low = Math.floor(Math.log10(Math.min(...all)));
  const high = Math.ceil(Math.log10(Math.max(...all)));
  const x = (ns: number): number => LEFT + ((Math.log10(ns) - low) / (high - low)) * (WIDTH - LEFT - RIGHT);
  const parts: string[] = [];
  let y = 56;
  for (const group of groups) {
    parts.push(`<text x="8" y="${y + 12}" font-weight="600">${xml(`${group.kind}, policies ${group.policy}`)}</text>`);
    y += 20;
    for (const { name, medianNs } of group.measured) {
      const colour = COLOURS[name] ?? "#c2846b";
      const width = Math.max(1, x(medianNs) - LEFT).toFixed(1);
      parts.push(
        `<text x="${LEFT - 8}" y="${y + 11}" text-anchor="end">${xml(name)}</text>`,
        `<rect x="${LEFT}" y="${y}" width="${width}" height="${BAR - 3}" fill="${colour}"/>`,
        `<text x="${(x(medianNs) + 5).toFixed(1)}" y="${y + 11}">${time(medianNs)}</text>`,
      );
      y += BAR;
    }
    y += 10;
  }
  const grid = Array.from({ length: high - low + 1 }, (_, i) => {
    const at = x(10 ** (low + i)).toFixed(1);
    return `<line x1="${at}" x2="${at}" y1="44" y2="${y}" stroke="#ddd"/><text x="${at}" y="40" text-anchor="middle" fill="#666">${time(10 ** (low + i))}</text>`;
  });
  const { machine } = results;
  const title = "Median time of an allowed decision, varied requests (logarithmic)";
  const note = `${machine.cpu}, ${machine.cores} cores, load ${machine.loadAtStart} to ${machine.loadAtEnd}; Node ${machine.node}; commit ${results.commit}`;
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH}" height="${y + 24}" font-family="system-ui, sans-serif" font-size="11">
<rect width="100%" height="100%" fill="#fff"/>
<text x="8" y="18" font-size="14" font-weight="600">${title}</text>
${grid.join("\n")}
${parts.join("\n")}
<text x="8" y="${y + 14}" fill="#666">${xml(note)}</text>
</svg>
`;
}

function xml(text: string): string {
  return text.replace(/&/g, "&amp;").replace(/</g, "&lt;");
}
