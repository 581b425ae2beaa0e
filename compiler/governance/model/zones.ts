/** Time zones of the IANA database: how far the clocks of each are ahead of UTC, in the years that a bundle knows. */

import { ZONES } from "./zone-table.ts";

/** The first millisecond of which offsets are known, and the first that is beyond them. */
export const ZONES_SINCE = Date.UTC(2025, 0, 1);
const ZONES_UNTIL = Date.UTC(2050, 0, 1);

/** Until when, in milliseconds since 1970, and the offset until then, in milliseconds. */
export type ZoneOffset = readonly [until: number, offset: number];

let known: ReadonlyMap<string, string> | undefined;

function zones(): ReadonlyMap<string, string> {
  known ??= new Map(
    ZONES.flatMap((group) => {
      const [names = "", changes = ""] = group.split("=");
      return names.split(" ").map((name) => [name, changes] as const);
    }),
  );
  return known;
}

/** Names are told apart by case. */
export function isZone(name: string): boolean {
  return zones().has(name);
}

export function zoneNames(): Iterable<string> {
  return zones().keys();
}

/** The offsets of a zone, in the order of time. Of an unknown zone none. */
export function zoneOffsets(name: string): readonly ZoneOffset[] {
  const [first, ...changes] = zones().get(name)?.split(" ") ?? [];
  if (first === undefined) return [];
  const result: ZoneOffset[] = [];
  let [at, offset] = [ZONES_SINCE, Number(first)];
  for (const change of changes) {
    const [after = "", next] = change.split(":");
    at += Number.parseInt(after, 36) * MINUTE;
    result.push([at, offset * MINUTE]);
    offset = Number(next);
  }
  return [...result, [ZONES_UNTIL, offset * MINUTE]];
}

const MINUTE = 60_000;
