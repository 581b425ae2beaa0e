/** The only import of binaryen, which writes modules as text. Nothing else needs it: it takes longer to load than most policies to compile. */

import type Binaryen from "binaryen";

export async function loadBinaryen(): Promise<typeof Binaryen> {
  return (await import("binaryen")).default;
}
