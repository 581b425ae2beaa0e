/** Where the texts of requests come from. */

import type { Supply } from "../interleave.ts";
import { randomOf } from "../random.ts";
import { textsOf, type Workload } from "../workloads/index.ts";

/** Each request once; over again only where there are no more different ones. */
export function newRequests(workload: Workload): Supply {
  let next = 0;
  return (count) => {
    const texts = textsOf(workload, next, count);
    next += count;
    return texts;
  };
}

/** Requests drawn by chance from a set of `size` different ones. */
export function workingSet(workload: Workload, size: number): Supply {
  const random = randomOf(size);
  return (count) => Array.from({ length: count }, () => JSON.stringify(workload.make(random.below(size))));
}
