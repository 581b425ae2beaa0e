/** Where authors wrote what differs between two policies, by the source maps of their bundles. */

import { type Path, valueAt } from "../explain/edit.ts";
import { type Place, Places } from "../explain/places.ts";
import type { OpenedPolicy } from "../opened-policy.ts";

export class DiffPlaces {
  private readonly after: OpenedPolicy;
  private readonly places: readonly [before: Places, after: Places];

  constructor(before: OpenedPolicy, after: OpenedPolicy) {
    this.after = after;
    this.places = [new Places(before.files), new Places(after.files)];
  }

  /** Where a path below `data` is written: in the newer policy, or in the older one for what is gone. */
  placeOf(path: Path): Place | undefined {
    const [before, after] = this.places;
    return valueAt(this.after.data, path) === undefined ? before.placeOf(path) : after.placeOf(path);
  }
}
