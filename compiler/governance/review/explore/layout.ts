/** Graphs laid out in layers by dagre while the page is made, so that the page itself needs no layout. */

/** `now`: only in the policy; `before`: only in the one that it is compared with. */
export type Only = "now" | "before";

/** An id, and where it is if it is not in both. */
export type Id = readonly [name: string, only?: Only];

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
  /** Nodes without an edge, which are not drawn. */
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
  const { Graph, layout } = await import("@dagrejs/dagre");
  const graph = new Graph({ multigraph: true });
  graph.setGraph({ rankdir: "LR", nodesep: 14, edgesep: 10, ranksep: 70, marginx: 12, marginy: 12 });
  for (const [name] of shown) graph.setNode(name, { width: widthOf(name), height: HEIGHT });
  for (const [i, e] of edges.entries()) graph.setEdge(e.from, e.to, {}, `e${i}`);
  layout(graph);
  const { width = 0, height = 0 } = graph.graph();
  return {
    width: Math.ceil(width),
    height: Math.ceil(height),
    nodes: shown.map(([id, only]) => {
      const { x, y, width, height } = graph.node(id);
      return { id, x: Math.round(x - width / 2), y: Math.round(y - height / 2), w: Math.round(width), only };
    }),
    edges: edges.map((e, i) => {
      const { points = [] }: { points?: { x: number; y: number }[] } = graph.edge(e.from, e.to, `e${i}`);
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
