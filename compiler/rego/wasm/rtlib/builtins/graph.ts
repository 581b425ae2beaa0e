// Graphs: objects of vertex to an array or a set of vertices.

import { arrayGet, arrayPush, arraySet, newArray } from "../array";
import { charge } from "../budget";
import { equal } from "../compare";
import { alloc } from "../memory";
import { objectGet } from "../object";
import { newSet, setAdd, setAt, setHas, sortSet } from "../set";
import { countOf, isArray, isObject, isSet } from "../value";

/** Number of vertices of a list of them; anything but arrays and sets has none. */
function listLength(list: usize): u32 {
  if (isSet(list)) sortSet(list);
  else if (!isArray(list)) return 0;
  return countOf(list);
}

function vertexAt(list: usize, i: u32): usize {
  return isArray(list) ? arrayGet(list, i) : setAt(list, i);
}

/** The vertices of the graph that can be reached from the given ones, themselves included. */
export function builtin_graph_reachable(graph: usize, initial: usize): usize {
  if (!isObject(graph) || (!isArray(initial) && !isSet(initial))) return 0;
  const reached = newSet(0);
  const queue = newArray(0);
  for (let i: u32 = 0; i < listLength(initial); i++) arrayPush(queue, vertexAt(initial, i));
  for (let next: u32 = 0; next < countOf(queue); next++) {
    const vertex = arrayGet(queue, next);
    const edges = objectGet(graph, vertex);
    if (edges == 0 || setHas(reached, vertex)) continue;
    setAdd(reached, vertex);
    const n = listLength(edges);
    charge(<i32>n);
    for (let i: u32 = 0; i < n; i++) if (!setHas(reached, vertexAt(edges, i))) arrayPush(queue, vertexAt(edges, i));
  }
  return reached;
}

// Paths ----------------------------------------------------------------------------------------------------------------

let paths: usize = 0;
let path: usize = 0;
let pathLength: u32 = 0;

/** Adds the path so far to the result. */
function addPath(): void {
  charge(<i32>pathLength);
  const copy = newArray(pathLength);
  for (let i: u32 = 0; i < pathLength; i++) arrayPush(copy, arrayGet(path, i));
  setAdd(paths, copy);
}

function append(vertex: usize): void {
  if (pathLength < countOf(path)) arraySet(path, pathLength, vertex);
  else arrayPush(path, vertex);
  pathLength++;
}

function isOnPath(vertex: usize): bool {
  charge(<i32>pathLength);
  for (let i: u32 = 0; i < pathLength; i++) if (equal(arrayGet(path, i), vertex)) return true;
  return false;
}

/** The longest paths from the given vertices. A path ends where it would meet one of its vertices again. */
export function builtin_graph_reachable_paths(graph: usize, initial: usize): usize {
  if (!isObject(graph) || (!isArray(initial) && !isSet(initial))) return 0;
  paths = newSet(0);
  path = newArray(8);
  const roots = listLength(initial);
  for (let r: u32 = 0; r < roots; r++) {
    const root = vertexAt(initial, r);
    if (objectGet(graph, root) == 0) continue;
    pathLength = 0;
    follow(graph, root);
  }
  return paths;
}

const FRAME: usize = 12;

/**
 * Follows all edges from `first`, depth first. The number of paths may be exponential: the budget of the evaluation ends it.
 *
 * A frame of the stack: edges of a vertex, the number of the next edge, and the length of the path with the vertex on it.
 */
function follow(graph: usize, first: usize): void {
  let capacity: u32 = 16;
  let stack = alloc(capacity * <u32>FRAME);
  let depth: u32 = 0;
  let vertex = first;
  while (true) {
    if (vertex != 0) {
      const edges = objectGet(graph, vertex);
      if (edges != 0) append(vertex);
      if (edges == 0 || listLength(edges) == 0) {
        addPath();
      } else {
        if (depth == capacity) {
          const larger = alloc((capacity << 1) * <u32>FRAME);
          memory.copy(larger, stack, capacity * <u32>FRAME);
          stack = larger;
          capacity <<= 1;
        }
        const frame = stack + depth++ * FRAME;
        store<u32>(frame, <u32>edges);
        store<u32>(frame, 0, 4);
        store<u32>(frame, pathLength, 8);
      }
      vertex = 0;
    }
    if (depth == 0) return;
    const frame = stack + (depth - 1) * FRAME;
    const edges: usize = load<u32>(frame);
    const next = load<u32>(frame, 4);
    pathLength = load<u32>(frame, 8);
    if (next == listLength(edges)) {
      depth--;
      continue;
    }
    store<u32>(frame, next + 1, 4);
    const neighbour = vertexAt(edges, next);
    // OPA looks for no circle on the first step: an edge from a root to itself is on the path.
    if (pathLength > 1 && isOnPath(neighbour)) addPath();
    else vertex = neighbour;
  }
}
