/** Where authors wrote what differs between two policies, by the source maps of their bundles. */

import { type Path, valueAt } from "../explain/edit.ts";
import { type Place, Places } from "../explain/places.ts";
import type { OpenedPolicy } from "../opened-policy.ts";

/** Where a difference is written in the older and in the newer policy; absent where it stands in one alone, or has no place. */
export interface BothPlaces {
  readonly before?: Place;
  readonly after?: Place;
}

/** Finds the places of what stands at paths of the data. */
export class DiffPlaces {
  private readonly sides: readonly { readonly opened: OpenedPolicy; readonly places: Places }[];

  constructor(before: OpenedPolicy, after: OpenedPolicy) {
    this.sides = [before, after].map((opened) => ({ opened, places: new Places(opened.files) }));
  }

  /** Where a path below `data` is written; as a member to spread: empty where neither policy has a place of it. */
  placesOf(path: Path): { readonly places?: BothPlaces } {
    const [before, after] = this.sides.map(({ opened, places }) =>
      valueAt(opened.data, path) === undefined ? undefined : places.placeOf(path),
    );
    return bothPlaces(before, after);
  }
}

/** As a member to spread. */
export function bothPlaces(before: Place | undefined, after: Place | undefined): { readonly places?: BothPlaces } {
  if (before === undefined && after === undefined) return {};
  return { places: { ...(before && { before }), ...(after && { after }) } };
}
