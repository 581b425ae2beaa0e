/**
 * The footprint of an entrypoint: which paths of the input its rules can read. The runtime hands over those and nothing
 * else. A value is handed over in part if rules only look constant keys up in it, iterate over its elements, or test its type;
 * otherwise whole.
 */

export interface Footprint {
  /** Everything below is needed. */
  whole: boolean;
  /** The footprints of its members, by constant keys. */
  readonly members: Map<string, Footprint>;
  /** The footprint of every element, if a rule iterates over them; an object with `members` as well is then needed whole. */
  each: Footprint | undefined;
  /**
   * A hint: a string there may meet one of the policy's, so it is worth looking up among these. Wrong, it costs time: a
   * string that was not looked up is compared by its bytes.
   */
  lookUp: boolean;
  /** Rules compare it with a value that may be the policy's, */
  compared: boolean;
  /** read the bytes of its strings, */
  read: boolean;
  /** and compare it with these parts. */
  readonly met: Set<Footprint>;
}

export function emptyFootprint(): Footprint {
  return {
    whole: false,
    members: new Map(),
    each: undefined,
    lookUp: false,
    compared: false,
    read: false,
    met: new Set(),
  };
}

/**
 * Says of more parts that they are worth looking up: those that are compared with a value of unknown origin, unless their bytes
 * are read anyway, and those that are compared with a part that is looked up.
 */
export function settleLookUps(root: Footprint): void {
  const parts = partsOf(root);
  for (const part of parts) part.lookUp ||= part.compared && !part.read;
  // A list that grows while it is gone through.
  const lookedUp = parts.filter(({ lookUp }) => lookUp);
  for (const { met } of lookedUp)
    for (const part of met)
      if (!part.lookUp) {
        part.lookUp = true;
        lookedUp.push(part);
      }
}

function partsOf(part: Footprint): Footprint[] {
  const { each, members } = part;
  return [part, ...(each === undefined ? [] : partsOf(each)), ...[...members.values()].flatMap(partsOf)];
}

/** All of it may be read and compared. */
export function markEscaped(part: Footprint): void {
  part.whole = true;
  part.lookUp = true;
}
