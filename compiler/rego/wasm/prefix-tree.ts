/** Prefixes as a tree in the layout of rtlib/prefix-tree.ts. */

/** Words in front of a node's children. */
const HEAD = 4;

/** The prefixes of a part of the sorted list, which agree up to `depth`. */
interface Part {
  readonly from: number;
  readonly to: number;
  readonly depth: number;
  /** The word that takes the offset of the node; `undefined` for the root. */
  readonly link: number | undefined;
}

/** The words of the tree. Prefixes differ, and there is one at least; values are addresses. */
export function prefixTree(values: readonly (readonly [prefix: string, value: number])[]): number[] {
  const encoder = new TextEncoder();
  const entries = values.map(([prefix, value]) => ({ bytes: encoder.encode(prefix), value }));
  entries.sort((a, b) => compareBytes(a.bytes, b.bytes));
  const words: number[] = [];
  // A stack of its own: prefixes of prefixes may nest as deep as they are long.
  const parts: Part[] = [{ from: 0, to: entries.length, depth: 0, link: undefined }];
  for (let part = parts.pop(); part !== undefined; part = parts.pop()) {
    const { from, to, depth, link } = part;
    const first = entries[from] as (typeof entries)[number];
    const end = commonLength(first.bytes, (entries[to - 1] as typeof first).bytes);
    const isEnd = first.bytes.length === end;
    const byteAt = (i: number): number => entries[i]?.bytes[end] as number;
    const inner = isEnd ? from + 1 : from;
    const [low, count] = inner < to ? [byteAt(inner), byteAt(to - 1) - byteAt(inner) + 1] : [0, 0];
    const node = words.length;
    if (link !== undefined) words[link] = node * 4;
    words.push(isEnd ? first.value : 0, end - depth, low, count, ...new Array<number>(count).fill(0));
    pushBytes(words, first.bytes.subarray(depth, end));
    for (let start = inner, next = inner; start < to; start = next) {
      while (next < to && byteAt(next) === byteAt(start)) next++;
      parts.push({ from: start, to: next, depth: end + 1, link: node + HEAD + byteAt(start) - low });
    }
  }
  return words;
}

/** In little-endian words, the last one padded with zeros. */
function pushBytes(words: number[], bytes: Uint8Array): void {
  for (let i = 0; i < bytes.length; i += 4) {
    let word = 0;
    for (let j = Math.min(bytes.length - i, 4) - 1; j >= 0; j--) word = (word << 8) | (bytes[i + j] as number);
    words.push(word);
  }
}

function commonLength(a: Uint8Array, b: Uint8Array): number {
  let length = 0;
  while (length < a.length && length < b.length && a[length] === b[length]) length++;
  return length;
}

function compareBytes(a: Uint8Array, b: Uint8Array): number {
  const length = commonLength(a, b);
  return (a[length] ?? -1) - (b[length] ?? -1);
}
