/**
 * Objects of many kinds are made slowly by one piece of code: engines keep what they learn about keys by the place in the
 * source. So each set of keys gets a place of its own here, while there are any left.
 */

type Made = Record<string, unknown>;
/** As many as a maker has places for. */
type Keys = readonly [string, string, string, string, string, string, string, string];

/** Makes an object of these keys, which are always the same, and names of properties, with as many values. */
export type RecordMaker = (keys: readonly string[], values: readonly unknown[]) => Made;

/** By the count of keys. */
// biome-ignore format: a line each
const FREE: { readonly [count: number]: ((k: Keys, v: readonly unknown[]) => Made)[] } = {
  3: [
    (k, v) => { const o: Made = {}; o[k[0]] = v[0]; o[k[1]] = v[1]; o[k[2]] = v[2]; return o; },
    (k, v) => { const o: Made = {}; o[k[0]] = v[0]; o[k[1]] = v[1]; o[k[2]] = v[2]; return o; },
  ],
  4: [
    (k, v) => { const o: Made = {}; o[k[0]] = v[0]; o[k[1]] = v[1]; o[k[2]] = v[2]; o[k[3]] = v[3]; return o; },
    (k, v) => { const o: Made = {}; o[k[0]] = v[0]; o[k[1]] = v[1]; o[k[2]] = v[2]; o[k[3]] = v[3]; return o; },
  ],
  5: [
    (k, v) => { const o: Made = {}; o[k[0]] = v[0]; o[k[1]] = v[1]; o[k[2]] = v[2]; o[k[3]] = v[3]; o[k[4]] = v[4]; return o; },
    (k, v) => { const o: Made = {}; o[k[0]] = v[0]; o[k[1]] = v[1]; o[k[2]] = v[2]; o[k[3]] = v[3]; o[k[4]] = v[4]; return o; },
  ],
  6: [
    (k, v) => { const o: Made = {}; o[k[0]] = v[0]; o[k[1]] = v[1]; o[k[2]] = v[2]; o[k[3]] = v[3]; o[k[4]] = v[4]; o[k[5]] = v[5]; return o; },
    (k, v) => { const o: Made = {}; o[k[0]] = v[0]; o[k[1]] = v[1]; o[k[2]] = v[2]; o[k[3]] = v[3]; o[k[4]] = v[4]; o[k[5]] = v[5]; return o; },
  ],
  7: [
    (k, v) => { const o: Made = {}; o[k[0]] = v[0]; o[k[1]] = v[1]; o[k[2]] = v[2]; o[k[3]] = v[3]; o[k[4]] = v[4]; o[k[5]] = v[5]; o[k[6]] = v[6]; return o; },
    (k, v) => { const o: Made = {}; o[k[0]] = v[0]; o[k[1]] = v[1]; o[k[2]] = v[2]; o[k[3]] = v[3]; o[k[4]] = v[4]; o[k[5]] = v[5]; o[k[6]] = v[6]; return o; },
  ],
  8: [
    (k, v) => { const o: Made = {}; o[k[0]] = v[0]; o[k[1]] = v[1]; o[k[2]] = v[2]; o[k[3]] = v[3]; o[k[4]] = v[4]; o[k[5]] = v[5]; o[k[6]] = v[6]; o[k[7]] = v[7]; return o; },
    (k, v) => { const o: Made = {}; o[k[0]] = v[0]; o[k[1]] = v[1]; o[k[2]] = v[2]; o[k[3]] = v[3]; o[k[4]] = v[4]; o[k[5]] = v[5]; o[k[6]] = v[6]; o[k[7]] = v[7]; return o; },
  ],
};

const taken = new Map<string, RecordMaker>();

/** The same one for the same keys, in whatever policy. */
export function recordMaker(keys: readonly string[]): RecordMaker {
  const name = JSON.stringify(keys);
  const known = taken.get(name);
  if (known !== undefined) return known;
  const maker = FREE[keys.length]?.pop() as RecordMaker | undefined;
  if (maker === undefined) return anyRecord;
  taken.set(name, maker);
  return maker;
}

function anyRecord(keys: readonly string[], values: readonly unknown[]): Made {
  const record: Made = {};
  for (let i = 0; i < keys.length; i++) record[keys[i] as string] = values[i];
  return record;
}
