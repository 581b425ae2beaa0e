/**
 * What a JavaScript value means to a decision: its own, enumerable members with text for keys, read once; integers of any
 * size as numbers; half a character as U+FFFD, as every reader of JSON text has it. Anything that is not a JSON value is
 * refused, and where no rule looks at it is as if it were absent.
 */

class Refused extends Error {}

/** A cycle too: the whole of what a request holds there does not count. */
class TooDeep extends Refused {}

/** How deep places of requests lie at most. */
const PLACES = 4;

const LEVELS = 200;

export interface Meaning {
  /** The value without the parts that are not JSON values. */
  readonly value: unknown;
  /** Whether there was any such thing. */
  readonly whole: boolean;
}

export function meaningOf(value: unknown): Meaning {
  const reader = new MeaningReader();
  const read = reader.lenient(0, () => reader.plain(value, 0));
  return { value: read, whole: reader.whole };
}

class MeaningReader {
  whole = true;

  /** What `read` gives; nothing when it is refused, or throws. */
  lenient(level: number, read: () => unknown): unknown {
    try {
      return read();
    } catch (refusal) {
      this.whole = false;
      if (refusal instanceof TooDeep && level > PLACES) throw refusal;
      return undefined;
    }
  }

  plain(value: unknown, level: number): unknown {
    switch (typeof value) {
      case "undefined":
      case "boolean":
        return value;
      case "string":
        if (value.length > 5_000_000) throw new Refused("too long");
        return value.replace(/\p{Surrogate}/gu, "\ufffd");
      case "bigint":
        return Number(value);
      case "number":
        if (!Number.isFinite(value)) throw new Refused("no number");
        return value;
      case "object":
        break;
      default:
        throw new Refused(typeof value);
    }
    if (value === null) return null;
    if (level > LEVELS) throw new TooDeep("too deep");
    return Array.isArray(value) ? this.list(value, level) : this.object(value, level);
  }

  private list(value: readonly unknown[], level: number): unknown {
    const { length } = value;
    if (length >>> 0 !== length || length > 1_000_000) throw new Refused("a length that is not one");
    return Array.from({ length }, (_, i) => {
      const item = this.plain(value[i], level + 1);
      if (item === undefined) throw new Refused("a hole");
      return item;
    });
  }

  private object(value: object, level: number): unknown {
    if (value instanceof Map || value instanceof Set || ArrayBuffer.isView(value) || value instanceof ArrayBuffer)
      this.whole = false;
    if (value instanceof Date || value instanceof String || value instanceof Number || value instanceof Boolean)
      this.whole = false;
    if (typeof Reflect.get(value, "toJSON") === "function") this.whole = false;
    const made: Record<string, unknown> = {};
    for (const key of Object.keys(value)) {
      const item = this.lenient(level, () => this.plain(Reflect.get(value, key), level + 1));
      if (item !== undefined)
        Object.defineProperty(made, key, { value: item, enumerable: true, configurable: true, writable: true });
    }
    return made;
  }
}
