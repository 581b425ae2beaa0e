/** Collecting garbage while no clock runs. */

import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

setFlagsFromString("--expose-gc");
const collect = runInNewContext("gc") as (options?: { readonly type: "minor" }) => void;

/** Empties the young generation, so that a batch of decisions finds room: the requests before it left it full. */
export function collectGarbage(): void {
  collect({ type: "minor" });
}

/** Everything, twice: for what memory is held. */
export function collectAllGarbage(): void {
  collect();
  collect();
}
