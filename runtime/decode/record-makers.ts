/**
 * Objects of many kinds are made slowly by one piece of code: engines keep what they learn about keys by the place in the
 * source. So each set of keys gets a place of its own here, while there are any left.
 */

type Made = Record<string, unknown>;
type From = [values: readonly unknown[], sources: readonly number[], texts: readonly string[]];
/** As many as a maker has places for. */
type Keys = readonly [string, string, string, string, string, string, string, string];

/**
 * Makes an object of these keys, which are always the same, and names of properties, each with what is picked for it. There
 * are as many values and sources.
 */
export type RecordMaker = (keys: readonly string[], ...from: From) => Made;

/** The source of what is the value itself; others are numbers of texts. */
export const VALUE = -1;

/** What one of `sources` says. */
export function pick(
  values: readonly unknown[],
  sources: readonly number[],
  texts: readonly string[],
  at: number,
): unknown {
  const number = sources[at] as number;
  return number < 0 ? values[at] : texts[number];
}

// biome-ignore format: a line each
const FREE: { readonly count: number; readonly make: (k: Keys, ...from: From) => Made }[] = [
  { count: 3, make: (k, v, s, t) => { const o: Made = {}; o[k[0]] = pick(v, s, t, 0); o[k[1]] = pick(v, s, t, 1); o[k[2]] = pick(v, s, t, 2); return o; } },
  { count: 3, make: (k, v, s, t) => { const o: Made = {}; o[k[0]] = pick(v, s, t, 0); o[k[1]] = pick(v, s, t, 1); o[k[2]] = pick(v, s, t, 2); return o; } },
  { count: 4, make: (k, v, s, t) => { const o: Made = {}; o[k[0]] = pick(v, s, t, 0); o[k[1]] = pick(v, s, t, 1); o[k[2]] = pick(v, s, t, 2); o[k[3]] = pick(v, s, t, 3); return o; } },
  { count: 4, make: (k, v, s, t) => { const o: Made = {}; o[k[0]] = pick(v, s, t, 0); o[k[1]] = pick(v, s, t, 1); o[k[2]] = pick(v, s, t, 2); o[k[3]] = pick(v, s, t, 3); return o; } },
  { count: 5, make: (k, v, s, t) => { const o: Made = {}; o[k[0]] = pick(v, s, t, 0); o[k[1]] = pick(v, s, t, 1); o[k[2]] = pick(v, s, t, 2); o[k[3]] = pick(v, s, t, 3); o[k[4]] = pick(v, s, t, 4); return o; } },
  { count: 5, make: (k, v, s, t) => { const o: Made = {}; o[k[0]] = pick(v, s, t, 0); o[k[1]] = pick(v, s, t, 1); o[k[2]] = pick(v, s, t, 2); o[k[3]] = pick(v, s, t, 3); o[k[4]] = pick(v, s, t, 4); return o; } },
  { count: 6, make: (k, v, s, t) => { const o: Made = {}; o[k[0]] = pick(v, s, t, 0); o[k[1]] = pick(v, s, t, 1); o[k[2]] = pick(v, s, t, 2); o[k[3]] = pick(v, s, t, 3); o[k[4]] = pick(v, s, t, 4); o[k[5]] = pick(v, s, t, 5); return o; } },
  { count: 6, make: (k, v, s, t) => { const o: Made = {}; o[k[0]] = pick(v, s, t, 0); o[k[1]] = pick(v, s, t, 1); o[k[2]] = pick(v, s, t, 2); o[k[3]] = pick(v, s, t, 3); o[k[4]] = pick(v, s, t, 4); o[k[5]] = pick(v, s, t, 5); return o; } },
  { count: 7, make: (k, v, s, t) => { const o: Made = {}; o[k[0]] = pick(v, s, t, 0); o[k[1]] = pick(v, s, t, 1); o[k[2]] = pick(v, s, t, 2); o[k[3]] = pick(v, s, t, 3); o[k[4]] = pick(v, s, t, 4); o[k[5]] = pick(v, s, t, 5); o[k[6]] = pick(v, s, t, 6); return o; } },
  { count: 7, make: (k, v, s, t) => { const o: Made = {}; o[k[0]] = pick(v, s, t, 0); o[k[1]] = pick(v, s, t, 1); o[k[2]] = pick(v, s, t, 2); o[k[3]] = pick(v, s, t, 3); o[k[4]] = pick(v, s, t, 4); o[k[5]] = pick(v, s, t, 5); o[k[6]] = pick(v, s, t, 6); return o; } },
  { count: 8, make: (k, v, s, t) => { const o: Made = {}; o[k[0]] = pick(v, s, t, 0); o[k[1]] = pick(v, s, t, 1); o[k[2]] = pick(v, s, t, 2); o[k[3]] = pick(v, s, t, 3); o[k[4]] = pick(v, s, t, 4); o[k[5]] = pick(v, s, t, 5); o[k[6]] = pick(v, s, t, 6); o[k[7]] = pick(v, s, t, 7); return o; } },
  { count: 8, make: (k, v, s, t) => { const o: Made = {}; o[k[0]] = pick(v, s, t, 0); o[k[1]] = pick(v, s, t, 1); o[k[2]] = pick(v, s, t, 2); o[k[3]] = pick(v, s, t, 3); o[k[4]] = pick(v, s, t, 4); o[k[5]] = pick(v, s, t, 5); o[k[6]] = pick(v, s, t, 6); o[k[7]] = pick(v, s, t, 7); return o; } },
];

const taken = new Map<string, RecordMaker>();

/** The same one for the same keys, in whatever policy. */
export function recordMaker(keys: readonly string[]): RecordMaker {
  const name = JSON.stringify(keys);
  const known = taken.get(name);
  if (known !== undefined) return known;
  const at = FREE.findIndex(({ count }) => count === keys.length);
  const [free] = at < 0 ? [] : FREE.splice(at, 1);
  if (free === undefined) return anyRecord;
  const maker = free.make as RecordMaker;
  taken.set(name, maker);
  return maker;
}

function anyRecord(keys: readonly string[], ...from: From): Made {
  const record: Made = {};
  for (let i = 0; i < keys.length; i++) record[keys[i] as string] = pick(...from, i);
  return record;
}
