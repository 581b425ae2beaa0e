/** Graphs laid out by elkjs while the page is made, so that the page itself needs no layout. */

import type { ElkNode } from "elkjs/lib/elk-api.js";
import type { Id, Only } from "./facts.ts";

export interface Graph {
  readonly nodes: readonly Id[];
  readonly edges: readonly { readonly from: string; readonly to: string; readonly only: Only | undefined }[];
}

export interface Laid {
  readonly width: number;
  readonly height: number;
  readonly nodes: readonly {
    readonly id: string;
    readonly x: number;
    readonly y: number;
    readonly w: number;
    readonly only: Only | undefined;
  }[];
  readonly edges: readonly {
    readonly from: string;
    readonly to: string;
    readonly points: readonly number[];
    readonly only: Only | undefined;
  }[];
  /** Nodes without an edge, which are no part of the picture. */
  readonly alone: readonly Id[];
  /** There are too many nodes for a picture that anybody could read: `edges` are there without points. */
  readonly tooMany: boolean;
}

/** A picture of more says nothing. */
const MOST_NODES = 400;
const HEIGHT = 30;

export async function layOut({ nodes, edges }: Graph): Promise<Laid> {
  const linked = new Set(edges.flatMap((e) => [e.from, e.to]));
  const shown = nodes.filter(([name]) => linked.has(name));
  const alone = nodes.filter(([name]) => !linked.has(name));
  const bare = { width: 0, height: 0, nodes: [], alone, edges: edges.map((e) => ({ ...e, points: [] })) };
  if (shown.length === 0 || shown.length > MOST_NODES) return { ...bare, tooMany: shown.length > 0 };
  const { default: elk } = await import("elkjs/lib/elk.bundled.js");
  // Its declarations say that the module is the class's namespace; it is the class.
  const Elk = elk as unknown as typeof elk.default;
  const keys = new Map(shown.map(([name], i) => [name, `n${i}`]));
  const input: ElkNode = {
    id: "root",
    layoutOptions: {
      "elk.algorithm": "layered",
      "elk.direction": "RIGHT",
      "elk.edgeRouting": "ORTHOGONAL",
      "elk.spacing.nodeNode": "14",
      "elk.layered.spacing.nodeNodeBetweenLayers": "70",
      "elk.spacing.componentComponent": "36",
      "elk.padding": "[top=12,left=12,bottom=12,right=12]",
    },
    children: shown.map(([name]) => ({ id: keys.get(name) as string, width: widthOf(name), height: HEIGHT })),
    edges: edges.map((e, i) => ({
      id: `e${i}`,
      sources: [keys.get(e.from) as string],
      targets: [keys.get(e.to) as string],
    })),
  };
  const laid = await new Elk().layout(input);
  const children = new Map((laid.children ?? []).map((c) => [c.id, c]));
  return {
    width: Math.ceil(laid.width ?? 0),
    height: Math.ceil(laid.height ?? 0),
    nodes: shown.map(([id, only]) => {
      const { x = 0, y = 0, width = 0 } = children.get(keys.get(id) as string) ?? {};
      return { id, x: Math.round(x), y: Math.round(y), w: Math.round(width), only };
    }),
    edges: edges.map((e, i) => {
      const section = laid.edges?.find((edge) => edge.id === `e${i}`)?.sections?.[0];
      const points = section === undefined ? [] : [section.startPoint, ...(section.bendPoints ?? []), section.endPoint];
      return { ...e, points: points.flatMap(({ x, y }) => [Math.round(x), Math.round(y)]) };
    }),
    alone,
    tooMany: false,
  };
}

/** Names are set in a font of even width. */
function widthOf(name: string): number {
  return Math.min(320, 24 + name.length * 7.6);
}
