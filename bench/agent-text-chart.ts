/** CPU time over the size of a text as SVG: a field for each command, a line for each kind of text. A straight line is linear. */

import type { TextCost } from "./agent-text.ts";

const [WIDTH, HEIGHT, PAD] = [430, 300, 46];
const COLOURS = ["#0f766e", "#b45309", "#9f1239", "#1d4ed8", "#6d28d9", "#047857", "#be185d"];

export function textChart(costs: readonly TextCost[]): string {
  const surfaces = [...new Set(costs.map(({ surface }) => surface))];
  const kinds = [...new Set(costs.map(({ kind }) => kind))];
  const fields = surfaces.map((surface, i) => {
    const [left, top] = [(i % 2) * WIDTH, 40 + Math.floor(i / 2) * HEIGHT];
    const own = costs.filter((cost) => cost.surface === surface);
    return `<g transform="translate(${left} ${top})">${field(surface, own, kinds)}</g>`;
  });
  const below = 40 + Math.ceil(surfaces.length / 2) * HEIGHT;
  const legend = kinds.map((kind, i) => {
    const [x, y] = [20 + (i % 4) * 210, below + 14 + Math.floor(i / 4) * 18];
    return `<line x1="${x}" x2="${x + 24}" y1="${y - 4}" y2="${y - 4}" ${strokeOf(i)}/><text x="${x + 30}" y="${y}">${kind}</text>`;
  });
  const height = below + 30 + Math.ceil(kinds.length / 4) * 18;
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${2 * WIDTH}" height="${height}" font-family="system-ui, sans-serif" font-size="11">
<rect width="100%" height="100%" fill="#fff"/>
<text x="8" y="20" font-size="14" font-weight="600">CPU time for generated text, beyond the time for none</text>
${[...fields, ...legend].join("\n")}
</svg>
`;
}

function field(surface: string, costs: readonly TextCost[], kinds: readonly string[]): string {
  const most = Math.max(...costs.flatMap(({ sizes }) => sizes));
  const longest = Math.max(1, ...costs.flatMap(({ ms }) => ms));
  const x = (size: number): number => PAD + (size / most) * (WIDTH - 2 * PAD);
  const y = (ms: number): number => HEIGHT - PAD - (ms / longest) * (HEIGHT - 2 * PAD);
  const lines = costs.map(({ kind, sizes, ms }) => {
    const points = [[0, 0] as const, ...sizes.map((size, i) => [size, ms[i] as number] as const)];
    const drawn = points.map(([size, time]) => `${x(size).toFixed(1)},${y(time).toFixed(1)}`).join(" ");
    return `<polyline points="${drawn}" fill="none" ${strokeOf(kinds.indexOf(kind))}/>`;
  });
  return `<text x="${PAD}" y="30" font-weight="600">${surface}</text>
<path d="M${PAD} ${PAD - 8}V${HEIGHT - PAD}H${WIDTH - PAD}" fill="none" stroke="#9ca3af"/>
<text x="${WIDTH - PAD}" y="${HEIGHT - PAD + 14}" text-anchor="end">${(most / 1024 / 1024).toFixed(1)} MiB</text>
<text x="${PAD - 4}" y="${PAD}" text-anchor="end">${longest.toFixed(0)} ms</text>
${lines.join("\n")}`;
}

/** Colour, and dashes for those that share one. */
function strokeOf(i: number): string {
  const dashes = i < COLOURS.length ? "" : ' stroke-dasharray="5 3"';
  return `stroke="${COLOURS[i % COLOURS.length]}" stroke-width="1.5"${dashes}`;
}
